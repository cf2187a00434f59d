; iree-compile 3.13.0, gfx942, examples/iree/matmul_abt_4096.gfx942.mlir: tests/data/make_isa_kernels.py
; To reproduce the .rocmasm from .optimized.ll, run:
; llc -mtriple=amdgpu9.42-amd-amdhsa -mcpu=gfx942 -mattr='-fma-mix-insts' -O3 <.optimized.ll> -o <out.rocmasm>

	.amdgcn_target "amdgpu9.42-amd-amdhsa-unknown-gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32
	.p2align	8
	.type	mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32,@function
mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dwordx4 s[4:7], s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_0
	.p2align	8
.LBB0_0:
	s_mov_b64 s[12:13], s[2:3]
	s_lshl_b32 s2, s8, 2
	v_lshrrev_b32_e32 v46, 2, v0
	s_and_b32 s9, s2, 0xf80
	v_lshlrev_b32_e32 v2, 4, v0
	s_lshl_b32 s2, s8, 7
	v_or_b32_e32 v1, s9, v46
	v_and_b32_e32 v47, 48, v2
	s_and_b32 s8, s2, 0xf80
	s_and_b32 s13, s13, 0xffff
	s_mov_b32 s15, 0x27000
	s_brev_b32 s14, 64
	v_lshl_or_b32 v1, v1, 13, v47
	v_or_b32_e32 v2, s8, v46
	s_mov_b64 s[0:1], s[6:7]
	s_and_b32 s5, s5, 0xffff
	s_mov_b32 s6, s14
	s_mov_b32 s7, s15
	v_or_b32_e32 v3, 0x80000, v1
	buffer_load_dwordx4 v[50:53], v1, s[12:15], 0 offen
	buffer_load_dwordx4 v[54:57], v3, s[12:15], 0 offen
	v_lshl_or_b32 v66, v2, 13, v47
	buffer_load_dwordx4 v[58:61], v66, s[4:7], 0 offen
	v_or_b32_e32 v2, 0x80000, v66
	buffer_load_dwordx4 v[62:65], v2, s[4:7], 0 offen
	v_lshrrev_b32_e32 v48, 1, v0
	v_and_b32_e32 v67, 15, v0
	v_and_b32_e32 v68, 12, v46
	v_and_b32_e32 v69, 64, v48
	v_and_b32_e32 v49, 0x4f, v0
	v_lshl_or_b32 v72, v46, 6, v47
	v_or_b32_e32 v46, v69, v67
	v_lshlrev_b32_e32 v47, 1, v68
	v_lshl_or_b32 v71, v46, 6, v47
	v_lshl_or_b32 v70, v49, 6, v47
	s_mov_b32 s2, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	v_mov_b32_e32 v34, 0
	v_mov_b32_e32 v35, 0
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v37, 0
	v_mov_b32_e32 v38, 0
	v_mov_b32_e32 v39, 0
	v_mov_b32_e32 v40, 0
	v_mov_b32_e32 v41, 0
	v_mov_b32_e32 v42, 0
	v_mov_b32_e32 v43, 0
	v_mov_b32_e32 v44, 0
	v_mov_b32_e32 v45, 0
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
	v_add_u32_e32 v73, 0x2000, v71
	s_waitcnt vmcnt(3)
	ds_write_b128 v72, v[50:53] offset:8192
	s_waitcnt vmcnt(1)
	ds_write_b128 v72, v[58:61]
	ds_write_b128 v72, v[54:57] offset:12288
	s_waitcnt vmcnt(0)
	ds_write_b128 v72, v[62:65] offset:4096
	v_mov_b32_e32 v50, 0
	v_mov_b32_e32 v51, 0
	v_mov_b32_e32 v52, 0
	v_mov_b32_e32 v53, 0
	v_mov_b32_e32 v54, 0
	v_mov_b32_e32 v55, 0
	v_mov_b32_e32 v56, 0
	v_mov_b32_e32 v57, 0
	v_mov_b32_e32 v58, 0
	v_mov_b32_e32 v59, 0
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, 0
	v_mov_b32_e32 v62, 0
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v64, 0
	v_mov_b32_e32 v65, 0
	v_add_u32_e32 v74, 0x2800, v71
	v_add_u32_e32 v75, 0x800, v70
.LBB0_1:
	s_lshl_b32 s3, s2, 5
	v_add_u32_e32 v76, s3, v1
	v_add_u32_e32 v78, s3, v66
	v_add_u32_e32 v77, 0x80000, v76
	buffer_load_dwordx4 v[160:163], v76, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[164:167], v77, s[12:15], 0 offen offset:64
	v_add_u32_e32 v79, 0x80000, v78
	buffer_load_dwordx4 v[168:171], v78, s[4:7], 0 offen offset:64
	buffer_load_dwordx4 v[172:175], v79, s[4:7], 0 offen offset:64
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[108:111], v73 offset0:128 offset1:132
	ds_read2_b64 v[128:131], v74 offset1:4
	ds_read2_b64 v[148:151], v74 offset0:128 offset1:132
	ds_read2_b64 v[80:83], v73 offset1:4
	ds_read2_b64 v[84:87], v70 offset1:4
	ds_read2_b64 v[88:91], v70 offset0:128 offset1:132
	ds_read2_b64 v[92:95], v75 offset1:4
	ds_read2_b64 v[100:103], v75 offset0:128 offset1:132
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[62:65], v[80:81], v[84:85], v[62:65]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_16x16x16_f16 v[58:61], v[80:81], v[88:89], v[58:61]
	v_mfma_f32_16x16x16_f16 v[96:99], v[80:81], v[92:93], v[54:57]
	v_mfma_f32_16x16x16_f16 v[104:107], v[80:81], v[100:101], v[50:53]
	v_mfma_f32_16x16x16_f16 v[112:115], v[108:109], v[84:85], v[46:49]
	v_mfma_f32_16x16x16_f16 v[116:119], v[108:109], v[88:89], v[42:45]
	v_mfma_f32_16x16x16_f16 v[120:123], v[108:109], v[92:93], v[38:41]
	v_mfma_f32_16x16x16_f16 v[124:127], v[108:109], v[100:101], v[34:37]
	v_mfma_f32_16x16x16_f16 v[132:135], v[128:129], v[84:85], v[30:33]
	v_mfma_f32_16x16x16_f16 v[136:139], v[128:129], v[88:89], v[26:29]
	v_mfma_f32_16x16x16_f16 v[140:143], v[128:129], v[92:93], v[22:25]
	v_mfma_f32_16x16x16_f16 v[144:147], v[128:129], v[100:101], v[18:21]
	v_mfma_f32_16x16x16_f16 v[152:155], v[148:149], v[84:85], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[148:149], v[88:89], v[10:13]
	v_mfma_f32_16x16x16_f16 v[2:5], v[148:149], v[92:93], v[2:5]
	v_mfma_f32_16x16x16_f16 v[156:159], v[148:149], v[100:101], v[6:9]
	v_mfma_f32_16x16x16_f16 v[62:65], v[82:83], v[86:87], v[62:65]
	v_mfma_f32_16x16x16_f16 v[54:57], v[82:83], v[90:91], v[58:61]
	v_mfma_f32_16x16x16_f16 v[50:53], v[82:83], v[94:95], v[96:99]
	v_mfma_f32_16x16x16_f16 v[46:49], v[82:83], v[102:103], v[104:107]
	v_mfma_f32_16x16x16_f16 v[42:45], v[110:111], v[86:87], v[112:115]
	v_mfma_f32_16x16x16_f16 v[38:41], v[110:111], v[90:91], v[116:119]
	v_mfma_f32_16x16x16_f16 v[34:37], v[110:111], v[94:95], v[120:123]
	v_mfma_f32_16x16x16_f16 v[30:33], v[110:111], v[102:103], v[124:127]
	v_mfma_f32_16x16x16_f16 v[26:29], v[130:131], v[86:87], v[132:135]
	v_mfma_f32_16x16x16_f16 v[22:25], v[130:131], v[90:91], v[136:139]
	v_mfma_f32_16x16x16_f16 v[18:21], v[130:131], v[94:95], v[140:143]
	v_mfma_f32_16x16x16_f16 v[14:17], v[130:131], v[102:103], v[144:147]
	v_mfma_f32_16x16x16_f16 v[58:61], v[150:151], v[86:87], v[152:155]
	v_mfma_f32_16x16x16_f16 v[6:9], v[150:151], v[90:91], v[10:13]
	v_mfma_f32_16x16x16_f16 v[2:5], v[150:151], v[94:95], v[2:5]
	v_mfma_f32_16x16x16_f16 v[10:13], v[150:151], v[102:103], v[156:159]
	s_cmpk_gt_u32 s2, 0xfb
	s_waitcnt vmcnt(3)
	ds_write_b128 v72, v[160:163] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v72, v[164:167] offset:12288
	s_waitcnt vmcnt(1)
	ds_write_b128 v72, v[168:171]
	s_waitcnt vmcnt(0)
	ds_write_b128 v72, v[172:175] offset:4096
	s_cbranch_scc1 .LBB0_3
	buffer_load_dwordx4 v[116:119], v76, s[12:15], 0 offen offset:128
	buffer_load_dwordx4 v[120:123], v77, s[12:15], 0 offen offset:128
	buffer_load_dwordx4 v[124:127], v78, s[4:7], 0 offen offset:128
	buffer_load_dwordx4 v[128:131], v79, s[4:7], 0 offen offset:128
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[96:99], v73 offset0:128 offset1:132
	ds_read2_b64 v[100:103], v74 offset1:4
	ds_read2_b64 v[104:107], v74 offset0:128 offset1:132
	ds_read2_b64 v[76:79], v73 offset1:4
	ds_read2_b64 v[80:83], v70 offset1:4
	ds_read2_b64 v[84:87], v70 offset0:128 offset1:132
	ds_read2_b64 v[88:91], v75 offset1:4
	ds_read2_b64 v[92:95], v75 offset0:128 offset1:132
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[62:65], v[76:77], v[80:81], v[62:65]
	s_add_i32 s2, s2, 4
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_16x16x16_f16 v[54:57], v[76:77], v[84:85], v[54:57]
	v_mfma_f32_16x16x16_f16 v[50:53], v[76:77], v[88:89], v[50:53]
	v_mfma_f32_16x16x16_f16 v[46:49], v[76:77], v[92:93], v[46:49]
	v_mfma_f32_16x16x16_f16 v[42:45], v[96:97], v[80:81], v[42:45]
	v_mfma_f32_16x16x16_f16 v[38:41], v[96:97], v[84:85], v[38:41]
	v_mfma_f32_16x16x16_f16 v[34:37], v[96:97], v[88:89], v[34:37]
	v_mfma_f32_16x16x16_f16 v[30:33], v[96:97], v[92:93], v[30:33]
	v_mfma_f32_16x16x16_f16 v[26:29], v[100:101], v[80:81], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[100:101], v[84:85], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[100:101], v[88:89], v[18:21]
	v_mfma_f32_16x16x16_f16 v[14:17], v[100:101], v[92:93], v[14:17]
	v_mfma_f32_16x16x16_f16 v[108:111], v[104:105], v[80:81], v[58:61]
	v_mfma_f32_16x16x16_f16 v[6:9], v[104:105], v[84:85], v[6:9]
	v_mfma_f32_16x16x16_f16 v[2:5], v[104:105], v[88:89], v[2:5]
	v_mfma_f32_16x16x16_f16 v[112:115], v[104:105], v[92:93], v[10:13]
	v_mfma_f32_16x16x16_f16 v[62:65], v[78:79], v[82:83], v[62:65]
	v_mfma_f32_16x16x16_f16 v[58:61], v[78:79], v[86:87], v[54:57]
	v_mfma_f32_16x16x16_f16 v[54:57], v[78:79], v[90:91], v[50:53]
	v_mfma_f32_16x16x16_f16 v[50:53], v[78:79], v[94:95], v[46:49]
	v_mfma_f32_16x16x16_f16 v[46:49], v[98:99], v[82:83], v[42:45]
	v_mfma_f32_16x16x16_f16 v[42:45], v[98:99], v[86:87], v[38:41]
	v_mfma_f32_16x16x16_f16 v[38:41], v[98:99], v[90:91], v[34:37]
	v_mfma_f32_16x16x16_f16 v[34:37], v[98:99], v[94:95], v[30:33]
	v_mfma_f32_16x16x16_f16 v[30:33], v[102:103], v[82:83], v[26:29]
	v_mfma_f32_16x16x16_f16 v[26:29], v[102:103], v[86:87], v[22:25]
	v_mfma_f32_16x16x16_f16 v[22:25], v[102:103], v[90:91], v[18:21]
	v_mfma_f32_16x16x16_f16 v[18:21], v[102:103], v[94:95], v[14:17]
	v_mfma_f32_16x16x16_f16 v[14:17], v[106:107], v[82:83], v[108:111]
	v_mfma_f32_16x16x16_f16 v[10:13], v[106:107], v[86:87], v[6:9]
	v_mfma_f32_16x16x16_f16 v[2:5], v[106:107], v[90:91], v[2:5]
	v_mfma_f32_16x16x16_f16 v[6:9], v[106:107], v[94:95], v[112:115]
	s_waitcnt vmcnt(3)
	ds_write_b128 v72, v[116:119] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v72, v[120:123] offset:12288
	s_waitcnt vmcnt(1)
	ds_write_b128 v72, v[124:127]
	s_waitcnt vmcnt(0)
	ds_write_b128 v72, v[128:131] offset:4096
	s_branch .LBB0_1
.LBB0_3:
	v_add_u32_e32 v1, 0x2000, v71
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[72:75], v1 offset1:4
	ds_read2_b64 v[76:79], v1 offset0:128 offset1:132
	v_add_u32_e32 v1, 0x2800, v71
	ds_read2_b64 v[80:83], v1 offset1:4
	ds_read2_b64 v[84:87], v1 offset0:128 offset1:132
	ds_read2_b64 v[88:91], v70 offset1:4
	v_add_u32_e32 v1, 0x800, v70
	ds_read2_b64 v[92:95], v70 offset0:128 offset1:132
	ds_read2_b64 v[96:99], v1 offset1:4
	ds_read2_b64 v[100:103], v1 offset0:128 offset1:132
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 v[62:65], v[72:73], v[88:89], v[62:65]
	v_and_b32_e32 v0, 64, v0
	v_or3_b32 v0, s8, v0, v67
	v_or3_b32 v1, v69, s9, v68
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 v[54:57], v[72:73], v[92:93], v[54:57]
	v_lshlrev_b32_e32 v0, 2, v0
	s_and_b32 s1, s1, 0xffff
	s_mov_b32 s3, 0x27000
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[50:53], v[72:73], v[96:97], v[50:53]
	s_brev_b32 s2, 32
	v_lshl_or_b32 v66, v1, 14, v0
	v_add_u32_e32 v67, 0x8000, v66
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[46:49], v[72:73], v[100:101], v[46:49]
	v_add_u32_e32 v68, 0xc000, v66
	v_add_u32_e32 v69, 0x40000, v66
	v_add_u32_e32 v70, 0x44000, v66
	v_mfma_f32_16x16x16_f16 v[62:65], v[74:75], v[90:91], v[62:65]
	v_add_u32_e32 v71, 0x48000, v66
	v_add_u32_e32 v72, 0x4c000, v66
	v_add_u32_e32 v73, 0x80000, v66
	v_mfma_f32_16x16x16_f16 v[42:45], v[76:77], v[88:89], v[42:45]
	v_add_u32_e32 v104, 0x84000, v66
	s_nop 1
	buffer_store_dword v62, v66, s[0:3], 0 offen
	v_add_u32_e32 v62, 0x4000, v66
	v_mfma_f32_16x16x16_f16 v[38:41], v[76:77], v[92:93], v[38:41]
	v_add_u32_e32 v105, 0x88000, v66
	v_add_u32_e32 v106, 0x8c000, v66
	v_add_u32_e32 v107, 0xc0000, v66
	v_mfma_f32_16x16x16_f16 v[34:37], v[76:77], v[96:97], v[34:37]
	v_mfma_f32_16x16x16_f16 v[30:33], v[76:77], v[100:101], v[30:33]
	v_mfma_f32_16x16x16_f16 v[18:21], v[80:81], v[96:97], v[18:21]
	v_mfma_f32_16x16x16_f16 v[58:61], v[84:85], v[88:89], v[58:61]
	v_mfma_f32_16x16x16_f16 v[26:29], v[80:81], v[88:89], v[26:29]
	v_mfma_f32_16x16x16_f16 v[14:17], v[80:81], v[100:101], v[14:17]
	v_mfma_f32_16x16x16_f16 v[6:9], v[84:85], v[92:93], v[6:9]
	v_mfma_f32_16x16x16_f16 v[10:13], v[84:85], v[100:101], v[10:13]
	v_mfma_f32_16x16x16_f16 v[54:57], v[74:75], v[94:95], v[54:57]
	v_mfma_f32_16x16x16_f16 v[50:53], v[74:75], v[98:99], v[50:53]
	v_mfma_f32_16x16x16_f16 v[46:49], v[74:75], v[102:103], v[46:49]
	s_nop 4
	buffer_store_dword v54, v66, s[0:3], 0 offen offset:64
	buffer_store_dword v50, v66, s[0:3], 0 offen offset:128
	v_mfma_f32_16x16x16_f16 v[22:25], v[80:81], v[92:93], v[22:25]
	v_mfma_f32_16x16x16_f16 v[0:3], v[84:85], v[96:97], v[2:5]
	buffer_store_dword v46, v66, s[0:3], 0 offen offset:192
	buffer_store_dword v63, v62, s[0:3], 0 offen
	buffer_store_dword v55, v62, s[0:3], 0 offen offset:64
	buffer_store_dword v51, v62, s[0:3], 0 offen offset:128
	buffer_store_dword v47, v62, s[0:3], 0 offen offset:192
	buffer_store_dword v64, v67, s[0:3], 0 offen
	buffer_store_dword v56, v67, s[0:3], 0 offen offset:64
	v_mfma_f32_16x16x16_f16 v[42:45], v[78:79], v[90:91], v[42:45]
	buffer_store_dword v52, v67, s[0:3], 0 offen offset:128
	buffer_store_dword v48, v67, s[0:3], 0 offen offset:192
	buffer_store_dword v65, v68, s[0:3], 0 offen
	buffer_store_dword v57, v68, s[0:3], 0 offen offset:64
	buffer_store_dword v53, v68, s[0:3], 0 offen offset:128
	buffer_store_dword v49, v68, s[0:3], 0 offen offset:192
	v_mfma_f32_16x16x16_f16 v[38:41], v[78:79], v[94:95], v[38:41]
	v_mfma_f32_16x16x16_f16 v[34:37], v[78:79], v[98:99], v[34:37]
	buffer_store_dword v42, v69, s[0:3], 0 offen
	s_nop 4
	buffer_store_dword v38, v69, s[0:3], 0 offen offset:64
	buffer_store_dword v34, v69, s[0:3], 0 offen offset:128
	v_mfma_f32_16x16x16_f16 v[30:33], v[78:79], v[102:103], v[30:33]
	s_nop 6
	buffer_store_dword v30, v69, s[0:3], 0 offen offset:192
	buffer_store_dword v43, v70, s[0:3], 0 offen
	buffer_store_dword v39, v70, s[0:3], 0 offen offset:64
	v_mfma_f32_16x16x16_f16 v[18:21], v[82:83], v[98:99], v[18:21]
	buffer_store_dword v35, v70, s[0:3], 0 offen offset:128
	buffer_store_dword v31, v70, s[0:3], 0 offen offset:192
	buffer_store_dword v44, v71, s[0:3], 0 offen
	buffer_store_dword v40, v71, s[0:3], 0 offen offset:64
	buffer_store_dword v36, v71, s[0:3], 0 offen offset:128
	buffer_store_dword v32, v71, s[0:3], 0 offen offset:192
	buffer_store_dword v45, v72, s[0:3], 0 offen
	buffer_store_dword v41, v72, s[0:3], 0 offen offset:64
	buffer_store_dword v37, v72, s[0:3], 0 offen offset:128
	v_mfma_f32_16x16x16_f16 v[26:29], v[82:83], v[90:91], v[26:29]
	v_mfma_f32_16x16x16_f16 v[14:17], v[82:83], v[102:103], v[14:17]
	v_mfma_f32_16x16x16_f16 v[46:49], v[86:87], v[90:91], v[58:61]
	v_mfma_f32_16x16x16_f16 v[4:7], v[86:87], v[94:95], v[6:9]
	v_mfma_f32_16x16x16_f16 v[8:11], v[86:87], v[102:103], v[10:13]
	v_mfma_f32_16x16x16_f16 v[22:25], v[82:83], v[94:95], v[22:25]
	buffer_store_dword v33, v72, s[0:3], 0 offen offset:192
	s_nop 0
	buffer_store_dword v26, v73, s[0:3], 0 offen
	s_nop 3
	buffer_store_dword v22, v73, s[0:3], 0 offen offset:64
	v_mfma_f32_16x16x16_f16 v[0:3], v[86:87], v[98:99], v[0:3]
	buffer_store_dword v18, v73, s[0:3], 0 offen offset:128
	buffer_store_dword v14, v73, s[0:3], 0 offen offset:192
	buffer_store_dword v27, v104, s[0:3], 0 offen
	buffer_store_dword v23, v104, s[0:3], 0 offen offset:64
	buffer_store_dword v19, v104, s[0:3], 0 offen offset:128
	buffer_store_dword v15, v104, s[0:3], 0 offen offset:192
	buffer_store_dword v28, v105, s[0:3], 0 offen
	buffer_store_dword v24, v105, s[0:3], 0 offen offset:64
	buffer_store_dword v20, v105, s[0:3], 0 offen offset:128
	buffer_store_dword v16, v105, s[0:3], 0 offen offset:192
	buffer_store_dword v29, v106, s[0:3], 0 offen
	buffer_store_dword v25, v106, s[0:3], 0 offen offset:64
	buffer_store_dword v21, v106, s[0:3], 0 offen offset:128
	buffer_store_dword v17, v106, s[0:3], 0 offen offset:192
	buffer_store_dword v46, v107, s[0:3], 0 offen
	buffer_store_dword v4, v107, s[0:3], 0 offen offset:64
	buffer_store_dword v0, v107, s[0:3], 0 offen offset:128
	v_add_u32_e32 v0, 0xc4000, v66
	buffer_store_dword v8, v107, s[0:3], 0 offen offset:192
	buffer_store_dword v47, v0, s[0:3], 0 offen
	buffer_store_dword v5, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v1, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v9, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0xc8000, v66
	buffer_store_dword v48, v0, s[0:3], 0 offen
	buffer_store_dword v6, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v2, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v10, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0xcc000, v66
	buffer_store_dword v49, v0, s[0:3], 0 offen
	buffer_store_dword v7, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v3, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v11, v0, s[0:3], 0 offen offset:192
	s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)
	s_barrier
	s_endpgm
.Lfunc_end0:
	.size	mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32, .Lfunc_end0-mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32
		.amdhsa_group_segment_fixed_size 16384
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 8
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 6
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 176
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 176
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text

	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.num_vgpr, 176
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.num_agpr, 0
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.numbered_sgpr, 16
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.num_named_barrier, 0
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.private_seg_size, 0
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.uses_vcc, 0
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.uses_flat_scratch, 0
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.has_dyn_sized_stack, 0
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.has_recursion, 0
	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.has_indirect_call, 0
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .actual_access:  read_only
        .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .actual_access:  read_only
        .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .actual_access:  write_only
        .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     176
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgpu9.42-amd-amdhsa-unknown-gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

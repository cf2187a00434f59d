; iree-compile 3.13.0, gfx950, examples/iree/matmul_abt_4096.gfx950.mlir: tests/data/make_isa_kernels.py
; To reproduce the .rocmasm from .optimized.ll, run:
; llc -mtriple=amdgpu9.50-amd-amdhsa -mcpu=gfx950 -mattr='-fma-mix-insts' -O3 <.optimized.ll> -o <out.rocmasm>

	.amdgcn_target "amdgpu9.50-amd-amdhsa-unknown-gfx950"
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
	v_bfe_u32 v69, v0, 4, 2
	v_and_b32_e32 v67, 15, v0
	v_and_b32_e32 v68, 64, v48
	v_and_b32_e32 v49, 0x4f, v0
	v_lshlrev_b32_e32 v48, 4, v69
	v_lshl_or_b32 v72, v46, 6, v47
	v_or_b32_e32 v46, v68, v67
	s_movk_i32 s2, 0xe080
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
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
	v_lshl_or_b32 v71, v49, 6, v48
	v_lshl_or_b32 v70, v46, 6, v48
	v_mov_b32_e32 v46, 0
	v_mov_b32_e32 v47, 0
	v_mov_b32_e32 v48, 0
	v_mov_b32_e32 v49, 0
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
.LBB0_1:
	v_add_u32_e32 v73, s2, v1
	v_add_u32_e32 v74, 0x1000, v73
	v_add_u32_e32 v75, 0x81000, v73
	buffer_load_dwordx4 v[78:81], v74, s[12:15], 0 offen offset:4032
	buffer_load_dwordx4 v[82:85], v75, s[12:15], 0 offen offset:4032
	v_add_u32_e32 v74, s2, v66
	v_add_u32_e32 v75, 0x1000, v74
	v_add_u32_e32 v76, 0x81000, v74
	buffer_load_dwordx4 v[86:89], v75, s[4:7], 0 offen offset:4032
	buffer_load_dwordx4 v[90:93], v76, s[4:7], 0 offen offset:4032
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[94:97], v70 offset:8192
	ds_read_b128 v[98:101], v71
	ds_read_b128 v[102:105], v70 offset:9216
	ds_read_b128 v[106:109], v71 offset:1024
	ds_read_b128 v[110:113], v71 offset:2048
	ds_read_b128 v[114:117], v71 offset:3072
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x32_f16 v[62:65], v[94:97], v[98:101], v[62:65]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x32_f16 v[58:61], v[94:97], v[106:109], v[58:61]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[54:57], v[94:97], v[110:113], v[54:57]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[50:53], v[94:97], v[114:117], v[50:53]
	v_mfma_f32_16x16x32_f16 v[46:49], v[102:105], v[98:101], v[46:49]
	v_mfma_f32_16x16x32_f16 v[42:45], v[102:105], v[106:109], v[42:45]
	v_mfma_f32_16x16x32_f16 v[38:41], v[102:105], v[110:113], v[38:41]
	v_mfma_f32_16x16x32_f16 v[34:37], v[102:105], v[114:117], v[34:37]
	ds_read_b128 v[94:97], v70 offset:10240
	ds_read_b128 v[102:105], v70 offset:11264
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_16x16x32_f16 v[30:33], v[94:97], v[98:101], v[30:33]
	v_mfma_f32_16x16x32_f16 v[26:29], v[94:97], v[106:109], v[26:29]
	v_mfma_f32_16x16x32_f16 v[22:25], v[94:97], v[110:113], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[94:97], v[114:117], v[18:21]
	v_mfma_f32_16x16x32_f16 v[14:17], v[102:105], v[98:101], v[14:17]
	v_mfma_f32_16x16x32_f16 v[10:13], v[102:105], v[106:109], v[10:13]
	v_mfma_f32_16x16x32_f16 v[6:9], v[102:105], v[110:113], v[6:9]
	v_mfma_f32_16x16x32_f16 v[2:5], v[102:105], v[114:117], v[2:5]
	s_cmp_eq_u32 s2, 0
	s_waitcnt vmcnt(3)
	ds_write_b128 v72, v[78:81] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v72, v[82:85] offset:12288
	s_waitcnt vmcnt(1)
	ds_write_b128 v72, v[86:89]
	s_waitcnt vmcnt(0)
	ds_write_b128 v72, v[90:93] offset:4096
	s_cbranch_scc1 .LBB0_3
	v_add_u32_e32 v75, 0x2000, v73
	v_add_u32_e32 v73, 0x82000, v73
	buffer_load_dwordx4 v[76:79], v75, s[12:15], 0 offen
	buffer_load_dwordx4 v[80:83], v73, s[12:15], 0 offen
	v_add_u32_e32 v73, 0x2000, v74
	v_add_u32_e32 v74, 0x82000, v74
	buffer_load_dwordx4 v[84:87], v73, s[4:7], 0 offen
	buffer_load_dwordx4 v[88:91], v74, s[4:7], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[92:95], v70 offset:8192
	ds_read_b128 v[96:99], v71
	ds_read_b128 v[100:103], v70 offset:9216
	ds_read_b128 v[104:107], v71 offset:1024
	ds_read_b128 v[108:111], v71 offset:2048
	ds_read_b128 v[112:115], v71 offset:3072
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x32_f16 v[62:65], v[92:95], v[96:99], v[62:65]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x32_f16 v[58:61], v[92:95], v[104:107], v[58:61]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[54:57], v[92:95], v[108:111], v[54:57]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[50:53], v[92:95], v[112:115], v[50:53]
	v_mfma_f32_16x16x32_f16 v[46:49], v[100:103], v[96:99], v[46:49]
	v_mfma_f32_16x16x32_f16 v[42:45], v[100:103], v[104:107], v[42:45]
	v_mfma_f32_16x16x32_f16 v[38:41], v[100:103], v[108:111], v[38:41]
	v_mfma_f32_16x16x32_f16 v[34:37], v[100:103], v[112:115], v[34:37]
	ds_read_b128 v[92:95], v70 offset:10240
	ds_read_b128 v[100:103], v70 offset:11264
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_16x16x32_f16 v[30:33], v[92:95], v[96:99], v[30:33]
	v_mfma_f32_16x16x32_f16 v[26:29], v[92:95], v[104:107], v[26:29]
	v_mfma_f32_16x16x32_f16 v[22:25], v[92:95], v[108:111], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[92:95], v[112:115], v[18:21]
	v_mfma_f32_16x16x32_f16 v[14:17], v[100:103], v[96:99], v[14:17]
	v_mfma_f32_16x16x32_f16 v[10:13], v[100:103], v[104:107], v[10:13]
	v_mfma_f32_16x16x32_f16 v[6:9], v[100:103], v[108:111], v[6:9]
	v_mfma_f32_16x16x32_f16 v[2:5], v[100:103], v[112:115], v[2:5]
	s_waitcnt vmcnt(3)
	ds_write_b128 v72, v[76:79] offset:8192
	s_waitcnt vmcnt(2)
	ds_write_b128 v72, v[80:83] offset:12288
	s_waitcnt vmcnt(1)
	ds_write_b128 v72, v[84:87]
	s_waitcnt vmcnt(0)
	ds_write_b128 v72, v[88:91] offset:4096
	s_addk_i32 s2, 0x80
	s_branch .LBB0_1
.LBB0_3:
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[72:75], v70 offset:8192
	ds_read_b128 v[76:79], v71
	ds_read_b128 v[80:83], v70 offset:9216
	ds_read_b128 v[84:87], v71 offset:1024
	ds_read_b128 v[88:91], v71 offset:2048
	ds_read_b128 v[92:95], v71 offset:3072
	v_and_b32_e32 v0, 64, v0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x32_f16 v[62:65], v[72:75], v[76:79], v[62:65]
	v_lshlrev_b32_e32 v1, 2, v69
	v_or3_b32 v0, s8, v0, v67
	v_or3_b32 v1, v1, s9, v68
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x32_f16 v[58:61], v[72:75], v[84:87], v[58:61]
	v_lshlrev_b32_e32 v0, 2, v0
	v_lshl_or_b32 v66, v1, 14, v0
	s_and_b32 s1, s1, 0xffff
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[50:53], v[72:75], v[92:95], v[50:53]
	s_mov_b32 s3, 0x27000
	s_brev_b32 s2, 32
	v_add_u32_e32 v0, 0x4000, v66
	v_mfma_f32_16x16x32_f16 v[54:57], v[72:75], v[88:91], v[54:57]
	ds_read_b128 v[72:75], v70 offset:10240
	ds_read_b128 v[96:99], v70 offset:11264
	buffer_store_dword v62, v66, s[0:3], 0 offen
	buffer_store_dword v58, v66, s[0:3], 0 offen offset:64
	s_nop 3
	buffer_store_dword v54, v66, s[0:3], 0 offen offset:128
	buffer_store_dword v50, v66, s[0:3], 0 offen offset:192
	v_mfma_f32_16x16x32_f16 v[46:49], v[80:83], v[76:79], v[46:49]
	buffer_store_dword v63, v0, s[0:3], 0 offen
	buffer_store_dword v59, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v55, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v51, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0x8000, v66
	v_mfma_f32_16x16x32_f16 v[42:45], v[80:83], v[84:87], v[42:45]
	buffer_store_dword v64, v0, s[0:3], 0 offen
	buffer_store_dword v60, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v56, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v52, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0xc000, v66
	v_mfma_f32_16x16x32_f16 v[38:41], v[80:83], v[88:91], v[38:41]
	buffer_store_dword v65, v0, s[0:3], 0 offen
	buffer_store_dword v61, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v57, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v53, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0x40000, v66
	v_mfma_f32_16x16x32_f16 v[34:37], v[80:83], v[92:95], v[34:37]
	buffer_store_dword v46, v0, s[0:3], 0 offen
	buffer_store_dword v42, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v38, v0, s[0:3], 0 offen offset:128
	s_nop 4
	buffer_store_dword v34, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v34, 0x44000, v66
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[30:33], v[72:75], v[76:79], v[30:33]
	buffer_store_dword v47, v34, s[0:3], 0 offen
	buffer_store_dword v43, v34, s[0:3], 0 offen offset:64
	buffer_store_dword v39, v34, s[0:3], 0 offen offset:128
	buffer_store_dword v35, v34, s[0:3], 0 offen offset:192
	v_mfma_f32_16x16x32_f16 v[26:29], v[72:75], v[84:87], v[26:29]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[0:3], v[96:99], v[92:95], v[2:5]
	s_nop 2
	v_add_u32_e32 v4, 0x48000, v66
	v_mfma_f32_16x16x32_f16 v[22:25], v[72:75], v[88:91], v[22:25]
	buffer_store_dword v48, v4, s[0:3], 0 offen
	buffer_store_dword v44, v4, s[0:3], 0 offen offset:64
	buffer_store_dword v40, v4, s[0:3], 0 offen offset:128
	buffer_store_dword v36, v4, s[0:3], 0 offen offset:192
	v_add_u32_e32 v4, 0x4c000, v66
	buffer_store_dword v49, v4, s[0:3], 0 offen
	buffer_store_dword v45, v4, s[0:3], 0 offen offset:64
	buffer_store_dword v41, v4, s[0:3], 0 offen offset:128
	buffer_store_dword v37, v4, s[0:3], 0 offen offset:192
	v_mfma_f32_16x16x32_f16 v[18:21], v[72:75], v[92:95], v[18:21]
	v_add_u32_e32 v4, 0x80000, v66
	buffer_store_dword v30, v4, s[0:3], 0 offen
	buffer_store_dword v26, v4, s[0:3], 0 offen offset:64
	buffer_store_dword v22, v4, s[0:3], 0 offen offset:128
	s_nop 3
	buffer_store_dword v18, v4, s[0:3], 0 offen offset:192
	v_add_u32_e32 v4, 0x84000, v66
	v_mfma_f32_16x16x32_f16 v[14:17], v[96:99], v[76:79], v[14:17]
	buffer_store_dword v31, v4, s[0:3], 0 offen
	buffer_store_dword v27, v4, s[0:3], 0 offen offset:64
	buffer_store_dword v23, v4, s[0:3], 0 offen offset:128
	buffer_store_dword v19, v4, s[0:3], 0 offen offset:192
	v_add_u32_e32 v4, 0x88000, v66
	buffer_store_dword v32, v4, s[0:3], 0 offen
	buffer_store_dword v28, v4, s[0:3], 0 offen offset:64
	buffer_store_dword v24, v4, s[0:3], 0 offen offset:128
	buffer_store_dword v20, v4, s[0:3], 0 offen offset:192
	v_mfma_f32_16x16x32_f16 v[10:13], v[96:99], v[84:87], v[10:13]
	v_add_u32_e32 v4, 0x8c000, v66
	buffer_store_dword v33, v4, s[0:3], 0 offen
	buffer_store_dword v29, v4, s[0:3], 0 offen offset:64
	buffer_store_dword v25, v4, s[0:3], 0 offen offset:128
	buffer_store_dword v21, v4, s[0:3], 0 offen offset:192
	v_add_u32_e32 v4, 0xc0000, v66
	v_mfma_f32_16x16x32_f16 v[6:9], v[96:99], v[88:91], v[6:9]
	buffer_store_dword v14, v4, s[0:3], 0 offen
	buffer_store_dword v10, v4, s[0:3], 0 offen offset:64
	s_nop 5
	buffer_store_dword v6, v4, s[0:3], 0 offen offset:128
	buffer_store_dword v0, v4, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0xc4000, v66
	buffer_store_dword v15, v0, s[0:3], 0 offen
	buffer_store_dword v11, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v7, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v1, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0xc8000, v66
	buffer_store_dword v16, v0, s[0:3], 0 offen
	buffer_store_dword v12, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v8, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v2, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0xcc000, v66
	buffer_store_dword v17, v0, s[0:3], 0 offen
	buffer_store_dword v13, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v9, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v3, v0, s[0:3], 0 offen offset:192
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
		.amdhsa_next_free_vgpr 118
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 120
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

	.set .Lmm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32.num_vgpr, 118
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
    .vgpr_count:     118
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgpu9.50-amd-amdhsa-unknown-gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

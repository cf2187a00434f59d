; iree-compile 3.13.0, gfx942, examples/iree/matmul_1024.gfx942.mlir: tests/data/make_isa_kernels.py
; To reproduce the .rocmasm from .optimized.ll, run:
; llc -mtriple=amdgpu9.42-amd-amdhsa -mcpu=gfx942 -mattr='-fma-mix-insts' -O3 <.optimized.ll> -o <out.rocmasm>

	.amdgcn_target "amdgpu9.42-amd-amdhsa-unknown-gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32
	.p2align	8
	.type	mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32,@function
mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dwordx4 s[4:7], s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_0
	.p2align	8
.LBB0_0:
	s_mov_b64 s[12:13], s[2:3]
	v_lshlrev_b32_e32 v1, 3, v0
	s_lshl_b32 s2, s8, 3
	v_lshrrev_b32_e32 v34, 4, v0
	v_and_b32_e32 v1, 0x78, v1
	s_and_b32 s9, s2, 0x3c0
	s_lshl_b32 s2, s8, 7
	v_or_b32_e32 v2, s9, v34
	v_lshlrev_b32_e32 v16, 1, v1
	s_and_b32 s8, s2, 0x380
	v_lshl_or_b32 v68, v2, 11, v16
	v_or_b32_e32 v1, s8, v1
	s_and_b32 s13, s13, 0xffff
	s_mov_b32 s15, 0x27000
	s_mov_b32 s14, 0x200000
	v_or_b32_e32 v2, 0x8000, v68
	v_lshlrev_b32_e32 v69, 1, v1
	buffer_load_dwordx4 v[20:23], v68, s[12:15], 0 offen
	buffer_load_dwordx4 v[24:27], v2, s[12:15], 0 offen
	v_or_b32_e32 v2, 0x10000, v68
	v_lshl_or_b32 v1, v34, 11, v69
	s_mov_b64 s[0:1], s[6:7]
	s_and_b32 s5, s5, 0xffff
	s_mov_b32 s6, s14
	s_mov_b32 s7, s15
	v_or_b32_e32 v3, 0x18000, v68
	buffer_load_dwordx4 v[28:31], v2, s[12:15], 0 offen
	buffer_load_dwordx4 v[36:39], v3, s[12:15], 0 offen
	v_or_b32_e32 v2, 0x8000, v1
	buffer_load_dwordx4 v[40:43], v1, s[4:7], 0 offen
	buffer_load_dwordx4 v[44:47], v2, s[4:7], 0 offen
	v_or_b32_e32 v2, 0x10000, v1
	v_or_b32_e32 v3, 0x18000, v1
	buffer_load_dwordx4 v[48:51], v2, s[4:7], 0 offen
	buffer_load_dwordx4 v[52:55], v3, s[4:7], 0 offen
	v_or_b32_e32 v2, 0x20000, v1
	v_or_b32_e32 v3, 0x28000, v1
	buffer_load_dwordx4 v[56:59], v2, s[4:7], 0 offen
	buffer_load_dwordx4 v[72:75], v3, s[4:7], 0 offen
	v_or_b32_e32 v2, 0x30000, v1
	v_or_b32_e32 v1, 0x38000, v1
	buffer_load_dwordx4 v[76:79], v2, s[4:7], 0 offen
	buffer_load_dwordx4 v[80:83], v1, s[4:7], 0 offen
	v_lshrrev_b32_e32 v17, 2, v0
	v_and_b32_e32 v1, 15, v0
	v_and_b32_e32 v63, 32, v17
	v_and_b32_e32 v18, 0x4f, v0
	v_or_b32_e32 v19, v63, v1
	v_and_b32_e32 v62, 12, v17
	v_lshlrev_b32_e32 v18, 1, v18
	v_lshl_or_b32 v70, v34, 8, v16
	v_lshlrev_b32_e32 v16, 8, v19
	v_lshl_or_b32 v17, v17, 8, v18
	v_lshl_or_b32 v67, v62, 1, v16
	s_mov_b32 s2, 0
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
	v_lshl_or_b32 v64, v62, 8, v18
	v_or_b32_e32 v66, 0x3300, v17
	v_or_b32_e32 v65, 0x7300, v17
	v_or_b32_e32 v71, 0x4000, v70
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v32, 0
	v_mov_b32_e32 v33, 0
	s_mov_b32 s3, 0x5040100
	s_waitcnt vmcnt(11)
	ds_write_b128 v70, v[20:23] offset:32768
	s_waitcnt vmcnt(10)
	ds_write_b128 v70, v[24:27] offset:36864
	s_waitcnt vmcnt(9)
	ds_write_b128 v70, v[28:31] offset:40960
	s_waitcnt vmcnt(8)
	ds_write_b128 v70, v[36:39] offset:45056
	s_waitcnt vmcnt(7)
	ds_write_b128 v70, v[40:43]
	s_waitcnt vmcnt(6)
	ds_write_b128 v70, v[44:47] offset:4096
	s_waitcnt vmcnt(5)
	ds_write_b128 v70, v[48:51] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v70, v[52:55] offset:12288
	s_waitcnt vmcnt(3)
	ds_write_b128 v70, v[56:59] offset:16384
	s_waitcnt vmcnt(2)
	ds_write_b128 v70, v[72:75] offset:20480
	s_waitcnt vmcnt(1)
	ds_write_b128 v70, v[76:79] offset:24576
	s_waitcnt vmcnt(0)
	ds_write_b128 v70, v[80:83] offset:28672
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
	v_lshlrev_b32_e32 v72, 11, v34
	v_add_u32_e32 v73, 0x8000, v67
	v_add_u32_e32 v74, 0x9000, v67
.LBB0_1:
	s_add_i32 s10, s2, 8
	v_lshl_add_u32 v34, s10, 5, v68
	s_lshl_b32 s11, s10, 15
	v_add_u32_e32 v35, 0x8000, v34
	v_add_u32_e32 v36, 0x10000, v34
	v_add_u32_e32 v37, 0x18000, v34
	v_or3_b32 v38, s11, v72, v69
	buffer_load_dwordx4 v[76:79], v34, s[12:15], 0 offen
	buffer_load_dwordx4 v[80:83], v35, s[12:15], 0 offen
	buffer_load_dwordx4 v[84:87], v36, s[12:15], 0 offen
	buffer_load_dwordx4 v[88:91], v37, s[12:15], 0 offen
	v_add_u32_e32 v34, 0x8000, v38
	v_add_u32_e32 v35, 0x10000, v38
	v_add_u32_e32 v36, 0x18000, v38
	v_add_u32_e32 v37, 0x20000, v38
	v_add_u32_e32 v39, 0x28000, v38
	v_add_u32_e32 v40, 0x30000, v38
	v_add_u32_e32 v41, 0x38000, v38
	buffer_load_dwordx4 v[92:95], v38, s[4:7], 0 offen
	buffer_load_dwordx4 v[96:99], v34, s[4:7], 0 offen
	buffer_load_dwordx4 v[100:103], v35, s[4:7], 0 offen
	buffer_load_dwordx4 v[104:107], v36, s[4:7], 0 offen
	buffer_load_dwordx4 v[108:111], v37, s[4:7], 0 offen
	buffer_load_dwordx4 v[112:115], v39, s[4:7], 0 offen
	buffer_load_dwordx4 v[116:119], v40, s[4:7], 0 offen
	buffer_load_dwordx4 v[120:123], v41, s[4:7], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[58:61], v73 offset1:4
	ds_read2_b64 v[50:53], v73 offset0:8 offset1:12
	ds_read2_b64 v[42:45], v73 offset0:16 offset1:20
	ds_read2_b64 v[34:37], v73 offset0:24 offset1:28
	ds_read2_b64 v[54:57], v74 offset1:4
	ds_read2_b64 v[46:49], v74 offset0:8 offset1:12
	ds_read2_b64 v[38:41], v74 offset0:16 offset1:20
	ds_read_u16 v75, v64
	ds_read_u16 v126, v64 offset:32
	ds_read_u16 v128, v64 offset:64
	ds_read_u16 v130, v64 offset:96
	ds_read_u16 v124, v64 offset:256
	ds_read_u16 v129, v64 offset:288
	ds_read_u16 v131, v64 offset:320
	ds_read_u16 v132, v64 offset:352
	ds_read_u16 v125, v64 offset:512
	ds_read_u16 v127, v64 offset:544
	ds_read_u16 v133, v64 offset:576
	ds_read_u16 v134, v64 offset:608
	ds_read_u16 v135, v64 offset:768
	ds_read_u16 v136, v64 offset:800
	ds_read_u16 v137, v64 offset:832
	ds_read_u16 v138, v64 offset:864
	ds_read_u16 v139, v64 offset:4096
	ds_read_u16 v140, v64 offset:4128
	ds_read_u16 v141, v64 offset:4160
	ds_read_u16 v142, v64 offset:4192
	ds_read_u16 v143, v64 offset:4352
	ds_read_u16 v144, v64 offset:4384
	ds_read_u16 v145, v64 offset:4416
	ds_read_u16 v146, v64 offset:4448
	s_waitcnt lgkmcnt(11)
	v_perm_b32 v125, v135, v125, s3
	v_perm_b32 v124, v124, v75, s3
	s_waitcnt lgkmcnt(10)
	v_perm_b32 v127, v136, v127, s3
	v_perm_b32 v126, v129, v126, s3
	s_waitcnt lgkmcnt(9)
	v_perm_b32 v129, v137, v133, s3
	v_perm_b32 v128, v131, v128, s3
	s_waitcnt lgkmcnt(8)
	v_perm_b32 v131, v138, v134, s3
	v_perm_b32 v130, v132, v130, s3
	v_mfma_f32_16x16x16_f16 v[30:33], v[58:59], v[124:125], v[30:33]
	ds_read_u16 v75, v64 offset:4608
	ds_read_u16 v135, v64 offset:4640
	ds_read_u16 v133, v64 offset:4672
	v_mfma_f32_16x16x16_f16 v[26:29], v[58:59], v[126:127], v[26:29]
	ds_read_u16 v137, v64 offset:8224
	ds_read_u16 v138, v64 offset:8256
	ds_read_u16 v147, v64 offset:8288
	v_mfma_f32_16x16x16_f16 v[22:25], v[58:59], v[128:129], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[58:59], v[130:131], v[18:21]
	ds_read_u16 v132, v64 offset:4704
	ds_read_u16 v58, v64 offset:4864
	ds_read_u16 v59, v64 offset:4896
	v_mfma_f32_16x16x16_f16 v[14:17], v[54:55], v[124:125], v[14:17]
	ds_read_u16 v124, v64 offset:4928
	ds_read_u16 v134, v64 offset:4960
	ds_read_u16 v136, v64 offset:8192
	v_mfma_f32_16x16x16_f16 v[2:5], v[54:55], v[130:131], v[2:5]
	ds_read_u16 v130, v64 offset:8544
	ds_read_u16 v131, v64 offset:8736
	v_mfma_f32_16x16x16_f16 v[10:13], v[54:55], v[126:127], v[10:13]
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v127, v134, v132, s3
	v_perm_b32 v126, v146, v142, s3
	v_mfma_f32_16x16x16_f16 v[6:9], v[54:55], v[128:129], v[6:9]
	v_perm_b32 v54, v143, v139, s3
	ds_read_u16 v128, v64 offset:8448
	ds_read_u16 v129, v64 offset:8480
	ds_read_u16 v148, v64 offset:8512
	v_mfma_f32_16x16x16_f16 v[18:21], v[60:61], v[126:127], v[18:21]
	v_mfma_f32_16x16x16_f16 v[2:5], v[56:57], v[126:127], v[2:5]
	ds_read_u16 v126, v64 offset:12640
	v_perm_b32 v55, v58, v75, s3
	v_perm_b32 v59, v59, v135, s3
	v_perm_b32 v58, v144, v140, s3
	v_perm_b32 v125, v124, v133, s3
	v_perm_b32 v124, v145, v141, s3
	v_mfma_f32_16x16x16_f16 v[30:33], v[60:61], v[54:55], v[30:33]
	ds_read_u16 v75, v64 offset:8704
	ds_read_u16 v133, v64 offset:8768
	ds_read_u16 v127, v64 offset:12832
	v_mfma_f32_16x16x16_f16 v[26:29], v[60:61], v[58:59], v[26:29]
	ds_read_u16 v134, v64 offset:9024
	ds_read_u16 v135, v64 offset:9056
	ds_read_u16 v139, v64 offset:12288
	ds_read_u16 v140, v64 offset:12320
	ds_read_u16 v141, v64 offset:12352
	ds_read_u16 v142, v64 offset:12384
	v_mfma_f32_16x16x16_f16 v[22:25], v[60:61], v[124:125], v[22:25]
	ds_read_u16 v60, v64 offset:8800
	ds_read_u16 v61, v64 offset:8960
	ds_read_u16 v132, v64 offset:8992
	v_mfma_f32_16x16x16_f16 v[14:17], v[56:57], v[54:55], v[14:17]
	s_waitcnt lgkmcnt(14)
	v_perm_b32 v54, v128, v136, s3
	ds_read_u16 v128, v66
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v55, v61, v75, s3
	v_mfma_f32_16x16x16_f16 v[10:13], v[56:57], v[58:59], v[10:13]
	v_perm_b32 v59, v134, v133, s3
	v_perm_b32 v58, v148, v138, s3
	v_perm_b32 v61, v135, v60, s3
	v_mfma_f32_16x16x16_f16 v[6:9], v[56:57], v[124:125], v[6:9]
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v57, v132, v131, s3
	v_perm_b32 v56, v129, v137, s3
	v_perm_b32 v60, v130, v147, s3
	v_mfma_f32_16x16x16_f16 v[30:33], v[50:51], v[54:55], v[30:33]
	ds_read_u16 v75, v64 offset:12800
	ds_read_u16 v124, v64 offset:12544
	ds_read_u16 v125, v64 offset:12576
	ds_read_u16 v143, v64 offset:12608
	ds_read_u16 v133, v64 offset:16416
	ds_read_u16 v134, v64 offset:16448
	ds_read_u16 v135, v64 offset:16480
	v_mfma_f32_16x16x16_f16 v[26:29], v[50:51], v[56:57], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[50:51], v[58:59], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[50:51], v[60:61], v[18:21]
	ds_read_u16 v50, v66 offset:32
	ds_read_u16 v129, v66 offset:64
	ds_read_u16 v130, v66 offset:96
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v51, v50, v127, s3
	v_mfma_f32_16x16x16_f16 v[14:17], v[46:47], v[54:55], v[14:17]
	ds_read_u16 v54, v64 offset:12864
	ds_read_u16 v131, v64 offset:12896
	ds_read_u16 v132, v64 offset:16384
	v_perm_b32 v50, v125, v140, s3
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v55, v129, v54, s3
	v_mfma_f32_16x16x16_f16 v[2:5], v[46:47], v[60:61], v[2:5]
	ds_read_u16 v60, v65 offset:96
	ds_read_u16 v61, v64 offset:16640
	v_perm_b32 v54, v143, v141, s3
	v_mfma_f32_16x16x16_f16 v[10:13], v[46:47], v[56:57], v[10:13]
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v57, v130, v131, s3
	v_perm_b32 v56, v126, v142, s3
	v_mfma_f32_16x16x16_f16 v[6:9], v[46:47], v[58:59], v[6:9]
	v_perm_b32 v46, v124, v139, s3
	ds_read_u16 v124, v64 offset:16704
	ds_read_u16 v58, v65
	ds_read_u16 v59, v65 offset:32
	ds_read_u16 v136, v65 offset:64
	v_mfma_f32_16x16x16_f16 v[18:21], v[52:53], v[56:57], v[18:21]
	v_mfma_f32_16x16x16_f16 v[2:5], v[48:49], v[56:57], v[2:5]
	ds_read_u16 v57, v64 offset:20736
	v_perm_b32 v47, v128, v75, s3
	ds_read_u16 v75, v64 offset:16672
	ds_read_u16 v56, v64 offset:20576
	v_mfma_f32_16x16x16_f16 v[30:33], v[52:53], v[46:47], v[30:33]
	v_mfma_f32_16x16x16_f16 v[26:29], v[52:53], v[50:51], v[26:29]
	v_mfma_f32_16x16x16_f16 v[14:17], v[48:49], v[46:47], v[14:17]
	ds_read_u16 v126, v64 offset:16960
	ds_read_u16 v127, v64 offset:16992
	ds_read_u16 v46, v64 offset:17152
	v_mfma_f32_16x16x16_f16 v[10:13], v[48:49], v[50:51], v[10:13]
	ds_read_u16 v50, v64 offset:17184
	ds_read_u16 v51, v64 offset:17216
	ds_read_u16 v128, v64 offset:17248
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v51, v51, v126, s3
	v_mfma_f32_16x16x16_f16 v[22:25], v[52:53], v[54:55], v[22:25]
	ds_read_u16 v52, v64 offset:16736
	ds_read_u16 v53, v64 offset:16896
	ds_read_u16 v125, v64 offset:16928
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v52, v52, v135, s3
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v47, v46, v53, s3
	v_perm_b32 v53, v128, v127, s3
	v_mfma_f32_16x16x16_f16 v[6:9], v[48:49], v[54:55], v[6:9]
	v_perm_b32 v46, v61, v132, s3
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v49, v50, v125, s3
	ds_read_u16 v61, v64 offset:20768
	v_perm_b32 v50, v124, v134, s3
	v_mfma_f32_16x16x16_f16 v[18:21], v[42:43], v[52:53], v[18:21]
	ds_read_u16 v54, v64 offset:20480
	ds_read_u16 v55, v64 offset:20512
	ds_read_u16 v129, v64 offset:20544
	v_mfma_f32_16x16x16_f16 v[2:5], v[38:39], v[52:53], v[2:5]
	ds_read_u16 v52, v64 offset:24672
	v_perm_b32 v48, v75, v133, s3
	ds_read_u16 v75, v64 offset:20800
	ds_read_u16 v53, v64 offset:24832
	v_mfma_f32_16x16x16_f16 v[30:33], v[42:43], v[46:47], v[30:33]
	v_mfma_f32_16x16x16_f16 v[26:29], v[42:43], v[48:49], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[42:43], v[50:51], v[22:25]
	ds_read_u16 v124, v64 offset:20832
	ds_read_u16 v42, v64 offset:20992
	ds_read_u16 v43, v64 offset:21024
	v_mfma_f32_16x16x16_f16 v[14:17], v[38:39], v[46:47], v[14:17]
	ds_read_u16 v46, v64 offset:21056
	ds_read_u16 v125, v64 offset:21088
	ds_read_u16 v47, v64 offset:21248
	v_mfma_f32_16x16x16_f16 v[10:13], v[38:39], v[48:49], v[10:13]
	ds_read_u16 v48, v64 offset:21280
	ds_read_u16 v49, v64 offset:21312
	ds_read_u16 v126, v64 offset:21344
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v43, v48, v43, s3
	v_mfma_f32_16x16x16_f16 v[6:9], v[38:39], v[50:51], v[6:9]
	v_perm_b32 v39, v47, v42, s3
	v_perm_b32 v38, v57, v54, s3
	v_perm_b32 v42, v61, v55, s3
	ds_read_u16 v54, v64 offset:24864
	ds_read_u16 v55, v64 offset:24896
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v47, v49, v46, s3
	v_perm_b32 v46, v75, v129, s3
	v_perm_b32 v48, v124, v56, s3
	ds_read_u16 v61, v64 offset:25376
	ds_read_u16 v75, v64 offset:25408
	ds_read_u16 v124, v64 offset:25440
	v_mfma_f32_16x16x16_f16 v[30:33], v[44:45], v[38:39], v[30:33]
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v49, v126, v125, s3
	ds_read_u16 v50, v64 offset:24576
	ds_read_u16 v51, v64 offset:24608
	ds_read_u16 v127, v64 offset:24640
	ds_read_u16 v125, v64 offset:28672
	ds_read_u16 v126, v64 offset:28704
	ds_read_u16 v128, v64 offset:28736
	v_mfma_f32_16x16x16_f16 v[14:17], v[40:41], v[38:39], v[14:17]
	ds_read_u16 v38, v64 offset:25152
	ds_read_u16 v39, v64 offset:25184
	ds_read_u16 v57, v64 offset:25344
	ds_read_u16 v129, v64 offset:28768
	v_mfma_f32_16x16x16_f16 v[22:25], v[44:45], v[46:47], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[44:45], v[48:49], v[18:21]
	v_mfma_f32_16x16x16_f16 v[10:13], v[40:41], v[42:43], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[40:41], v[46:47], v[6:9]
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v47, v75, v38, s3
	v_perm_b32 v46, v55, v127, s3
	v_mfma_f32_16x16x16_f16 v[2:5], v[40:41], v[48:49], v[2:5]
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v49, v124, v39, s3
	ds_read2_b64 v[38:41], v74 offset0:24 offset1:28
	v_mfma_f32_16x16x16_f16 v[26:29], v[44:45], v[42:43], v[26:29]
	ds_read_u16 v56, v64 offset:24928
	ds_read_u16 v44, v64 offset:25088
	ds_read_u16 v45, v64 offset:25120
	v_perm_b32 v42, v53, v50, s3
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v48, v56, v52, s3
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v43, v57, v44, s3
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v45, v61, v45, s3
	v_perm_b32 v44, v54, v51, s3
	v_mfma_f32_16x16x16_f16 v[30:33], v[34:35], v[42:43], v[30:33]
	s_nop 0
	v_mfma_f32_16x16x16_f16 v[26:29], v[34:35], v[44:45], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[34:35], v[46:47], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[34:35], v[48:49], v[18:21]
	ds_read_u16 v34, v64 offset:28928
	v_mfma_f32_16x16x16_f16 v[14:17], v[38:39], v[42:43], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[38:39], v[44:45], v[10:13]
	ds_read_u16 v42, v64 offset:28960
	ds_read_u16 v44, v64 offset:28992
	ds_read_u16 v50, v64 offset:29024
	ds_read_u16 v35, v64 offset:29184
	ds_read_u16 v43, v64 offset:29216
	ds_read_u16 v45, v64 offset:29248
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v35, v58, v35, s3
	v_mfma_f32_16x16x16_f16 v[6:9], v[38:39], v[46:47], v[6:9]
	ds_read_u16 v46, v64 offset:29280
	v_perm_b32 v34, v34, v125, s3
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[2:5], v[38:39], v[48:49], v[2:5]
	v_perm_b32 v39, v59, v43, s3
	v_perm_b32 v38, v42, v126, s3
	v_perm_b32 v43, v136, v45, s3
	v_perm_b32 v42, v44, v128, s3
	v_perm_b32 v45, v60, v46, s3
	v_perm_b32 v44, v50, v129, s3
	v_mfma_f32_16x16x16_f16 v[30:33], v[36:37], v[34:35], v[30:33]
	s_barrier
	v_mfma_f32_16x16x16_f16 v[26:29], v[36:37], v[38:39], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[36:37], v[42:43], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[36:37], v[44:45], v[18:21]
	v_mfma_f32_16x16x16_f16 v[14:17], v[40:41], v[34:35], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[40:41], v[38:39], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[40:41], v[42:43], v[6:9]
	v_mfma_f32_16x16x16_f16 v[2:5], v[40:41], v[44:45], v[2:5]
	s_cmp_lt_u32 s2, 48
	s_mov_b32 s2, s10
	s_waitcnt vmcnt(11)
	ds_write_b128 v70, v[76:79] offset:32768
	s_waitcnt vmcnt(10)
	ds_write_b128 v70, v[80:83] offset:36864
	s_waitcnt vmcnt(9)
	ds_write_b128 v70, v[84:87] offset:40960
	s_waitcnt vmcnt(8)
	ds_write_b128 v70, v[88:91] offset:45056
	s_waitcnt vmcnt(7)
	ds_write_b128 v70, v[92:95]
	s_waitcnt vmcnt(6)
	ds_write_b128 v70, v[96:99] offset:4096
	s_waitcnt vmcnt(5)
	ds_write_b128 v70, v[100:103] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v70, v[104:107] offset:12288
	s_waitcnt vmcnt(3)
	ds_write_b128 v71, v[108:111]
	s_waitcnt vmcnt(2)
	ds_write_b128 v71, v[112:115] offset:4096
	s_waitcnt vmcnt(1)
	ds_write_b128 v71, v[116:119] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v71, v[120:123] offset:12288
	s_cbranch_scc1 .LBB0_1
	v_add_u32_e32 v38, 0x8000, v67
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b64 v[34:37], v38 offset1:4
	ds_read_u16 v39, v64
	ds_read_u16 v40, v64 offset:32
	ds_read_u16 v41, v64 offset:64
	ds_read_u16 v42, v64 offset:96
	ds_read_u16 v43, v64 offset:256
	ds_read_u16 v46, v64 offset:288
	ds_read_u16 v48, v64 offset:320
	ds_read_u16 v50, v64 offset:352
	ds_read_u16 v44, v64 offset:512
	ds_read_u16 v47, v64 offset:544
	ds_read_u16 v49, v64 offset:576
	ds_read_u16 v51, v64 offset:608
	ds_read_u16 v45, v64 offset:768
	ds_read_u16 v52, v64 offset:800
	ds_read_u16 v53, v64 offset:832
	ds_read_u16 v54, v64 offset:864
	s_mov_b32 s2, 0x5040100
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v45, v45, v44, s2
	v_perm_b32 v44, v43, v39, s2
	v_add_u32_e32 v39, 0x9000, v67
	v_perm_b32 v46, v46, v40, s2
	v_perm_b32 v48, v48, v41, s2
	v_perm_b32 v50, v50, v42, s2
	ds_read2_b64 v[40:43], v39 offset1:4
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v47, v52, v47, s2
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v49, v53, v49, s2
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v51, v54, v51, s2
	v_mfma_f32_16x16x16_f16 v[30:33], v[34:35], v[44:45], v[30:33]
	v_and_b32_e32 v0, 64, v0
	v_or3_b32 v0, s8, v0, v1
	v_lshlrev_b32_e32 v0, 2, v0
	v_mfma_f32_16x16x16_f16 v[26:29], v[34:35], v[46:47], v[26:29]
	s_and_b32 s1, s1, 0xffff
	s_mov_b32 s3, 0x27000
	v_mfma_f32_16x16x16_f16 v[22:25], v[34:35], v[48:49], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[34:35], v[50:51], v[18:21]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[14:17], v[40:41], v[44:45], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[40:41], v[46:47], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[40:41], v[48:49], v[6:9]
	ds_read_u16 v34, v64 offset:4096
	ds_read_u16 v44, v64 offset:4128
	ds_read_u16 v46, v64 offset:4160
	ds_read_u16 v48, v64 offset:4192
	ds_read_u16 v45, v64 offset:4352
	ds_read_u16 v47, v64 offset:4384
	ds_read_u16 v49, v64 offset:4416
	ds_read_u16 v52, v64 offset:4448
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v34, v45, v34, s2
	v_mfma_f32_16x16x16_f16 v[2:5], v[40:41], v[50:51], v[2:5]
	ds_read_u16 v35, v64 offset:4608
	ds_read_u16 v40, v64 offset:4640
	ds_read_u16 v50, v64 offset:4672
	ds_read_u16 v41, v64 offset:4864
	ds_read_u16 v51, v64 offset:4704
	ds_read_u16 v53, v64 offset:4896
	ds_read_u16 v54, v64 offset:4928
	ds_read_u16 v55, v64 offset:4960
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v35, v41, v35, s2
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v41, v53, v40, s2
	v_perm_b32 v40, v47, v44, s2
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v45, v54, v50, s2
	v_perm_b32 v44, v49, v46, s2
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v47, v55, v51, s2
	v_perm_b32 v46, v52, v48, s2
	v_mfma_f32_16x16x16_f16 v[26:29], v[36:37], v[40:41], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[36:37], v[44:45], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[36:37], v[46:47], v[18:21]
	v_mfma_f32_16x16x16_f16 v[14:17], v[42:43], v[34:35], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[42:43], v[40:41], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[42:43], v[44:45], v[6:9]
	ds_read_u16 v40, v64 offset:8192
	ds_read_u16 v41, v64 offset:8224
	ds_read_u16 v48, v64 offset:8256
	ds_read_u16 v50, v64 offset:8288
	ds_read_u16 v44, v64 offset:8448
	ds_read_u16 v49, v64 offset:8480
	ds_read_u16 v51, v64 offset:8512
	ds_read_u16 v52, v64 offset:8544
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v44, v44, v40, s2
	v_mfma_f32_16x16x16_f16 v[2:5], v[42:43], v[46:47], v[2:5]
	ds_read_u16 v42, v64 offset:8704
	ds_read_u16 v43, v64 offset:8736
	ds_read_u16 v53, v64 offset:8768
	ds_read_u16 v45, v64 offset:8960
	ds_read_u16 v54, v64 offset:8800
	ds_read_u16 v46, v64 offset:8992
	ds_read_u16 v55, v64 offset:9024
	ds_read_u16 v56, v64 offset:9056
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v45, v45, v42, s2
	v_perm_b32 v48, v51, v48, s2
	v_mfma_f32_16x16x16_f16 v[30:33], v[36:37], v[34:35], v[30:33]
	ds_read2_b64 v[34:37], v38 offset0:8 offset1:12
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v47, v46, v43, s2
	v_perm_b32 v46, v49, v41, s2
	ds_read2_b64 v[40:43], v39 offset0:8 offset1:12
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v49, v55, v53, s2
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v51, v56, v54, s2
	v_perm_b32 v50, v52, v50, s2
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[30:33], v[34:35], v[44:45], v[30:33]
	v_mfma_f32_16x16x16_f16 v[26:29], v[34:35], v[46:47], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[34:35], v[48:49], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[34:35], v[50:51], v[18:21]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[14:17], v[40:41], v[44:45], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[40:41], v[46:47], v[10:13]
	ds_read_u16 v34, v64 offset:12288
	ds_read_u16 v44, v64 offset:12320
	ds_read_u16 v46, v64 offset:12352
	ds_read_u16 v52, v64 offset:12384
	ds_read_u16 v45, v64 offset:12544
	ds_read_u16 v47, v64 offset:12576
	ds_read_u16 v53, v64 offset:12608
	ds_read_u16 v54, v64 offset:12640
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v34, v45, v34, s2
	v_mfma_f32_16x16x16_f16 v[6:9], v[40:41], v[48:49], v[6:9]
	ds_read_u16 v35, v64 offset:12800
	ds_read_u16 v48, v64 offset:12832
	ds_read_u16 v49, v64 offset:12864
	ds_read_u16 v55, v64 offset:12896
	ds_read_u16 v56, v64 offset:16384
	ds_read_u16 v57, v64 offset:16416
	ds_read_u16 v58, v64 offset:16448
	ds_read_u16 v59, v64 offset:16480
	v_mfma_f32_16x16x16_f16 v[2:5], v[40:41], v[50:51], v[2:5]
	ds_read_u16 v40, v66
	ds_read_u16 v41, v66 offset:32
	ds_read_u16 v50, v66 offset:64
	ds_read_u16 v51, v66 offset:96
	ds_read_u16 v60, v65
	ds_read_u16 v61, v65 offset:32
	ds_read_u16 v66, v65 offset:64
	ds_read_u16 v65, v65 offset:96
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v35, v40, v35, s2
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v41, v41, v48, s2
	v_perm_b32 v40, v47, v44, s2
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v45, v50, v49, s2
	v_perm_b32 v44, v53, v46, s2
	v_mfma_f32_16x16x16_f16 v[26:29], v[36:37], v[40:41], v[26:29]
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v47, v51, v55, s2
	v_perm_b32 v46, v54, v52, s2
	v_mfma_f32_16x16x16_f16 v[22:25], v[36:37], v[44:45], v[22:25]
	v_mfma_f32_16x16x16_f16 v[10:13], v[42:43], v[40:41], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[42:43], v[44:45], v[6:9]
	ds_read_u16 v40, v64 offset:16640
	ds_read_u16 v41, v64 offset:16672
	ds_read_u16 v48, v64 offset:16704
	ds_read_u16 v50, v64 offset:16736
	ds_read_u16 v44, v64 offset:16896
	ds_read_u16 v49, v64 offset:16928
	ds_read_u16 v51, v64 offset:16960
	ds_read_u16 v52, v64 offset:16992
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v48, v48, v58, s2
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v50, v50, v59, s2
	v_mfma_f32_16x16x16_f16 v[14:17], v[42:43], v[34:35], v[14:17]
	v_mfma_f32_16x16x16_f16 v[2:5], v[42:43], v[46:47], v[2:5]
	ds_read_u16 v42, v64 offset:17152
	ds_read_u16 v43, v64 offset:17184
	ds_read_u16 v53, v64 offset:17216
	ds_read_u16 v54, v64 offset:17248
	ds_read_u16 v55, v64 offset:20480
	ds_read_u16 v67, v64 offset:20512
	ds_read_u16 v68, v64 offset:20544
	ds_read_u16 v69, v64 offset:20576
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v45, v42, v44, s2
	v_perm_b32 v44, v40, v56, s2
	v_mfma_f32_16x16x16_f16 v[30:33], v[36:37], v[34:35], v[30:33]
	v_mfma_f32_16x16x16_f16 v[18:21], v[36:37], v[46:47], v[18:21]
	ds_read2_b64 v[34:37], v38 offset0:16 offset1:20
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v47, v43, v49, s2
	v_perm_b32 v46, v41, v57, s2
	ds_read2_b64 v[40:43], v39 offset0:16 offset1:20
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v49, v53, v51, s2
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v51, v54, v52, s2
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[30:33], v[34:35], v[44:45], v[30:33]
	v_mfma_f32_16x16x16_f16 v[26:29], v[34:35], v[46:47], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[34:35], v[48:49], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[34:35], v[50:51], v[18:21]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[14:17], v[40:41], v[44:45], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[40:41], v[46:47], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[40:41], v[48:49], v[6:9]
	ds_read_u16 v34, v64 offset:20736
	ds_read_u16 v44, v64 offset:20768
	ds_read_u16 v46, v64 offset:20800
	ds_read_u16 v48, v64 offset:20832
	ds_read_u16 v35, v64 offset:20992
	ds_read_u16 v45, v64 offset:21024
	ds_read_u16 v47, v64 offset:21056
	ds_read_u16 v49, v64 offset:21088
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v34, v34, v55, s2
	v_mfma_f32_16x16x16_f16 v[2:5], v[40:41], v[50:51], v[2:5]
	ds_read_u16 v40, v64 offset:21248
	ds_read_u16 v41, v64 offset:21280
	ds_read_u16 v50, v64 offset:21312
	ds_read_u16 v51, v64 offset:21344
	ds_read_u16 v52, v64 offset:24576
	ds_read_u16 v53, v64 offset:24608
	ds_read_u16 v54, v64 offset:24640
	ds_read_u16 v56, v64 offset:24672
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v35, v40, v35, s2
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v41, v41, v45, s2
	v_perm_b32 v40, v44, v67, s2
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v45, v50, v47, s2
	v_perm_b32 v44, v46, v68, s2
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v47, v51, v49, s2
	v_perm_b32 v46, v48, v69, s2
	v_mfma_f32_16x16x16_f16 v[30:33], v[36:37], v[34:35], v[30:33]
	v_mfma_f32_16x16x16_f16 v[26:29], v[36:37], v[40:41], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[36:37], v[44:45], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[36:37], v[46:47], v[18:21]
	v_mfma_f32_16x16x16_f16 v[14:17], v[42:43], v[34:35], v[14:17]
	ds_read2_b64 v[34:37], v38 offset0:24 offset1:28
	v_mfma_f32_16x16x16_f16 v[10:13], v[42:43], v[40:41], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[42:43], v[44:45], v[6:9]
	ds_read_u16 v38, v64 offset:24832
	ds_read_u16 v40, v64 offset:24864
	ds_read_u16 v41, v64 offset:24896
	ds_read_u16 v48, v64 offset:24928
	ds_read_u16 v44, v64 offset:25088
	ds_read_u16 v45, v64 offset:25120
	ds_read_u16 v49, v64 offset:25152
	ds_read_u16 v50, v64 offset:25184
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v48, v48, v56, s2
	v_mfma_f32_16x16x16_f16 v[2:5], v[42:43], v[46:47], v[2:5]
	ds_read_u16 v42, v64 offset:25344
	ds_read_u16 v46, v64 offset:25376
	ds_read_u16 v47, v64 offset:25408
	ds_read_u16 v51, v64 offset:25440
	ds_read_u16 v55, v64 offset:28672
	ds_read_u16 v57, v64 offset:28704
	ds_read_u16 v58, v64 offset:28736
	ds_read_u16 v59, v64 offset:28768
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v43, v42, v44, s2
	v_perm_b32 v42, v38, v52, s2
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v45, v46, v45, s2
	v_perm_b32 v44, v40, v53, s2
	v_perm_b32 v46, v41, v54, s2
	ds_read2_b64 v[38:41], v39 offset0:24 offset1:28
	v_mfma_f32_16x16x16_f16 v[30:33], v[34:35], v[42:43], v[30:33]
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v47, v47, v49, s2
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v49, v51, v50, s2
	v_mfma_f32_16x16x16_f16 v[26:29], v[34:35], v[44:45], v[26:29]
	v_mfma_f32_16x16x16_f16 v[22:25], v[34:35], v[46:47], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[34:35], v[48:49], v[18:21]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 v[14:17], v[38:39], v[42:43], v[14:17]
	v_mfma_f32_16x16x16_f16 v[10:13], v[38:39], v[44:45], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[38:39], v[46:47], v[6:9]
	v_mfma_f32_16x16x16_f16 v[2:5], v[38:39], v[48:49], v[2:5]
	ds_read_u16 v34, v64 offset:28928
	ds_read_u16 v38, v64 offset:28960
	ds_read_u16 v42, v64 offset:28992
	ds_read_u16 v35, v64 offset:29184
	ds_read_u16 v44, v64 offset:29024
	ds_read_u16 v39, v64 offset:29216
	ds_read_u16 v43, v64 offset:29248
	ds_read_u16 v45, v64 offset:29280
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v35, v60, v35, s2
	v_perm_b32 v34, v34, v55, s2
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v39, v61, v39, s2
	v_perm_b32 v38, v38, v57, s2
	v_mfma_f32_16x16x16_f16 v[30:33], v[36:37], v[34:35], v[30:33]
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v43, v66, v43, s2
	v_perm_b32 v42, v42, v58, s2
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v45, v65, v45, s2
	v_mfma_f32_16x16x16_f16 v[26:29], v[36:37], v[38:39], v[26:29]
	v_perm_b32 v44, v44, v59, s2
	s_mov_b32 s2, 0x400000
	v_mfma_f32_16x16x16_f16 v[14:17], v[40:41], v[34:35], v[14:17]
	v_or3_b32 v34, v63, s9, v62
	v_lshl_or_b32 v0, v34, 12, v0
	v_add_u32_e32 v1, 0x1000, v0
	v_mfma_f32_16x16x16_f16 v[22:25], v[36:37], v[42:43], v[22:25]
	v_mfma_f32_16x16x16_f16 v[18:21], v[36:37], v[44:45], v[18:21]
	buffer_store_dword v30, v0, s[0:3], 0 offen
	buffer_store_dword v26, v0, s[0:3], 0 offen offset:64
	s_nop 3
	buffer_store_dword v22, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v18, v0, s[0:3], 0 offen offset:192
	buffer_store_dword v31, v1, s[0:3], 0 offen
	buffer_store_dword v27, v1, s[0:3], 0 offen offset:64
	buffer_store_dword v23, v1, s[0:3], 0 offen offset:128
	buffer_store_dword v19, v1, s[0:3], 0 offen offset:192
	v_add_u32_e32 v1, 0x2000, v0
	v_mfma_f32_16x16x16_f16 v[10:13], v[40:41], v[38:39], v[10:13]
	buffer_store_dword v32, v1, s[0:3], 0 offen
	buffer_store_dword v28, v1, s[0:3], 0 offen offset:64
	buffer_store_dword v24, v1, s[0:3], 0 offen offset:128
	buffer_store_dword v20, v1, s[0:3], 0 offen offset:192
	v_add_u32_e32 v1, 0x3000, v0
	buffer_store_dword v33, v1, s[0:3], 0 offen
	buffer_store_dword v29, v1, s[0:3], 0 offen offset:64
	buffer_store_dword v25, v1, s[0:3], 0 offen offset:128
	buffer_store_dword v21, v1, s[0:3], 0 offen offset:192
	v_mfma_f32_16x16x16_f16 v[6:9], v[40:41], v[42:43], v[6:9]
	v_add_u32_e32 v1, 0x10000, v0
	v_mfma_f32_16x16x16_f16 v[2:5], v[40:41], v[44:45], v[2:5]
	buffer_store_dword v14, v1, s[0:3], 0 offen
	buffer_store_dword v10, v1, s[0:3], 0 offen offset:64
	s_nop 2
	buffer_store_dword v6, v1, s[0:3], 0 offen offset:128
	s_nop 0
	buffer_store_dword v2, v1, s[0:3], 0 offen offset:192
	v_add_u32_e32 v1, 0x11000, v0
	buffer_store_dword v15, v1, s[0:3], 0 offen
	buffer_store_dword v11, v1, s[0:3], 0 offen offset:64
	buffer_store_dword v7, v1, s[0:3], 0 offen offset:128
	buffer_store_dword v3, v1, s[0:3], 0 offen offset:192
	v_add_u32_e32 v1, 0x12000, v0
	v_add_u32_e32 v0, 0x13000, v0
	buffer_store_dword v16, v1, s[0:3], 0 offen
	buffer_store_dword v12, v1, s[0:3], 0 offen offset:64
	buffer_store_dword v8, v1, s[0:3], 0 offen offset:128
	buffer_store_dword v4, v1, s[0:3], 0 offen offset:192
	buffer_store_dword v17, v0, s[0:3], 0 offen
	buffer_store_dword v13, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v9, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v5, v0, s[0:3], 0 offen offset:192
	s_barrier
	s_endpgm
.Lfunc_end0:
	.size	mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32, .Lfunc_end0-mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32
		.amdhsa_group_segment_fixed_size 49152
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
		.amdhsa_next_free_vgpr 257
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 152
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

	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.num_vgpr, 149
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.num_agpr, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.numbered_sgpr, 16
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.num_named_barrier, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.private_seg_size, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.uses_vcc, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.uses_flat_scratch, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.has_dyn_sized_stack, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.has_recursion, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.has_indirect_call, 0
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
    .group_segment_fixed_size: 49152
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     22
    .sgpr_spill_count: 0
    .symbol:         mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     149
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgpu9.42-amd-amdhsa-unknown-gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

; iree-compile 3.13.0, gfx950, examples/iree/matmul_1024.gfx950.mlir: tests/data/make_isa_kernels.py
; To reproduce the .rocmasm from .optimized.ll, run:
; llc -mtriple=amdgpu9.50-amd-amdhsa -mcpu=gfx950 -mattr='-fma-mix-insts' -O3 <.optimized.ll> -o <out.rocmasm>

	.amdgcn_target "amdgpu9.50-amd-amdhsa-unknown-gfx950"
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
	v_lshlrev_b32_e32 v4, 3, v0
	s_lshl_b32 s2, s8, 3
	v_lshrrev_b32_e32 v1, 4, v0
	v_and_b32_e32 v2, 0x78, v4
	s_and_b32 s9, s2, 0x3c0
	s_lshl_b32 s2, s8, 7
	v_or_b32_e32 v3, s9, v1
	v_lshlrev_b32_e32 v5, 1, v2
	s_and_b32 s8, s2, 0x380
	v_lshl_or_b32 v55, v3, 11, v5
	v_or_b32_e32 v2, s8, v2
	s_and_b32 s13, s13, 0xffff
	s_mov_b32 s15, 0x27000
	s_mov_b32 s14, 0x200000
	v_or_b32_e32 v3, 0x8000, v55
	v_lshlrev_b32_e32 v56, 11, v1
	v_lshlrev_b32_e32 v57, 1, v2
	buffer_load_dwordx4 v[8:11], v55, s[12:15], 0 offen
	buffer_load_dwordx4 v[12:15], v3, s[12:15], 0 offen
	v_or_b32_e32 v3, 0x10000, v55
	v_or_b32_e32 v2, v56, v57
	s_mov_b64 s[0:1], s[6:7]
	s_and_b32 s5, s5, 0xffff
	s_mov_b32 s6, s14
	s_mov_b32 s7, s15
	v_or_b32_e32 v6, 0x18000, v55
	buffer_load_dwordx4 v[16:19], v3, s[12:15], 0 offen
	buffer_load_dwordx4 v[20:23], v6, s[12:15], 0 offen
	v_or_b32_e32 v3, 0x8000, v2
	buffer_load_dwordx4 v[24:27], v2, s[4:7], 0 offen
	buffer_load_dwordx4 v[28:31], v3, s[4:7], 0 offen
	v_or_b32_e32 v3, 0x10000, v2
	v_or_b32_e32 v6, 0x18000, v2
	buffer_load_dwordx4 v[32:35], v3, s[4:7], 0 offen
	buffer_load_dwordx4 v[36:39], v6, s[4:7], 0 offen
	v_or_b32_e32 v3, 0x20000, v2
	v_or_b32_e32 v6, 0x28000, v2
	buffer_load_dwordx4 v[62:65], v3, s[4:7], 0 offen
	buffer_load_dwordx4 v[66:69], v6, s[4:7], 0 offen
	v_or_b32_e32 v3, 0x30000, v2
	v_or_b32_e32 v2, 0x38000, v2
	buffer_load_dwordx4 v[70:73], v3, s[4:7], 0 offen
	buffer_load_dwordx4 v[74:77], v2, s[4:7], 0 offen
	v_bfe_u32 v43, v0, 4, 2
	v_and_b32_e32 v40, 15, v0
	v_bfe_u32 v6, v0, 2, 2
	v_lshrrev_b32_e32 v0, 2, v0
	v_and_b32_e32 v41, 4, v1
	v_and_b32_e32 v42, 32, v0
	v_and_b32_e32 v0, 24, v4
	v_or_b32_e32 v4, v6, v41
	v_or_b32_e32 v6, v42, v40
	v_lshl_or_b32 v0, v4, 5, v0
	v_lshl_or_b32 v59, v1, 8, v5
	v_lshlrev_b32_e32 v1, 8, v6
	v_lshl_or_b32 v53, v43, 11, v0
	v_or_b32_e32 v0, v56, v0
	s_mov_b32 s2, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_or_b32_e32 v60, 0x4000, v59
	v_lshl_or_b32 v44, v43, 4, v1
	v_or_b32_e32 v58, 0x2000, v53
	v_or_b32_e32 v54, 0x4000, v53
	v_or_b32_e32 v49, 0x6000, v53
	v_or_b32_e32 v50, 0x6100, v0
	v_or_b32_e32 v51, 0x6200, v0
	v_or_b32_e32 v52, 0x6300, v0
	v_or_b32_e32 v45, 0x6400, v0
	v_or_b32_e32 v46, 0x6500, v0
	v_or_b32_e32 v47, 0x6600, v0
	v_or_b32_e32 v48, 0x6700, v0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_mov_b32 s3, 0x5040100
	s_mov_b32 s10, 0x7060302
	s_waitcnt vmcnt(11)
	ds_write_b128 v59, v[8:11] offset:32768
	s_waitcnt vmcnt(10)
	ds_write_b128 v59, v[12:15] offset:36864
	s_waitcnt vmcnt(9)
	ds_write_b128 v59, v[16:19] offset:40960
	s_waitcnt vmcnt(8)
	ds_write_b128 v59, v[20:23] offset:45056
	s_waitcnt vmcnt(7)
	ds_write_b128 v59, v[24:27]
	s_waitcnt vmcnt(6)
	ds_write_b128 v59, v[28:31] offset:4096
	s_waitcnt vmcnt(5)
	ds_write_b128 v59, v[32:35] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v59, v[36:39] offset:12288
	s_waitcnt vmcnt(3)
	ds_write_b128 v59, v[62:65] offset:16384
	s_waitcnt vmcnt(2)
	ds_write_b128 v59, v[66:69] offset:20480
	s_waitcnt vmcnt(1)
	ds_write_b128 v59, v[70:73] offset:24576
	s_waitcnt vmcnt(0)
	ds_write_b128 v59, v[74:77] offset:28672
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
.LBB0_1:
	s_add_i32 s11, s2, 4
	v_lshl_add_u32 v0, s11, 6, v55
	s_lshl_b32 s16, s11, 16
	v_add_u32_e32 v1, 0x8000, v0
	v_add_u32_e32 v34, 0x10000, v0
	v_add_u32_e32 v35, 0x18000, v0
	v_or3_b32 v36, s16, v56, v57
	buffer_load_dwordx4 v[94:97], v0, s[12:15], 0 offen
	buffer_load_dwordx4 v[98:101], v1, s[12:15], 0 offen
	buffer_load_dwordx4 v[102:105], v34, s[12:15], 0 offen
	buffer_load_dwordx4 v[106:109], v35, s[12:15], 0 offen
	v_or_b32_e32 v0, 0x8000, v36
	v_add_u32_e32 v1, 0x10000, v36
	v_add_u32_e32 v34, 0x18000, v36
	v_add_u32_e32 v35, 0x20000, v36
	v_add_u32_e32 v37, 0x28000, v36
	v_add_u32_e32 v38, 0x30000, v36
	v_add_u32_e32 v39, 0x38000, v36
	buffer_load_dwordx4 v[110:113], v36, s[4:7], 0 offen
	buffer_load_dwordx4 v[114:117], v0, s[4:7], 0 offen
	buffer_load_dwordx4 v[118:121], v1, s[4:7], 0 offen
	buffer_load_dwordx4 v[122:125], v34, s[4:7], 0 offen
	buffer_load_dwordx4 v[126:129], v35, s[4:7], 0 offen
	buffer_load_dwordx4 v[130:133], v37, s[4:7], 0 offen
	buffer_load_dwordx4 v[134:137], v38, s[4:7], 0 offen
	buffer_load_dwordx4 v[138:141], v39, s[4:7], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[90:93], v44 offset:32768
	ds_read_b128 v[142:145], v44 offset:32832
	ds_read_b128 v[146:149], v44 offset:36864
	ds_read_b128 v[150:153], v44 offset:36928
	ds_read_b64_tr_b16 v[74:75], v53
	ds_read_b64_tr_b16 v[76:77], v53 offset:256
	ds_read_b64_tr_b16 v[78:79], v53 offset:512
	ds_read_b64_tr_b16 v[80:81], v53 offset:768
	ds_read_b64_tr_b16 v[82:83], v53 offset:1024
	ds_read_b64_tr_b16 v[84:85], v53 offset:1280
	ds_read_b64_tr_b16 v[86:87], v53 offset:1536
	ds_read_b64_tr_b16 v[88:89], v53 offset:1792
	ds_read_b64_tr_b16 v[34:35], v53 offset:8448
	ds_read_b64_tr_b16 v[0:1], v53 offset:8704
	ds_read_b64_tr_b16 v[36:37], v53 offset:8960
	ds_read_b64_tr_b16 v[38:39], v53 offset:9216
	s_waitcnt lgkmcnt(10)
	v_perm_b32 v62, v76, v74, s3
	s_waitcnt lgkmcnt(8)
	v_perm_b32 v63, v80, v78, s3
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v64, v84, v82, s3
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v65, v88, v86, s3
	v_perm_b32 v66, v76, v74, s10
	v_perm_b32 v67, v80, v78, s10
	v_perm_b32 v68, v84, v82, s10
	v_perm_b32 v69, v88, v86, s10
	v_perm_b32 v70, v77, v75, s3
	v_perm_b32 v71, v81, v79, s3
	v_perm_b32 v72, v85, v83, s3
	v_perm_b32 v73, v89, v87, s3
	v_perm_b32 v74, v77, v75, s10
	v_perm_b32 v75, v81, v79, s10
	v_perm_b32 v76, v85, v83, s10
	v_perm_b32 v77, v89, v87, s10
	ds_read_b64_tr_b16 v[78:79], v53 offset:9472
	ds_read_b64_tr_b16 v[80:81], v58
	ds_read_b64_tr_b16 v[82:83], v54
	ds_read_b64_tr_b16 v[84:85], v53 offset:9728
	ds_read_b64_tr_b16 v[86:87], v53 offset:9984
	ds_read_b64_tr_b16 v[88:89], v53 offset:16640
	v_mfma_f32_16x16x32_f16 v[30:33], v[90:93], v[62:65], v[30:33]
	v_mfma_f32_16x16x32_f16 v[26:29], v[90:93], v[66:69], v[26:29]
	v_mfma_f32_16x16x32_f16 v[22:25], v[90:93], v[70:73], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[90:93], v[74:77], v[18:21]
	ds_read_b64_tr_b16 v[90:91], v53 offset:17920
	ds_read_b64_tr_b16 v[92:93], v53 offset:18176
	v_mfma_f32_16x16x32_f16 v[14:17], v[146:149], v[62:65], v[14:17]
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v62, v34, v80, s3
	v_perm_b32 v63, v36, v0, s3
	v_perm_b32 v64, v78, v38, s3
	v_mfma_f32_16x16x32_f16 v[10:13], v[146:149], v[66:69], v[10:13]
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v65, v86, v84, s3
	v_perm_b32 v66, v34, v80, s10
	v_perm_b32 v67, v36, v0, s10
	v_mfma_f32_16x16x32_f16 v[6:9], v[146:149], v[70:73], v[6:9]
	v_perm_b32 v68, v78, v38, s10
	v_perm_b32 v69, v86, v84, s10
	v_perm_b32 v70, v35, v81, s3
	v_perm_b32 v71, v37, v1, s3
	v_perm_b32 v72, v79, v39, s3
	v_perm_b32 v73, v87, v85, s3
	v_perm_b32 v34, v35, v81, s10
	v_perm_b32 v35, v37, v1, s10
	v_perm_b32 v36, v79, v39, s10
	v_perm_b32 v37, v87, v85, s10
	v_mfma_f32_16x16x32_f16 v[2:5], v[146:149], v[74:77], v[2:5]
	ds_read_b64_tr_b16 v[74:75], v53 offset:17152
	ds_read_b64_tr_b16 v[76:77], v53 offset:17408
	ds_read_b64_tr_b16 v[78:79], v53 offset:17664
	ds_read_b128 v[146:149], v44 offset:36992
	ds_read_b128 v[154:157], v44 offset:37056
	v_mfma_f32_16x16x32_f16 v[30:33], v[142:145], v[62:65], v[30:33]
	v_mfma_f32_16x16x32_f16 v[26:29], v[142:145], v[66:69], v[26:29]
	v_mfma_f32_16x16x32_f16 v[22:25], v[142:145], v[70:73], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[142:145], v[34:37], v[18:21]
	ds_read_b128 v[84:87], v44 offset:32896
	ds_read_b128 v[142:145], v44 offset:32960
	ds_read_b64_tr_b16 v[38:39], v53 offset:16896
	v_mfma_f32_16x16x32_f16 v[14:17], v[150:153], v[62:65], v[14:17]
	s_waitcnt lgkmcnt(10)
	v_perm_b32 v62, v88, v82, s3
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v63, v74, v38, s3
	v_perm_b32 v64, v78, v76, s3
	v_mfma_f32_16x16x32_f16 v[10:13], v[150:153], v[66:69], v[10:13]
	v_perm_b32 v65, v92, v90, s3
	v_perm_b32 v66, v89, v83, s3
	v_perm_b32 v67, v75, v39, s3
	v_mfma_f32_16x16x32_f16 v[6:9], v[150:153], v[70:73], v[6:9]
	v_perm_b32 v68, v79, v77, s3
	v_perm_b32 v69, v93, v91, s3
	v_perm_b32 v70, v89, v83, s10
	v_mfma_f32_16x16x32_f16 v[0:3], v[150:153], v[34:37], v[2:5]
	v_perm_b32 v34, v88, v82, s10
	v_perm_b32 v35, v74, v38, s10
	v_perm_b32 v36, v78, v76, s10
	v_perm_b32 v37, v92, v90, s10
	v_perm_b32 v71, v75, v39, s10
	v_perm_b32 v72, v79, v77, s10
	v_perm_b32 v73, v93, v91, s10
	v_mfma_f32_16x16x32_f16 v[30:33], v[84:87], v[62:65], v[30:33]
	ds_read_b64_tr_b16 v[38:39], v49
	ds_read_b64_tr_b16 v[74:75], v50
	ds_read_b64_tr_b16 v[76:77], v51
	ds_read_b64_tr_b16 v[78:79], v52
	ds_read_b64_tr_b16 v[80:81], v45
	ds_read_b64_tr_b16 v[82:83], v46
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v4, v74, v38, s3
	v_mfma_f32_16x16x32_f16 v[26:29], v[84:87], v[34:37], v[26:29]
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v5, v78, v76, s3
	v_mfma_f32_16x16x32_f16 v[22:25], v[84:87], v[66:69], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[84:87], v[70:73], v[18:21]
	ds_read_b64_tr_b16 v[84:85], v47
	ds_read_b64_tr_b16 v[86:87], v48
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mfma_f32_16x16x32_f16 v[14:17], v[146:149], v[62:65], v[14:17]
	v_perm_b32 v62, v74, v38, s10
	v_perm_b32 v63, v78, v76, s10
	v_perm_b32 v64, v82, v80, s10
	v_mfma_f32_16x16x32_f16 v[10:13], v[146:149], v[34:37], v[10:13]
	v_perm_b32 v65, v86, v84, s10
	v_mfma_f32_16x16x32_f16 v[34:37], v[146:149], v[66:69], v[6:9]
	v_perm_b32 v66, v75, v39, s3
	v_perm_b32 v67, v79, v77, s3
	v_perm_b32 v68, v83, v81, s3
	v_mfma_f32_16x16x32_f16 v[0:3], v[146:149], v[70:73], v[0:3]
	v_perm_b32 v6, v82, v80, s3
	v_perm_b32 v7, v86, v84, s3
	v_perm_b32 v69, v87, v85, s3
	v_perm_b32 v70, v75, v39, s10
	v_perm_b32 v71, v79, v77, s10
	v_perm_b32 v72, v83, v81, s10
	v_perm_b32 v73, v87, v85, s10
	v_mfma_f32_16x16x32_f16 v[30:33], v[142:145], v[4:7], v[30:33]
	v_mfma_f32_16x16x32_f16 v[26:29], v[142:145], v[62:65], v[26:29]
	v_mfma_f32_16x16x32_f16 v[22:25], v[142:145], v[66:69], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[142:145], v[70:73], v[18:21]
	v_mfma_f32_16x16x32_f16 v[14:17], v[154:157], v[4:7], v[14:17]
	v_mfma_f32_16x16x32_f16 v[10:13], v[154:157], v[62:65], v[10:13]
	v_mfma_f32_16x16x32_f16 v[6:9], v[154:157], v[66:69], v[34:37]
	v_mfma_f32_16x16x32_f16 v[2:5], v[154:157], v[70:73], v[0:3]
	s_cmp_lt_u32 s2, 24
	s_mov_b32 s2, s11
	s_waitcnt vmcnt(11)
	ds_write_b128 v59, v[94:97] offset:32768
	s_waitcnt vmcnt(10)
	ds_write_b128 v59, v[98:101] offset:36864
	s_waitcnt vmcnt(9)
	ds_write_b128 v59, v[102:105] offset:40960
	s_waitcnt vmcnt(8)
	ds_write_b128 v59, v[106:109] offset:45056
	s_waitcnt vmcnt(7)
	ds_write_b128 v59, v[110:113]
	s_waitcnt vmcnt(6)
	ds_write_b128 v59, v[114:117] offset:4096
	s_waitcnt vmcnt(5)
	ds_write_b128 v59, v[118:121] offset:8192
	s_waitcnt vmcnt(4)
	ds_write_b128 v59, v[122:125] offset:12288
	s_waitcnt vmcnt(3)
	ds_write_b128 v60, v[126:129]
	s_waitcnt vmcnt(2)
	ds_write_b128 v60, v[130:133] offset:4096
	s_waitcnt vmcnt(1)
	ds_write_b128 v60, v[134:137] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v60, v[138:141] offset:12288
	s_cbranch_scc1 .LBB0_1
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[78:81], v44 offset:32768
	ds_read_b128 v[86:89], v44 offset:32832
	ds_read_b128 v[90:93], v44 offset:36864
	ds_read_b128 v[94:97], v44 offset:36928
	ds_read_b64_tr_b16 v[38:39], v53
	ds_read_b64_tr_b16 v[64:65], v53 offset:256
	ds_read_b64_tr_b16 v[66:67], v53 offset:512
	ds_read_b64_tr_b16 v[68:69], v53 offset:768
	ds_read_b64_tr_b16 v[70:71], v53 offset:1024
	ds_read_b64_tr_b16 v[72:73], v53 offset:1280
	ds_read_b64_tr_b16 v[74:75], v53 offset:1536
	ds_read_b64_tr_b16 v[76:77], v53 offset:1792
	ds_read_b64_tr_b16 v[0:1], v58
	s_mov_b32 s2, 0x5040100
	s_mov_b32 s3, 0x7060302
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v34, v64, v38, s2
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v35, v68, v66, s2
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v36, v72, v70, s2
	v_perm_b32 v56, v64, v38, s3
	v_perm_b32 v57, v68, v66, s3
	v_perm_b32 v58, v72, v70, s3
	v_perm_b32 v60, v65, v39, s2
	v_perm_b32 v61, v69, v67, s2
	v_perm_b32 v62, v73, v71, s2
	v_perm_b32 v64, v65, v39, s3
	v_perm_b32 v65, v69, v67, s3
	v_perm_b32 v66, v73, v71, s3
	ds_read_b64_tr_b16 v[38:39], v53 offset:8448
	ds_read_b64_tr_b16 v[68:69], v53 offset:8704
	ds_read_b64_tr_b16 v[70:71], v53 offset:8960
	ds_read_b64_tr_b16 v[72:73], v53 offset:9216
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v37, v76, v74, s2
	v_perm_b32 v59, v76, v74, s3
	v_perm_b32 v63, v77, v75, s2
	v_perm_b32 v67, v77, v75, s3
	v_mfma_f32_16x16x32_f16 v[30:33], v[78:81], v[34:37], v[30:33]
	ds_read_b64_tr_b16 v[82:83], v54
	ds_read_b64_tr_b16 v[84:85], v53 offset:18176
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v54, v38, v0, s3
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v55, v70, v68, s3
	v_mfma_f32_16x16x32_f16 v[26:29], v[78:81], v[56:59], v[26:29]
	s_and_b32 s1, s1, 0xffff
	v_mfma_f32_16x16x32_f16 v[22:25], v[78:81], v[60:63], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[78:81], v[64:67], v[18:21]
	ds_read_b64_tr_b16 v[74:75], v53 offset:9472
	ds_read_b64_tr_b16 v[76:77], v53 offset:9728
	ds_read_b64_tr_b16 v[78:79], v53 offset:9984
	ds_read_b64_tr_b16 v[80:81], v53 offset:16640
	v_mfma_f32_16x16x32_f16 v[14:17], v[90:93], v[34:37], v[14:17]
	v_perm_b32 v34, v38, v0, s2
	v_perm_b32 v35, v70, v68, s2
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v36, v74, v72, s2
	v_mfma_f32_16x16x32_f16 v[10:13], v[90:93], v[56:59], v[10:13]
	v_perm_b32 v56, v74, v72, s3
	v_perm_b32 v58, v39, v1, s2
	v_perm_b32 v59, v71, v69, s2
	v_mfma_f32_16x16x32_f16 v[6:9], v[90:93], v[60:63], v[6:9]
	v_perm_b32 v60, v75, v73, s2
	v_perm_b32 v62, v39, v1, s3
	v_perm_b32 v63, v71, v69, s3
	v_mfma_f32_16x16x32_f16 v[2:5], v[90:93], v[64:67], v[2:5]
	v_perm_b32 v64, v75, v73, s3
	ds_read_b64_tr_b16 v[38:39], v53 offset:17920
	ds_read_b64_tr_b16 v[66:67], v53 offset:16896
	ds_read_b64_tr_b16 v[68:69], v53 offset:17152
	ds_read_b64_tr_b16 v[70:71], v53 offset:17408
	ds_read_b64_tr_b16 v[72:73], v53 offset:17664
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v37, v78, v76, s2
	v_perm_b32 v57, v78, v76, s3
	v_perm_b32 v61, v79, v77, s2
	v_perm_b32 v65, v79, v77, s3
	v_mfma_f32_16x16x32_f16 v[30:33], v[86:89], v[34:37], v[30:33]
	v_mfma_f32_16x16x32_f16 v[26:29], v[86:89], v[54:57], v[26:29]
	v_mfma_f32_16x16x32_f16 v[22:25], v[86:89], v[58:61], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[86:89], v[62:65], v[18:21]
	ds_read_b128 v[74:77], v44 offset:32896
	ds_read_b128 v[86:89], v44 offset:32960
	v_mfma_f32_16x16x32_f16 v[14:17], v[94:97], v[34:37], v[14:17]
	s_waitcnt lgkmcnt(7)
	v_perm_b32 v34, v80, v82, s2
	s_waitcnt lgkmcnt(4)
	v_perm_b32 v35, v68, v66, s2
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v36, v72, v70, s2
	v_mfma_f32_16x16x32_f16 v[10:13], v[94:97], v[54:57], v[10:13]
	v_perm_b32 v37, v84, v38, s2
	v_perm_b32 v54, v80, v82, s3
	v_perm_b32 v55, v68, v66, s3
	v_mfma_f32_16x16x32_f16 v[6:9], v[94:97], v[58:61], v[6:9]
	v_perm_b32 v56, v72, v70, s3
	v_perm_b32 v57, v84, v38, s3
	v_perm_b32 v58, v81, v83, s2
	v_mfma_f32_16x16x32_f16 v[0:3], v[94:97], v[62:65], v[2:5]
	v_perm_b32 v59, v69, v67, s2
	v_perm_b32 v60, v73, v71, s2
	v_perm_b32 v61, v85, v39, s2
	v_perm_b32 v62, v81, v83, s3
	v_perm_b32 v63, v69, v67, s3
	v_perm_b32 v64, v73, v71, s3
	v_perm_b32 v65, v85, v39, s3
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[30:33], v[74:77], v[34:37], v[30:33]
	ds_read_b64_tr_b16 v[38:39], v49
	ds_read_b64_tr_b16 v[66:67], v50
	ds_read_b64_tr_b16 v[68:69], v51
	ds_read_b64_tr_b16 v[52:53], v52
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v4, v66, v38, s2
	v_mfma_f32_16x16x32_f16 v[26:29], v[74:77], v[54:57], v[26:29]
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v5, v52, v68, s2
	v_perm_b32 v49, v53, v69, s2
	v_perm_b32 v53, v53, v69, s3
	v_mfma_f32_16x16x32_f16 v[22:25], v[74:77], v[58:61], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[74:77], v[62:65], v[18:21]
	ds_read_b128 v[74:77], v44 offset:36992
	ds_read_b128 v[78:81], v44 offset:37056
	v_perm_b32 v44, v66, v38, s3
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[10:13], v[74:77], v[54:57], v[10:13]
	ds_read_b64_tr_b16 v[54:55], v45
	ds_read_b64_tr_b16 v[56:57], v46
	ds_read_b64_tr_b16 v[70:71], v47
	ds_read_b64_tr_b16 v[72:73], v48
	v_perm_b32 v45, v52, v68, s3
	v_perm_b32 v48, v67, v39, s2
	v_mfma_f32_16x16x32_f16 v[14:17], v[74:77], v[34:37], v[14:17]
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v46, v56, v54, s3
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v47, v72, v70, s3
	v_perm_b32 v50, v57, v55, s2
	v_mfma_f32_16x16x32_f16 v[34:37], v[74:77], v[58:61], v[6:9]
	v_perm_b32 v51, v73, v71, s2
	v_perm_b32 v52, v67, v39, s3
	s_nop 0
	v_perm_b32 v6, v56, v54, s2
	v_perm_b32 v7, v72, v70, s2
	v_mfma_f32_16x16x32_f16 v[26:29], v[86:89], v[44:47], v[26:29]
	v_perm_b32 v54, v57, v55, s3
	v_perm_b32 v55, v73, v71, s3
	s_mov_b32 s3, 0x27000
	v_mfma_f32_16x16x32_f16 v[30:33], v[86:89], v[4:7], v[30:33]
	s_mov_b32 s2, 0x400000
	v_mfma_f32_16x16x32_f16 v[4:7], v[78:81], v[4:7], v[14:17]
	s_nop 2
	v_lshlrev_b32_e32 v17, 4, v41
	v_lshlrev_b32_e32 v16, 2, v43
	v_or3_b32 v17, v17, s8, v40
	v_or3_b32 v16, v16, s9, v42
	v_lshlrev_b32_e32 v17, 2, v17
	v_mfma_f32_16x16x32_f16 v[0:3], v[74:77], v[62:65], v[0:3]
	v_lshl_or_b32 v16, v16, 12, v17
	v_add_u32_e32 v17, 0x1000, v16
	v_mfma_f32_16x16x32_f16 v[22:25], v[86:89], v[48:51], v[22:25]
	v_mfma_f32_16x16x32_f16 v[18:21], v[86:89], v[52:55], v[18:21]
	buffer_store_dword v30, v16, s[0:3], 0 offen
	buffer_store_dword v26, v16, s[0:3], 0 offen offset:64
	s_nop 4
	buffer_store_dword v22, v16, s[0:3], 0 offen offset:128
	buffer_store_dword v18, v16, s[0:3], 0 offen offset:192
	buffer_store_dword v31, v17, s[0:3], 0 offen
	buffer_store_dword v27, v17, s[0:3], 0 offen offset:64
	buffer_store_dword v23, v17, s[0:3], 0 offen offset:128
	buffer_store_dword v19, v17, s[0:3], 0 offen offset:192
	v_add_u32_e32 v17, 0x2000, v16
	v_mfma_f32_16x16x32_f16 v[8:11], v[78:81], v[44:47], v[10:13]
	buffer_store_dword v32, v17, s[0:3], 0 offen
	buffer_store_dword v28, v17, s[0:3], 0 offen offset:64
	buffer_store_dword v24, v17, s[0:3], 0 offen offset:128
	buffer_store_dword v20, v17, s[0:3], 0 offen offset:192
	v_add_u32_e32 v17, 0x3000, v16
	buffer_store_dword v33, v17, s[0:3], 0 offen
	buffer_store_dword v29, v17, s[0:3], 0 offen offset:64
	buffer_store_dword v25, v17, s[0:3], 0 offen offset:128
	buffer_store_dword v21, v17, s[0:3], 0 offen offset:192
	v_mfma_f32_16x16x32_f16 v[12:15], v[78:81], v[48:51], v[34:37]
	v_add_u32_e32 v17, 0x10000, v16
	v_mfma_f32_16x16x32_f16 v[0:3], v[78:81], v[52:55], v[0:3]
	buffer_store_dword v4, v17, s[0:3], 0 offen
	buffer_store_dword v8, v17, s[0:3], 0 offen offset:64
	s_nop 3
	buffer_store_dword v12, v17, s[0:3], 0 offen offset:128
	s_nop 0
	buffer_store_dword v0, v17, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0x11000, v16
	buffer_store_dword v5, v0, s[0:3], 0 offen
	buffer_store_dword v9, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v13, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v1, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0x12000, v16
	buffer_store_dword v6, v0, s[0:3], 0 offen
	buffer_store_dword v10, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v14, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v2, v0, s[0:3], 0 offen offset:192
	v_add_u32_e32 v0, 0x13000, v16
	buffer_store_dword v7, v0, s[0:3], 0 offen
	buffer_store_dword v11, v0, s[0:3], 0 offen offset:64
	buffer_store_dword v15, v0, s[0:3], 0 offen offset:128
	buffer_store_dword v3, v0, s[0:3], 0 offen offset:192
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
		.amdhsa_next_free_vgpr 158
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 160
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

	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.num_vgpr, 158
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.num_agpr, 0
	.set .Lmm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.numbered_sgpr, 17
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
    .sgpr_count:     23
    .sgpr_spill_count: 0
    .symbol:         mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     158
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgpu9.50-amd-amdhsa-unknown-gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

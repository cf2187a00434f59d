; iree-compile 3.13.0, gfx950, examples/iree/attention_1x1024x128.gfx950.mlir: tests/data/make_isa_kernels.py
; To reproduce the .rocmasm from .optimized.ll, run:
; llc -mtriple=amdgpu9.50-amd-amdhsa -mcpu=gfx950 -mattr='-fma-mix-insts' -O3 <.optimized.ll> -o <out.rocmasm>

	.amdgcn_target "amdgpu9.50-amd-amdhsa-unknown-gfx950"
	.amdhsa_code_object_version 5
	.text
	.globl	attn_dispatch_0_attention_1024x128x128x1024
	.p2align	8
	.type	attn_dispatch_0_attention_1024x128x128x1024,@function
attn_dispatch_0_attention_1024x128x128x1024:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dwordx4 s[4:7], s[0:1], 0x8
	s_load_dwordx2 s[8:9], s[0:1], 0x18
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_0
	.p2align	8
.LBB0_0:
	s_mov_b64 s[12:13], s[2:3]
	s_lshl_b32 s2, s10, 5
	s_and_b32 s16, s2, 0x3c0
	v_lshrrev_b32_e32 v48, 4, v0
	v_and_b32_e32 v1, 15, v0
	v_or_b32_e32 v2, s16, v48
	v_lshlrev_b32_e32 v49, 4, v1
	v_lshl_or_b32 v2, v2, 8, v49
	s_and_b32 s13, s13, 0xffff
	s_mov_b32 s15, 0x27000
	s_mov_b32 s14, 0x40000
	v_or_b32_e32 v3, 0x1000, v2
	buffer_load_dwordx4 v[6:9], v2, s[12:15], 0 offen
	buffer_load_dwordx4 v[30:33], v3, s[12:15], 0 offen
	v_or_b32_e32 v3, 0x2000, v2
	v_or_b32_e32 v2, 0x3000, v2
	buffer_load_dwordx4 v[34:37], v3, s[12:15], 0 offen
	buffer_load_dwordx4 v[38:41], v2, s[12:15], 0 offen
	v_bfe_u32 v2, v0, 4, 2
	v_lshrrev_b32_e32 v3, 2, v0
	s_lshl_b32 s3, s10, 6
	v_lshrrev_b32_e32 v52, 3, v0
	v_lshlrev_b32_e32 v0, 4, v0
	v_and_or_b32 v50, v3, 48, v1
	v_lshlrev_b32_e32 v3, 4, v2
	v_lshlrev_b32_e32 v4, 1, v1
	s_and_b32 s12, s3, 64
	v_and_b32_e32 v0, 0x70, v0
	v_lshl_or_b32 v53, v48, 8, v49
	v_lshl_or_b32 v12, v50, 8, v3
	v_lshl_or_b32 v57, v2, 9, v4
	v_lshl_or_b32 v4, v48, 9, v4
	v_lshlrev_b32_e32 v51, 3, v2
	v_lshl_or_b32 v54, s12, 1, v0
	v_lshl_or_b32 v55, v52, 7, v0
	v_lshl_or_b32 v56, v1, 8, v3
	v_or_b32_e32 v58, 0x1800, v4
	v_or_b32_e32 v59, 0x1880, v4
	v_or_b32_e32 v60, 0x1900, v4
	v_or_b32_e32 v61, 0x1980, v4
	s_mov_b64 s[0:1], s[6:7]
	s_movk_i32 s2, 0x3014
	s_mov_b32 s11, 0
	v_mov_b32_e32 v62, 0xff7fffff
	v_mov_b32_e32 v63, 0
	v_mov_b32_e32 v24, 0
	v_mov_b32_e32 v25, 0
	v_mov_b32_e32 v26, 0
	v_mov_b32_e32 v27, 0
	v_mov_b32_e32 v20, 0
	v_mov_b32_e32 v21, 0
	v_mov_b32_e32 v22, 0
	v_mov_b32_e32 v23, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v18, 0
	v_mov_b32_e32 v19, 0
	v_mov_b32_e32 v28, 0
	v_mov_b32_e32 v29, 0
	s_and_b32 s5, s5, 0xffff
	s_and_b32 s1, s1, 0xffff
	s_mov_b32 s6, s14
	s_mov_b32 s7, s15
	s_mov_b32 s3, s15
	s_mov_b32 s10, 0x5040100
	s_waitcnt vmcnt(3)
	ds_write_b128 v53, v[6:9]
	s_waitcnt vmcnt(2)
	ds_write_b128 v53, v[30:33] offset:4096
	s_waitcnt vmcnt(1)
	ds_write_b128 v53, v[34:37] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v53, v[38:41] offset:12288
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[0:3], v12
	ds_read_b128 v[4:7], v12 offset:64
	ds_read_b128 v[8:11], v12 offset:128
	ds_read_b128 v[12:15], v12 offset:192
	v_mov_b32_e32 v30, 0
	v_mov_b32_e32 v31, 0
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f16 v7, v7, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v3, v3, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v2, v2, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v1, v1, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v0, v0, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v6, v6, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v5, v5, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v4, v4, s2 op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f16 v11, v11, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v10, v10, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v9, v9, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v8, v8, s2 op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f16 v15, v15, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v14, v14, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v13, v13, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v12, v12, s2 op_sel_hi:[1,0]
	s_mov_b32 s2, s14
.LBB0_1:
	v_or_b32_e32 v32, s11, v48
	v_or_b32_e32 v33, s11, v52
	v_lshl_or_b32 v32, v32, 8, v49
	v_lshl_or_b32 v33, v33, 8, v54
	v_add_u32_e32 v34, 0x1000, v32
	v_add_u32_e32 v35, 0x2000, v32
	v_add_u32_e32 v36, 0x3000, v32
	v_add_u32_e32 v37, 0x2000, v33
	s_barrier
	buffer_load_dwordx4 v[38:41], v32, s[4:7], 0 offen
	buffer_load_dwordx4 v[42:45], v34, s[4:7], 0 offen
	buffer_load_dwordx4 v[64:67], v35, s[4:7], 0 offen
	buffer_load_dwordx4 v[68:71], v36, s[4:7], 0 offen
	buffer_load_dwordx4 v[72:75], v33, s[0:3], 0 offen
	buffer_load_dwordx4 v[76:79], v37, s[0:3], 0 offen
	s_add_i32 s13, s11, 64
	s_cmpk_lt_u32 s11, 0x3c0
	s_mov_b32 s11, s13
	s_waitcnt vmcnt(5)
	ds_write_b128 v53, v[38:41] offset:16384
	s_waitcnt vmcnt(4)
	ds_write_b128 v53, v[42:45] offset:20480
	s_waitcnt vmcnt(3)
	ds_write_b128 v53, v[64:67] offset:24576
	s_waitcnt vmcnt(2)
	ds_write_b128 v53, v[68:71] offset:28672
	s_waitcnt vmcnt(1)
	ds_write_b128 v55, v[72:75] offset:32768
	s_waitcnt vmcnt(0)
	ds_write_b128 v55, v[76:79] offset:36864
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[32:35], v56 offset:16384
	ds_read_b128 v[36:39], v56 offset:20480
	ds_read_b128 v[40:43], v56 offset:16448
	ds_read_b128 v[44:47], v56 offset:24576
	ds_read_b128 v[72:75], v56 offset:20544
	ds_read_b128 v[68:71], v56 offset:28672
	ds_read_b128 v[76:79], v56 offset:16512
	ds_read_b128 v[80:83], v56 offset:24640
	s_waitcnt lgkmcnt(7)
	v_mfma_f32_16x16x32_f16 v[32:35], v[32:35], v[0:3], 0
	ds_read_b128 v[84:87], v56 offset:20608
	ds_read_b128 v[88:91], v56 offset:28736
	ds_read_b128 v[92:95], v56 offset:16576
	ds_read_b128 v[96:99], v56 offset:24704
	ds_read_b128 v[100:103], v56 offset:20672
	ds_read_b128 v[104:107], v56 offset:28800
	ds_read_b128 v[108:111], v56 offset:24768
	ds_read_b128 v[112:115], v56 offset:28864
	ds_read_u16 v64, v57 offset:32896
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x32_f16 v[36:39], v[36:39], v[0:3], 0
	ds_read_u16 v65, v57 offset:33024
	ds_read_u16 v66, v57 offset:33152
	ds_read_u16 v67, v57 offset:33056
	v_mfma_f32_16x16x32_f16 v[32:35], v[40:43], v[4:7], v[32:35]
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x32_f16 v[40:43], v[44:47], v[0:3], 0
	v_mfma_f32_16x16x32_f16 v[44:47], v[68:71], v[0:3], 0
	ds_read_u16 v69, v57 offset:32768
	ds_read_u16 v70, v57 offset:32800
	ds_read_u16 v71, v57 offset:32928
	v_mfma_f32_16x16x32_f16 v[36:39], v[72:75], v[4:7], v[36:39]
	ds_read_u16 v72, v57 offset:33184
	ds_read_u16 v73, v57 offset:33088
	ds_read_u16 v74, v57 offset:33216
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x32_f16 v[32:35], v[76:79], v[8:11], v[32:35]
	ds_read_u16 v75, v57 offset:32832
	ds_read_u16 v76, v57 offset:32960
	ds_read_u16 v77, v57 offset:32992
	v_mfma_f32_16x16x32_f16 v[40:43], v[80:83], v[4:7], v[40:43]
	ds_read_u16 v78, v57 offset:32864
	ds_read_u16 v79, v57 offset:33248
	ds_read_u16 v80, v57 offset:33120
	ds_read_u16 v81, v57 offset:34816
	ds_read_u16 v82, v57 offset:34944
	ds_read_u16 v83, v57 offset:34848
	v_mfma_f32_16x16x32_f16 v[44:47], v[88:91], v[4:7], v[44:47]
	v_mfma_f32_16x16x32_f16 v[36:39], v[84:87], v[8:11], v[36:39]
	ds_read_u16 v84, v57 offset:35072
	ds_read_u16 v85, v57 offset:35200
	ds_read_u16 v86, v57 offset:35104
	v_mfma_f32_16x16x32_f16 v[32:35], v[92:95], v[12:15], v[32:35]
	v_mfma_f32_16x16x32_f16 v[40:43], v[96:99], v[8:11], v[40:43]
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x32_f16 v[44:47], v[104:107], v[8:11], v[44:47]
	s_nop 4
	v_max_f32_e32 v68, v33, v33
	v_max_f32_e32 v87, v32, v32
	v_max_f32_e32 v68, v87, v68
	v_mfma_f32_16x16x32_f16 v[36:39], v[100:103], v[12:15], v[36:39]
	v_max3_f32 v68, v68, v34, v35
	ds_read_u16 v98, v57 offset:35232
	ds_read_u16 v99, v57 offset:35136
	ds_read_u16 v100, v57 offset:35264
	ds_read_u16 v101, v57 offset:35296
	ds_read_u16 v102, v57 offset:35168
	ds_read_u16 v103, v57 offset:35040
	ds_read_u16 v104, v57 offset:34912
	ds_read_u16 v87, v57 offset:34976
	ds_read_u16 v88, v57 offset:34880
	ds_read_u16 v89, v57 offset:35008
	v_mfma_f32_16x16x32_f16 v[40:43], v[108:111], v[12:15], v[40:43]
	v_max3_f32 v68, v68, v36, v37
	v_max3_f32 v68, v68, v38, v39
	v_mfma_f32_16x16x32_f16 v[44:47], v[112:115], v[12:15], v[44:47]
	s_nop 4
	v_max3_f32 v68, v68, v40, v41
	v_max3_f32 v68, v68, v42, v43
	s_nop 0
	v_max3_f32 v68, v68, v44, v45
	v_max3_f32 v68, v68, v46, v47
	v_max_f32_e32 v68, 0xff800000, v68
	v_mov_b32_e32 v90, v68
	v_mov_b32_e32 v91, v68
	s_nop 1
	v_permlane16_swap_b32_e32 v90, v91
	v_cmp_eq_u32_e32 vcc, v90, v68
	s_nop 1
	v_cndmask_b32_e32 v90, v90, v91, vcc
	v_max_f32_e32 v90, v90, v90
	v_max_f32_e32 v68, v68, v90
	v_mov_b32_e32 v90, v68
	v_mov_b32_e32 v91, v68
	s_nop 1
	v_permlane32_swap_b32_e32 v90, v91
	v_cmp_eq_u32_e32 vcc, v90, v68
	s_nop 1
	v_cndmask_b32_e32 v90, v90, v91, vcc
	v_max3_f32 v68, v68, v90, v62
	v_pk_add_f32 v[32:33], v[32:33], v[68:69] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[34:35], v[34:35], v[68:69] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_exp_f32_e32 v90, v32
	v_exp_f32_e32 v91, v33
	v_exp_f32_e32 v92, v34
	v_pk_add_f32 v[32:33], v[36:37], v[68:69] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_exp_f32_e32 v93, v35
	v_exp_f32_e32 v94, v32
	v_pk_add_f32 v[34:35], v[38:39], v[68:69] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_exp_f32_e32 v95, v33
	v_add_f32_e32 v32, v90, v91
	v_exp_f32_e32 v96, v34
	v_add_f32_e32 v34, v32, v92
	v_sub_f32_e32 v36, v62, v68
	v_pk_add_f32 v[32:33], v[40:41], v[68:69] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_exp_f32_e32 v97, v35
	v_add_f32_e32 v34, v34, v93
	v_exp_f32_e32 v62, v36
	v_exp_f32_e32 v105, v32
	v_add_f32_e32 v32, v34, v94
	s_waitcnt lgkmcnt(14)
	v_perm_b32 v41, v79, v80, s10
	v_perm_b32 v40, v77, v78, s10
	v_perm_b32 v35, v66, v65, s10
	v_perm_b32 v34, v64, v69, s10
	v_perm_b32 v37, v72, v67, s10
	v_perm_b32 v36, v71, v70, s10
	v_perm_b32 v39, v74, v73, s10
	v_perm_b32 v38, v76, v75, s10
	v_pk_add_f32 v[42:43], v[42:43], v[68:69] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_add_f32_e32 v32, v32, v95
	v_exp_f32_e32 v76, v42
	v_add_f32_e32 v42, v32, v96
	v_exp_f32_e32 v69, v33
	v_add_f32_e32 v42, v42, v97
	v_pk_add_f32 v[32:33], v[44:45], v[68:69] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	ds_read_u16 v72, v57 offset:36864
	ds_read_u16 v73, v57 offset:36992
	ds_read_u16 v74, v57 offset:36896
	ds_read_u16 v75, v57 offset:37024
	ds_read_u16 v78, v57 offset:36928
	ds_read_u16 v79, v57 offset:37056
	ds_read_u16 v80, v57 offset:37088
	ds_read_u16 v106, v57 offset:36960
	ds_read_u16 v107, v57 offset:37120
	ds_read_u16 v108, v57 offset:37248
	ds_read_u16 v109, v57 offset:37152
	ds_read_u16 v110, v57 offset:37280
	ds_read_u16 v111, v57 offset:37184
	ds_read_u16 v112, v57 offset:37312
	ds_read_u16 v113, v57 offset:37344
	ds_read_u16 v114, v57 offset:37216
	v_exp_f32_e32 v77, v43
	v_exp_f32_e32 v115, v32
	v_add_f32_e32 v32, v42, v105
	v_cvt_pk_f16_f32 v43, v92, v93
	v_cvt_pk_f16_f32 v42, v90, v91
	v_pk_mul_f32 v[30:31], v[30:31], v[62:63] op_sel_hi:[1,0]
	v_pk_mul_f32 v[28:29], v[28:29], v[62:63] op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(14)
	v_perm_b32 v71, v101, v102, s10
	v_perm_b32 v70, v103, v104, s10
	v_pk_mul_f32 v[26:27], v[26:27], v[62:63] op_sel_hi:[1,0]
	v_pk_mul_f32 v[24:25], v[24:25], v[62:63] op_sel_hi:[1,0]
	v_pk_mul_f32 v[22:23], v[22:23], v[62:63] op_sel_hi:[1,0]
	v_pk_mul_f32 v[20:21], v[20:21], v[62:63] op_sel_hi:[1,0]
	v_pk_mul_f32 v[18:19], v[18:19], v[62:63] op_sel_hi:[1,0]
	v_pk_mul_f32 v[16:17], v[16:17], v[62:63] op_sel_hi:[1,0]
	v_perm_b32 v45, v85, v84, s10
	v_perm_b32 v44, v82, v81, s10
	v_perm_b32 v65, v98, v86, s10
	v_perm_b32 v64, v87, v83, s10
	v_perm_b32 v67, v100, v99, s10
	v_perm_b32 v66, v89, v88, s10
	v_mfma_f32_16x16x16_f16 v[28:31], v[40:41], v[42:43], v[28:31]
	v_add_f32_e64 v46, v46, -v68
	v_add_f32_e64 v47, v47, -v68
	v_exp_f32_e32 v81, v33
	v_add_f32_e32 v32, v32, v69
	v_mfma_f32_16x16x16_f16 v[24:27], v[34:35], v[42:43], v[24:27]
	ds_read_u16 v87, v60 offset:32768
	ds_read_u16 v88, v60 offset:32800
	ds_read_u16 v89, v61 offset:32768
	ds_read_u16 v90, v61 offset:32800
	ds_read_u16 v91, v60 offset:32832
	ds_read_u16 v92, v61 offset:32832
	ds_read_u16 v93, v61 offset:32864
	ds_read_u16 v98, v60 offset:32864
	ds_read_u16 v99, v59 offset:32832
	ds_read_u16 v100, v59 offset:32864
	ds_read_u16 v101, v58 offset:32864
	v_exp_f32_e32 v82, v46
	v_add_f32_e32 v32, v32, v76
	v_mfma_f32_16x16x16_f16 v[20:23], v[36:37], v[42:43], v[20:23]
	v_exp_f32_e32 v83, v47
	ds_read_u16 v46, v58 offset:32768
	ds_read_u16 v47, v58 offset:32800
	ds_read_u16 v84, v59 offset:32768
	ds_read_u16 v85, v59 offset:32800
	ds_read_u16 v86, v58 offset:32832
	v_mfma_f32_16x16x16_f16 v[16:19], v[38:39], v[42:43], v[16:19]
	v_cvt_pk_f16_f32 v37, v96, v97
	v_cvt_pk_f16_f32 v36, v94, v95
	s_waitcnt lgkmcnt(14)
	v_perm_b32 v41, v113, v114, s10
	v_perm_b32 v40, v80, v106, s10
	v_add_f32_e32 v32, v32, v77
	v_perm_b32 v39, v108, v107, s10
	v_perm_b32 v38, v73, v72, s10
	v_perm_b32 v72, v75, v74, s10
	v_perm_b32 v75, v112, v111, s10
	v_perm_b32 v74, v79, v78, s10
	v_mfma_f32_16x16x16_f16 v[28:31], v[70:71], v[36:37], v[28:31]
	v_add_f32_e32 v42, v32, v115
	v_add_f32_e32 v42, v42, v81
	v_add_f32_e32 v70, v42, v82
	v_mfma_f32_16x16x16_f16 v[32:35], v[44:45], v[36:37], v[24:27]
	v_cvt_pk_f16_f32 v43, v76, v77
	v_cvt_pk_f16_f32 v42, v105, v69
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v44, v85, v47, s10
	v_mfma_f32_16x16x16_f16 v[20:23], v[64:65], v[36:37], v[20:23]
	v_perm_b32 v25, v89, v87, s10
	v_perm_b32 v24, v84, v46, s10
	v_perm_b32 v47, v92, v91, s10
	v_mfma_f32_16x16x16_f16 v[64:67], v[66:67], v[36:37], v[16:19]
	v_perm_b32 v37, v93, v98, s10
	v_perm_b32 v36, v100, v101, s10
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v46, v99, v86, s10
	v_mfma_f32_16x16x16_f16 v[28:31], v[40:41], v[42:43], v[28:31]
	v_perm_b32 v73, v110, v109, s10
	v_perm_b32 v45, v90, v88, s10
	v_mul_f32_e32 v63, v63, v62
	v_mfma_f32_16x16x16_f16 v[16:19], v[38:39], v[42:43], v[32:35]
	v_cvt_pk_f16_f32 v39, v82, v83
	v_cvt_pk_f16_f32 v38, v115, v81
	v_mov_b32_e32 v62, v68
	v_mfma_f32_16x16x16_f16 v[32:35], v[74:75], v[42:43], v[64:67]
	v_mfma_f32_16x16x16_f16 v[28:31], v[36:37], v[38:39], v[28:31]
	v_add_f32_e32 v36, v70, v83
	v_mfma_f32_16x16x16_f16 v[24:27], v[24:25], v[38:39], v[16:19]
	v_mfma_f32_16x16x16_f16 v[16:19], v[46:47], v[38:39], v[32:35]
	s_nop 3
	v_mov_b32_e32 v32, v36
	v_mov_b32_e32 v33, v36
	v_mfma_f32_16x16x16_f16 v[20:23], v[72:73], v[42:43], v[20:23]
	s_nop 0
	v_permlane16_swap_b32_e32 v32, v33
	v_cmp_eq_u32_e32 vcc, v32, v36
	v_mfma_f32_16x16x16_f16 v[20:23], v[44:45], v[38:39], v[20:23]
	s_nop 0
	v_cndmask_b32_e32 v32, v32, v33, vcc
	v_add_f32_e32 v32, v36, v32
	v_mov_b32_e32 v33, v32
	v_mov_b32_e32 v34, v32
	s_nop 1
	v_permlane32_swap_b32_e32 v33, v34
	v_cmp_eq_u32_e32 vcc, v33, v32
	s_nop 1
	v_cndmask_b32_e32 v33, v33, v34, vcc
	v_add_f32_e32 v32, v32, v33
	v_add_f32_e32 v63, v63, v32
	s_cbranch_scc1 .LBB0_1
	v_div_scale_f32 v0, s[0:1], v63, v63, 1.0
	v_rcp_f32_e32 v1, v0
	v_div_scale_f32 v2, vcc, 1.0, v63, 1.0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
	s_and_b32 s9, s9, 0xffff
	v_fma_f32 v3, -v0, v1, 1.0
	v_fmac_f32_e32 v1, v3, v1
	v_mul_f32_e32 v3, v2, v1
	v_fma_f32 v4, -v0, v3, v2
	v_fmac_f32_e32 v3, v4, v1
	v_fma_f32 v0, -v0, v3, v2
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
	v_div_fmas_f32 v0, v0, v1, v3
	v_div_fixup_f32 v0, v0, v63, 1.0
	v_pk_mul_f32 v[2:3], v[24:25], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[26:27], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[8:9], v[22:23], v[0:1] op_sel_hi:[1,0]
	v_cvt_pk_f16_f32 v5, v4, v5
	v_cvt_pk_f16_f32 v4, v2, v3
	v_cvt_pk_f16_f32 v3, v8, v9
	v_or_b32_e32 v8, s16, v50
	v_lshl_or_b32 v8, v8, 8, v51
	s_mov_b32 s11, 0x27000
	s_mov_b32 s10, 0x40000
	v_pk_mul_f32 v[6:7], v[20:21], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[10:11], v[16:17], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[12:13], v[18:19], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[14:15], v[28:29], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[0:1], v[30:31], v[0:1] op_sel_hi:[1,0]
	v_lshl_add_u32 v8, s12, 1, v8
	v_cvt_pk_f16_f32 v2, v6, v7
	v_cvt_pk_f16_f32 v7, v12, v13
	v_cvt_pk_f16_f32 v6, v10, v11
	v_cvt_pk_f16_f32 v1, v0, v1
	v_cvt_pk_f16_f32 v0, v14, v15
	buffer_store_dwordx2 v[4:5], v8, s[8:11], 0 offen
	buffer_store_dwordx2 v[2:3], v8, s[8:11], 0 offen offset:32
	buffer_store_dwordx2 v[6:7], v8, s[8:11], 0 offen offset:64
	buffer_store_dwordx2 v[0:1], v8, s[8:11], 0 offen offset:96
	s_endpgm
.Lfunc_end0:
	.size	attn_dispatch_0_attention_1024x128x128x1024, .Lfunc_end0-attn_dispatch_0_attention_1024x128x128x1024
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel attn_dispatch_0_attention_1024x128x128x1024
		.amdhsa_group_segment_fixed_size 40960
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 10
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 8
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 116
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 116
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 0
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

	.set .Lattn_dispatch_0_attention_1024x128x128x1024.num_vgpr, 116
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.num_agpr, 0
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.numbered_sgpr, 17
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.num_named_barrier, 0
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.private_seg_size, 0
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.uses_vcc, 1
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.uses_flat_scratch, 0
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.has_dyn_sized_stack, 0
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.has_recursion, 0
	.set .Lattn_dispatch_0_attention_1024x128x128x1024.has_indirect_call, 0
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.ident	"clang version 18.0.0"
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
      - .actual_access:  read_only
        .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .actual_access:  write_only
        .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 40960
    .kernarg_segment_align: 8
    .kernarg_segment_size: 32
    .language:       OpenCL C
    .language_version:
      - 2
      - 0
    .max_flat_workgroup_size: 256
    .name:           attn_dispatch_0_attention_1024x128x128x1024
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     23
    .sgpr_spill_count: 0
    .symbol:         attn_dispatch_0_attention_1024x128x128x1024.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     116
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgpu9.50-amd-amdhsa-unknown-gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

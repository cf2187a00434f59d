; iree-compile 3.13.0, gfx942, examples/iree/attention_1x1024x128.gfx942.mlir: tests/data/make_isa_kernels.py
; To reproduce the .rocmasm from .optimized.ll, run:
; llc -mtriple=amdgpu9.42-amd-amdhsa -mcpu=gfx942 -mattr='-fma-mix-insts' -O3 <.optimized.ll> -o <out.rocmasm>

	.amdgcn_target "amdgpu9.42-amd-amdhsa-unknown-gfx942"
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
	v_lshrrev_b32_e32 v34, 4, v0
	v_and_b32_e32 v1, 15, v0
	v_or_b32_e32 v2, s16, v34
	v_lshlrev_b32_e32 v35, 4, v1
	v_lshl_or_b32 v2, v2, 8, v35
	s_and_b32 s13, s13, 0xffff
	s_mov_b32 s15, 0x27000
	s_mov_b32 s14, 0x40000
	v_or_b32_e32 v3, 0x1000, v2
	buffer_load_dwordx4 v[20:23], v2, s[12:15], 0 offen
	buffer_load_dwordx4 v[24:27], v3, s[12:15], 0 offen
	v_or_b32_e32 v3, 0x2000, v2
	v_or_b32_e32 v2, 0x3000, v2
	buffer_load_dwordx4 v[28:31], v3, s[12:15], 0 offen
	buffer_load_dwordx4 v[50:53], v2, s[12:15], 0 offen
	v_bfe_u32 v5, v0, 4, 2
	v_lshrrev_b32_e32 v14, 2, v0
	s_lshl_b32 s3, s10, 6
	v_lshrrev_b32_e32 v37, 3, v0
	v_lshlrev_b32_e32 v15, 4, v0
	v_and_b32_e32 v0, 63, v0
	v_and_or_b32 v32, v14, 48, v1
	v_lshlrev_b32_e32 v14, 4, v5
	s_and_b32 s12, s3, 64
	v_and_b32_e32 v15, 0x70, v15
	v_lshlrev_b32_e32 v0, 2, v0
	v_lshlrev_b32_e32 v16, 1, v1
	v_lshl_or_b32 v38, v34, 8, v35
	v_lshl_or_b32 v18, v32, 8, v14
	v_lshl_or_b32 v39, s12, 1, v15
	v_lshl_or_b32 v40, v37, 7, v15
	v_lshl_or_b32 v41, v1, 8, v14
	v_xor_b32_e32 v42, 0x80, v0
	v_lshl_or_b32 v43, v5, 9, v16
	v_lshl_or_b32 v0, v34, 9, v16
	s_mov_b64 s[0:1], s[6:7]
	s_movk_i32 s2, 0x3014
	s_mov_b32 s11, 0
	v_mov_b32_e32 v48, 0xff7fffff
	v_mov_b32_e32 v36, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	s_and_b32 s5, s5, 0xffff
	s_and_b32 s1, s1, 0xffff
	v_lshlrev_b32_e32 v33, 3, v5
	v_or_b32_e32 v44, 0x1800, v0
	v_or_b32_e32 v45, 0x1880, v0
	v_or_b32_e32 v46, 0x1900, v0
	v_or_b32_e32 v47, 0x1980, v0
	v_mov_b32_e32 v5, 0
	s_mov_b32 s6, s14
	s_mov_b32 s7, s15
	s_mov_b32 s3, s15
	s_mov_b32 s10, 0x5040100
	s_waitcnt vmcnt(3)
	ds_write_b128 v38, v[20:23]
	s_waitcnt vmcnt(2)
	ds_write_b128 v38, v[24:27] offset:4096
	s_waitcnt vmcnt(1)
	ds_write_b128 v38, v[28:31] offset:8192
	s_waitcnt vmcnt(0)
	ds_write_b128 v38, v[50:53] offset:12288
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[14:17], v18
	ds_read_b128 v[22:25], v18 offset:64
	ds_read_b128 v[26:29], v18 offset:128
	ds_read_b128 v[50:53], v18 offset:192
	s_waitcnt lgkmcnt(2)
	v_pk_mul_f16 v21, v25, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v1, v17, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v0, v16, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v19, v15, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v18, v14, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v20, v24, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v23, v23, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v22, v22, s2 op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(1)
	v_pk_mul_f16 v25, v29, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v24, v28, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v27, v27, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v26, v26, s2 op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(0)
	v_pk_mul_f16 v29, v53, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v28, v52, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v31, v51, s2 op_sel_hi:[1,0]
	v_pk_mul_f16 v30, v50, s2 op_sel_hi:[1,0]
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	s_mov_b32 s2, s14
.LBB0_1:
	v_or_b32_e32 v49, s11, v34
	v_or_b32_e32 v50, s11, v37
	v_lshl_or_b32 v49, v49, 8, v35
	v_lshl_or_b32 v50, v50, 8, v39
	v_add_u32_e32 v51, 0x1000, v49
	s_barrier
	buffer_load_dwordx4 v[54:57], v49, s[4:7], 0 offen
	v_add_u32_e32 v52, 0x2000, v49
	v_add_u32_e32 v49, 0x3000, v49
	buffer_load_dwordx4 v[58:61], v50, s[0:3], 0 offen
	v_add_u32_e32 v50, 0x2000, v50
	buffer_load_dwordx4 v[62:65], v51, s[4:7], 0 offen
	buffer_load_dwordx4 v[66:69], v52, s[4:7], 0 offen
	buffer_load_dwordx4 v[70:73], v49, s[4:7], 0 offen
	buffer_load_dwordx4 v[74:77], v50, s[0:3], 0 offen
	s_add_i32 s13, s11, 64
	s_cmpk_lt_u32 s11, 0x3c0
	s_mov_b32 s11, s13
	s_waitcnt vmcnt(5)
	ds_write_b128 v38, v[54:57] offset:16384
	s_waitcnt vmcnt(4)
	ds_write_b128 v40, v[58:61] offset:32768
	s_waitcnt vmcnt(3)
	ds_write_b128 v38, v[62:65] offset:20480
	s_waitcnt vmcnt(2)
	ds_write_b128 v38, v[66:69] offset:24576
	s_waitcnt vmcnt(1)
	ds_write_b128 v38, v[70:73] offset:28672
	s_waitcnt vmcnt(0)
	ds_write_b128 v40, v[74:77] offset:36864
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b128 v[76:79], v41 offset:16384
	ds_read_b128 v[100:103], v41 offset:16448
	ds_read_b128 v[124:127], v41 offset:16512
	ds_read_b128 v[130:133], v41 offset:16576
	ds_read_b128 v[80:83], v41 offset:20480
	ds_read_b128 v[104:107], v41 offset:20544
	ds_read_b128 v[134:137], v41 offset:20608
	ds_read_b128 v[138:141], v41 offset:20672
	ds_read_b128 v[84:87], v41 offset:24576
	ds_read_b128 v[108:111], v41 offset:24640
	ds_read_b128 v[142:145], v41 offset:24704
	ds_read_b128 v[146:149], v41 offset:24768
	ds_read_b128 v[88:91], v41 offset:28672
	ds_read_b128 v[112:115], v41 offset:28736
	ds_read_b128 v[150:153], v41 offset:28800
	ds_read_b128 v[154:157], v41 offset:28864
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x16_f16 v[50:53], v[76:77], v[18:19], 0
	ds_read_u16 v67, v43 offset:33152
	ds_read_u16 v69, v43 offset:33056
	ds_read_u16 v70, v43 offset:33184
	ds_read_u16 v71, v43 offset:32800
	ds_read_u16 v72, v43 offset:32928
	ds_read_u16 v73, v43 offset:32832
	ds_read_u16 v92, v43 offset:35008
	ds_read_u16 v93, v43 offset:35040
	ds_read_u16 v94, v43 offset:34912
	s_waitcnt lgkmcnt(14)
	v_mfma_f32_16x16x16_f16 v[54:57], v[80:81], v[18:19], 0
	ds_read_u16 v95, v43 offset:35296
	ds_read_u16 v96, v43 offset:35168
	ds_read_u16 v97, v43 offset:36864
	ds_read_u16 v74, v43 offset:32960
	ds_read_u16 v75, v43 offset:32992
	ds_read_u16 v76, v43 offset:32864
	s_waitcnt lgkmcnt(12)
	v_perm_b32 v69, v70, v69, s10
	v_mfma_f32_16x16x16_f16 v[50:53], v[78:79], v[0:1], v[50:53]
	ds_read_u16 v77, v43 offset:33088
	ds_read_u16 v78, v43 offset:33216
	ds_read_u16 v79, v43 offset:33248
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v70, v74, v73, s10
	ds_read_u16 v49, v43 offset:33024
	ds_read_u16 v66, v43 offset:32896
	ds_read_u16 v68, v43 offset:32768
	v_mfma_f32_16x16x16_f16 v[58:61], v[84:85], v[18:19], 0
	ds_read_u16 v119, v45 offset:32768
	ds_read_u16 v120, v45 offset:32800
	ds_read_u16 v121, v44 offset:32832
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v67, v67, v49, s10
	ds_read_u16 v116, v46 offset:32800
	ds_read_u16 v117, v47 offset:32768
	ds_read_u16 v118, v47 offset:32800
	v_mfma_f32_16x16x16_f16 v[62:65], v[88:89], v[18:19], 0
	s_waitcnt lgkmcnt(6)
	v_perm_b32 v66, v66, v68, s10
	v_perm_b32 v68, v72, v71, s10
	v_perm_b32 v71, v78, v77, s10
	v_mfma_f32_16x16x16_f16 v[54:57], v[82:83], v[0:1], v[54:57]
	ds_read_u16 v80, v43 offset:33120
	ds_read_u16 v81, v43 offset:34816
	ds_read_u16 v82, v43 offset:34944
	ds_read_u16 v83, v43 offset:35072
	ds_read_u16 v84, v43 offset:35200
	ds_read_u16 v85, v43 offset:35104
	v_perm_b32 v72, v75, v76, s10
	v_mfma_f32_16x16x16_f16 v[50:53], v[100:101], v[22:23], v[50:53]
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v73, v79, v80, s10
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v74, v82, v81, s10
	v_perm_b32 v81, v95, v96, s10
	v_mfma_f32_16x16x16_f16 v[58:61], v[86:87], v[0:1], v[58:61]
	v_perm_b32 v80, v93, v94, s10
	ds_read_u16 v98, v43 offset:36992
	ds_read_u16 v99, v43 offset:37120
	ds_read_u16 v100, v43 offset:37248
	ds_read_u16 v86, v43 offset:34848
	ds_read_u16 v87, v43 offset:34976
	ds_read_u16 v88, v43 offset:34880
	v_mfma_f32_16x16x16_f16 v[62:65], v[90:91], v[0:1], v[62:65]
	s_waitcnt lgkmcnt(5)
	v_perm_b32 v82, v98, v97, s10
	ds_read_u16 v89, v43 offset:35232
	ds_read_u16 v90, v43 offset:35136
	ds_read_u16 v91, v43 offset:35264
	v_perm_b32 v75, v84, v83, s10
	v_mfma_f32_16x16x16_f16 v[54:57], v[104:105], v[22:23], v[54:57]
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v78, v92, v88, s10
	v_perm_b32 v83, v100, v99, s10
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v79, v91, v90, s10
	v_mfma_f32_16x16x16_f16 v[50:53], v[102:103], v[20:21], v[50:53]
	ds_read_u16 v101, v43 offset:36896
	ds_read_u16 v102, v43 offset:37024
	ds_read_u16 v103, v43 offset:36928
	v_perm_b32 v77, v89, v85, s10
	v_perm_b32 v76, v87, v86, s10
	v_mfma_f32_16x16x16_f16 v[58:61], v[108:109], v[22:23], v[58:61]
	ds_read_u16 v128, v46 offset:32864
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v84, v102, v101, s10
	v_perm_b32 v93, v118, v116, s10
	v_mfma_f32_16x16x16_f16 v[62:65], v[112:113], v[22:23], v[62:65]
	v_mfma_f32_16x16x16_f16 v[54:57], v[106:107], v[20:21], v[54:57]
	ds_read_u16 v104, v43 offset:37152
	ds_read_u16 v105, v43 offset:37280
	ds_read_u16 v106, v43 offset:37184
	ds_read_u16 v107, v43 offset:37056
	ds_read_u16 v108, v43 offset:37088
	ds_read_u16 v109, v43 offset:36960
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v86, v107, v103, s10
	v_mfma_f32_16x16x16_f16 v[50:53], v[124:125], v[26:27], v[50:53]
	ds_read_u16 v122, v45 offset:32832
	ds_read_u16 v123, v45 offset:32864
	ds_read_u16 v124, v44 offset:32864
	v_perm_b32 v85, v105, v104, s10
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v88, v108, v109, s10
	v_mfma_f32_16x16x16_f16 v[58:61], v[110:111], v[20:21], v[58:61]
	ds_read_u16 v110, v43 offset:37312
	ds_read_u16 v111, v43 offset:37344
	ds_read_u16 v112, v43 offset:37216
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v87, v110, v106, s10
	v_mfma_f32_16x16x16_f16 v[62:65], v[114:115], v[20:21], v[62:65]
	ds_read_u16 v113, v44 offset:32768
	ds_read_u16 v114, v44 offset:32800
	ds_read_u16 v115, v46 offset:32768
	s_waitcnt lgkmcnt(3)
	v_perm_b32 v89, v111, v112, s10
	s_waitcnt lgkmcnt(2)
	v_perm_b32 v90, v119, v113, s10
	v_mfma_f32_16x16x16_f16 v[54:57], v[134:135], v[26:27], v[54:57]
	s_waitcnt lgkmcnt(0)
	v_perm_b32 v91, v117, v115, s10
	v_perm_b32 v92, v120, v114, s10
	v_mfma_f32_16x16x16_f16 v[50:53], v[126:127], v[24:25], v[50:53]
	ds_read_u16 v125, v46 offset:32832
	ds_read_u16 v126, v47 offset:32832
	ds_read_u16 v127, v47 offset:32864
	s_waitcnt lgkmcnt(1)
	v_perm_b32 v49, v126, v125, s10
	v_mfma_f32_16x16x16_f16 v[58:61], v[142:143], v[26:27], v[58:61]
	v_mfma_f32_16x16x16_f16 v[62:65], v[150:151], v[26:27], v[62:65]
	v_mfma_f32_16x16x16_f16 v[54:57], v[136:137], v[24:25], v[54:57]
	v_mfma_f32_16x16x16_f16 v[50:53], v[130:131], v[30:31], v[50:53]
	v_mfma_f32_16x16x16_f16 v[58:61], v[144:145], v[24:25], v[58:61]
	v_mfma_f32_16x16x16_f16 v[62:65], v[152:153], v[24:25], v[62:65]
	v_mfma_f32_16x16x16_f16 v[54:57], v[138:139], v[30:31], v[54:57]
	v_mfma_f32_16x16x16_f16 v[50:53], v[132:133], v[28:29], v[50:53]
	v_mfma_f32_16x16x16_f16 v[58:61], v[146:147], v[30:31], v[58:61]
	v_mfma_f32_16x16x16_f16 v[62:65], v[154:155], v[30:31], v[62:65]
	s_nop 4
	v_max_f32_e32 v94, v51, v51
	v_max_f32_e32 v95, v50, v50
	v_max_f32_e32 v94, v95, v94
	v_mfma_f32_16x16x16_f16 v[54:57], v[140:141], v[28:29], v[54:57]
	v_max3_f32 v94, v94, v52, v53
	v_mfma_f32_16x16x16_f16 v[58:61], v[148:149], v[28:29], v[58:61]
	v_mfma_f32_16x16x16_f16 v[62:65], v[156:157], v[28:29], v[62:65]
	s_nop 3
	v_max3_f32 v94, v94, v54, v55
	v_max3_f32 v94, v94, v56, v57
	v_max3_f32 v94, v94, v58, v59
	v_max3_f32 v94, v94, v60, v61
	v_max3_f32 v94, v94, v62, v63
	v_max3_f32 v94, v94, v64, v65
	v_max_f32_e32 v94, 0xff800000, v94
	ds_swizzle_b32 v95, v94 offset:swizzle(SWAP,16)
	s_waitcnt lgkmcnt(0)
	v_max_f32_e32 v95, v95, v95
	v_max_f32_e32 v94, v94, v95
	ds_bpermute_b32 v95, v42, v94
	s_waitcnt lgkmcnt(0)
	v_max3_f32 v94, v94, v95, v48
	v_sub_f32_e32 v48, v48, v94
	v_pk_add_f32 v[50:51], v[50:51], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[52:53], v[52:53], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[56:57], v[56:57], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[54:55], v[54:55], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[60:61], v[60:61], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[58:59], v[58:59], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[64:65], v[64:65], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_pk_add_f32 v[62:63], v[62:63], v[94:95] op_sel_hi:[1,0] neg_lo:[0,1] neg_hi:[0,1]
	v_exp_f32_e32 v96, v48
	v_exp_f32_e32 v48, v50
	v_exp_f32_e32 v95, v51
	v_exp_f32_e32 v52, v52
	v_exp_f32_e32 v53, v53
	v_exp_f32_e32 v54, v54
	v_exp_f32_e32 v55, v55
	v_cvt_f16_f32_e32 v98, v48
	v_add_f32_e32 v48, v48, v95
	v_exp_f32_e32 v56, v56
	v_add_f32_e32 v48, v48, v52
	v_exp_f32_e32 v57, v57
	v_cvt_f16_f32_e32 v50, v53
	v_cvt_f16_f32_e32 v51, v52
	v_cvt_f16_f32_e32 v97, v95
	v_add_f32_e32 v48, v48, v53
	v_exp_f32_e32 v58, v58
	v_add_f32_e32 v48, v48, v54
	v_exp_f32_e32 v59, v59
	v_add_f32_e32 v48, v48, v55
	v_exp_f32_e32 v60, v60
	v_add_f32_e32 v48, v48, v56
	v_exp_f32_e32 v61, v61
	v_pk_mul_f32 v[12:13], v[12:13], v[96:97] op_sel_hi:[1,0]
	v_pk_mul_f32 v[10:11], v[10:11], v[96:97] op_sel_hi:[1,0]
	v_pack_b32_f16 v51, v51, v50
	v_pack_b32_f16 v50, v98, v97
	v_pk_mul_f32 v[8:9], v[8:9], v[96:97] op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[6:7], v[96:97] op_sel_hi:[1,0]
	v_add_f32_e32 v48, v48, v57
	v_exp_f32_e32 v62, v62
	v_cvt_f16_f32_e32 v99, v57
	v_mfma_f32_16x16x16_f16 v[10:13], v[66:67], v[50:51], v[10:13]
	v_cvt_f16_f32_e32 v66, v56
	v_cvt_f16_f32_e32 v67, v55
	v_pk_mul_f32 v[4:5], v[4:5], v[96:97] op_sel_hi:[1,0]
	v_mfma_f32_16x16x16_f16 v[6:9], v[68:69], v[50:51], v[6:9]
	v_mul_f32_e64 v2, v2, v96
	v_mul_f32_e64 v3, v3, v96
	v_cvt_f16_f32_e32 v68, v54
	v_add_f32_e32 v48, v48, v58
	v_exp_f32_e32 v63, v63
	v_mfma_f32_16x16x16_f16 v[2:5], v[70:71], v[50:51], v[2:5]
	v_add_f32_e32 v48, v48, v59
	v_exp_f32_e32 v64, v64
	v_add_f32_e32 v48, v48, v60
	v_exp_f32_e32 v65, v65
	v_pk_mul_f32 v[16:17], v[16:17], v[96:97] op_sel_hi:[1,0]
	v_pk_mul_f32 v[14:15], v[14:15], v[96:97] op_sel_hi:[1,0]
	v_add_f32_e32 v48, v48, v61
	v_cvt_f16_f32_e32 v69, v58
	v_mfma_f32_16x16x16_f16 v[14:17], v[72:73], v[50:51], v[14:17]
	v_pack_b32_f16 v51, v66, v99
	v_pack_b32_f16 v50, v68, v67
	v_cvt_f16_f32_e32 v66, v61
	v_cvt_f16_f32_e32 v67, v60
	v_cvt_f16_f32_e32 v68, v59
	v_add_f32_e32 v48, v48, v62
	v_mfma_f32_16x16x16_f16 v[2:5], v[78:79], v[50:51], v[2:5]
	v_add_f32_e32 v48, v48, v63
	v_add_f32_e32 v48, v48, v64
	v_add_f32_e32 v54, v48, v65
	v_mfma_f32_16x16x16_f16 v[10:13], v[74:75], v[50:51], v[10:13]
	v_cvt_f16_f32_e32 v70, v65
	v_cvt_f16_f32_e32 v71, v64
	v_cvt_f16_f32_e32 v72, v63
	v_mfma_f32_16x16x16_f16 v[6:9], v[76:77], v[50:51], v[6:9]
	v_cvt_f16_f32_e32 v73, v62
	ds_swizzle_b32 v55, v54 offset:swizzle(SWAP,16)
	v_perm_b32 v48, v122, v121, s10
	v_mfma_f32_16x16x16_f16 v[14:17], v[80:81], v[50:51], v[14:17]
	v_pack_b32_f16 v51, v67, v66
	v_pack_b32_f16 v50, v69, v68
	v_pack_b32_f16 v53, v71, v70
	v_pack_b32_f16 v52, v73, v72
	v_mfma_f32_16x16x16_f16 v[2:5], v[86:87], v[50:51], v[2:5]
	v_mul_f32_e32 v36, v36, v96
	v_mfma_f32_16x16x16_f16 v[10:13], v[82:83], v[50:51], v[10:13]
	v_mfma_f32_16x16x16_f16 v[6:9], v[84:85], v[50:51], v[6:9]
	v_mfma_f32_16x16x16_f16 v[14:17], v[88:89], v[50:51], v[14:17]
	v_perm_b32 v51, v127, v128, s10
	v_perm_b32 v50, v123, v124, s10
	v_mfma_f32_16x16x16_f16 v[2:5], v[48:49], v[52:53], v[2:5]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v49, v54, v55
	ds_bpermute_b32 v54, v42, v49
	v_mov_b32_e32 v48, v94
	v_mfma_f32_16x16x16_f16 v[10:13], v[90:91], v[52:53], v[10:13]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v49, v49, v54
	v_mfma_f32_16x16x16_f16 v[6:9], v[92:93], v[52:53], v[6:9]
	v_add_f32_e32 v36, v36, v49
	v_mfma_f32_16x16x16_f16 v[14:17], v[50:51], v[52:53], v[14:17]
	s_cbranch_scc1 .LBB0_1
	v_div_scale_f32 v0, s[0:1], v36, v36, 1.0
	v_rcp_f32_e32 v1, v0
	v_div_scale_f32 v18, vcc, 1.0, v36, 1.0
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
	s_and_b32 s9, s9, 0xffff
	v_fma_f32 v19, -v0, v1, 1.0
	v_fmac_f32_e32 v1, v19, v1
	v_mul_f32_e32 v19, v18, v1
	v_fma_f32 v20, -v0, v19, v18
	v_fmac_f32_e32 v19, v20, v1
	v_fma_f32 v0, -v0, v19, v18
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
	v_div_fmas_f32 v0, v0, v1, v19
	v_div_fixup_f32 v0, v0, v36, 1.0
	v_pk_mul_f32 v[10:11], v[10:11], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[12:13], v[12:13], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[4:5], v[0:1] op_sel_hi:[1,0]
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0
	v_cvt_f16_f32_e32 v13, v13
	v_cvt_f16_f32_e32 v12, v12
	v_cvt_f16_f32_e32 v11, v11
	v_cvt_f16_f32_e32 v10, v10
	v_cvt_f16_f32_e32 v5, v5
	v_cvt_f16_f32_e32 v4, v4
	v_pk_mul_f32 v[6:7], v[6:7], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[8:9], v[8:9], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[2:3], v[2:3], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[14:15], v[14:15], v[0:1] op_sel_hi:[1,0]
	v_pk_mul_f32 v[0:1], v[16:17], v[0:1] op_sel_hi:[1,0]
	v_cvt_f16_f32_e32 v9, v9
	v_cvt_f16_f32_e32 v8, v8
	v_cvt_f16_f32_e32 v16, v7
	v_cvt_f16_f32_e32 v17, v6
	v_pack_b32_f16 v7, v12, v13
	v_pack_b32_f16 v6, v10, v11
	v_cvt_f16_f32_e32 v3, v3
	v_cvt_f16_f32_e32 v2, v2
	v_cvt_f16_f32_e32 v10, v1
	v_cvt_f16_f32_e32 v11, v0
	v_cvt_f16_f32_e32 v12, v15
	v_cvt_f16_f32_e32 v13, v14
	v_pack_b32_f16 v1, v4, v5
	v_or_b32_e32 v4, s16, v32
	v_lshl_or_b32 v4, v4, 8, v33
	s_mov_b32 s11, 0x27000
	s_mov_b32 s10, 0x40000
	v_lshl_add_u32 v4, s12, 1, v4
	v_pack_b32_f16 v9, v8, v9
	v_pack_b32_f16 v8, v17, v16
	v_pack_b32_f16 v0, v2, v3
	v_pack_b32_f16 v3, v11, v10
	v_pack_b32_f16 v2, v13, v12
	buffer_store_dwordx2 v[6:7], v4, s[8:11], 0 offen
	buffer_store_dwordx2 v[8:9], v4, s[8:11], 0 offen offset:32
	buffer_store_dwordx2 v[0:1], v4, s[8:11], 0 offen offset:64
	buffer_store_dwordx2 v[2:3], v4, s[8:11], 0 offen offset:96
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
		.amdhsa_next_free_vgpr 257
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 160
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

	.set .Lattn_dispatch_0_attention_1024x128x128x1024.num_vgpr, 158
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
    .vgpr_count:     158
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgpu9.42-amd-amdhsa-unknown-gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

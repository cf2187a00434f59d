; iree-compile 3.13.0, gfx950, examples/gemm_gather_to_lds/gemm_gfx950.mlir: tests/data/make_isa_kernels.py
; To reproduce the .rocmasm from .optimized.ll, run:
; llc -mtriple=amdgpu9.50-amd-amdhsa -mcpu=gfx950 -mattr='-fma-mix-insts' -O3 <.optimized.ll> -o <out.rocmasm>

	.amdgcn_target "amdgpu9.50-amd-amdhsa-unknown-gfx950"
	.amdhsa_code_object_version 5
	.text
	.globl	gemm_gather_to_lds
	.p2align	8
	.type	gemm_gather_to_lds,@function
gemm_gather_to_lds:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dwordx4 s[4:7], s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_0
	.p2align	8
.LBB0_0:
	v_lshrrev_b32_e32 v1, 6, v0
	v_lshrrev_b32_e32 v5, 2, v0
	v_lshrrev_b32_e32 v7, 1, v0
	s_mov_b64 s[0:1], s[6:7]
	s_mov_b64 s[12:13], s[2:3]
	s_lshl_b32 s3, s8, 6
	v_lshrrev_b32_e32 v2, 3, v0
	s_lshl_b32 s2, s9, 6
	v_readfirstlane_b32 s6, v1
	v_and_b32_e32 v18, 32, v5
	v_and_b32_e32 v5, 15, v0
	v_lshlrev_b32_e32 v1, 5, v1
	v_and_b32_e32 v7, 64, v7
	v_or_b32_e32 v3, s3, v2
	v_or_b32_e32 v4, s2, v2
	v_or_b32_e32 v6, v18, v5
	v_sub_u32_e32 v1, v1, v7
	v_bfe_u32 v19, v0, 4, 2
	s_mov_b32 s15, 0x27000
	s_mov_b32 s14, 0x40000
	v_or_b32_e32 v5, v1, v5
	v_lshlrev_b32_e32 v7, 3, v0
	v_lshlrev_b32_e32 v2, 6, v2
	v_lshlrev_b32_e32 v21, 10, v3
	s_lshl_b32 s8, s6, 10
	v_lshlrev_b32_e32 v23, 10, v4
	v_lshlrev_b32_e32 v27, 7, v6
	v_lshlrev_b32_e32 v28, 4, v19
	s_and_b32 s13, s13, 0xffff
	s_and_b32 s5, s5, 0xffff
	v_sub_u32_e32 v20, v7, v2
	v_or_b32_e32 v22, 0x8000, v21
	v_or_b32_e32 v24, 0x8000, v23
	v_or_b32_e32 v25, v28, v27
	v_lshl_or_b32 v26, v5, 7, v28
	s_mov_b32 s9, 0
	v_mov_b32_e32 v10, 0
	v_mov_b32_e32 v11, 0
	v_mov_b32_e32 v12, 0
	v_mov_b32_e32 v13, 0
	v_mov_b32_e32 v14, 0
	v_mov_b32_e32 v15, 0
	v_mov_b32_e32 v16, 0
	v_mov_b32_e32 v17, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	v_mov_b32_e32 v8, 0
	v_mov_b32_e32 v9, 0
	s_or_b32 s10, s8, 0x2000
	s_or_b32 s11, s8, 0x3000
	s_or_b32 s16, s8, 0x1000
	v_add_u32_e32 v27, v28, v27
	s_mov_b32 s6, s14
	s_mov_b32 s7, s15
	.p2align	5, , 4
.LBB0_1:
	v_add_lshl_u32 v28, s9, v20, 1
	s_mov_b32 m0, s10
	v_add_u32_e32 v29, v21, v28
	s_barrier
	v_add_u32_e32 v30, v22, v28
	buffer_load_dwordx4 v29, s[12:15], 0 offen lds
	s_mov_b32 m0, s11
	v_add_u32_e32 v31, v23, v28
	buffer_load_dwordx4 v30, s[12:15], 0 offen lds
	s_mov_b32 m0, s8
	v_add_u32_e32 v28, v24, v28
	buffer_load_dwordx4 v31, s[4:7], 0 offen lds
	s_mov_b32 m0, s16
	s_add_i32 s17, s9, 64
	buffer_load_dwordx4 v28, s[4:7], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b128 v[28:31], v26
	ds_read_b128 v[32:35], v25 offset:8192
	ds_read_b128 v[36:39], v25 offset:10240
	ds_read_b128 v[40:43], v26 offset:64
	ds_read_b128 v[44:47], v26 offset:2048
	ds_read_b128 v[48:51], v26 offset:2112
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x32_f16 v[10:13], v[28:31], v[32:35], v[10:13]
	s_cmpk_lt_u32 s9, 0x1c0
	s_mov_b32 s9, s17
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[14:17], v[44:47], v[32:35], v[14:17]
	v_mfma_f32_16x16x32_f16 v[2:5], v[28:31], v[36:39], v[2:5]
	ds_read_b128 v[28:31], v27 offset:8256
	ds_read_b128 v[32:35], v27 offset:10304
	v_mfma_f32_16x16x32_f16 v[6:9], v[44:47], v[36:39], v[6:9]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x32_f16 v[10:13], v[40:43], v[28:31], v[10:13]
	v_mfma_f32_16x16x32_f16 v[14:17], v[48:51], v[28:31], v[14:17]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x32_f16 v[2:5], v[40:43], v[32:35], v[2:5]
	v_mfma_f32_16x16x32_f16 v[6:9], v[48:51], v[32:35], v[6:9]
	s_cbranch_scc1 .LBB0_1
	v_and_b32_e32 v20, 0xf0, v0
	v_add_u32_e32 v0, s3, v0
	v_sub_u32_e32 v0, v0, v20
	v_add_u32_e32 v20, v0, v18
	v_ashrrev_i32_e32 v21, 31, v20
	v_add_u32_e32 v0, s2, v1
	v_lshl_or_b32 v0, v19, 2, v0
	v_lshlrev_b64 v[18:19], 10, v[20:21]
	v_ashrrev_i32_e32 v1, 31, v0
	v_lshl_add_u64 v[18:19], s[0:1], 0, v[18:19]
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[18:19]
	s_mov_b64 s[0:1], 0x4000
	global_store_dwordx4 v[0:1], v[10:13], off
	global_store_dwordx4 v[0:1], v[14:17], off offset:64
	s_nop 0
	v_lshl_add_u64 v[10:11], v[0:1], 0, s[0:1]
	v_add_co_u32_e32 v0, vcc, 0x4000, v0
	s_nop 1
	v_addc_co_u32_e32 v1, vcc, 0, v1, vcc
	global_store_dwordx4 v[0:1], v[2:5], off
	global_store_dwordx4 v[10:11], v[6:9], off offset:64
	s_endpgm
.Lfunc_end0:
	.size	gemm_gather_to_lds, .Lfunc_end0-gemm_gather_to_lds
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm_gather_to_lds
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
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 52
		.amdhsa_next_free_sgpr 18
		.amdhsa_accum_offset 52
		.amdhsa_reserve_vcc 1
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

	.set .Lgemm_gather_to_lds.num_vgpr, 52
	.set .Lgemm_gather_to_lds.num_agpr, 0
	.set .Lgemm_gather_to_lds.numbered_sgpr, 18
	.set .Lgemm_gather_to_lds.num_named_barrier, 0
	.set .Lgemm_gather_to_lds.private_seg_size, 0
	.set .Lgemm_gather_to_lds.uses_vcc, 1
	.set .Lgemm_gather_to_lds.uses_flat_scratch, 0
	.set .Lgemm_gather_to_lds.has_dyn_sized_stack, 0
	.set .Lgemm_gather_to_lds.has_recursion, 0
	.set .Lgemm_gather_to_lds.has_indirect_call, 0
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
        .address_space:  generic
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .actual_access:  read_only
        .address_space:  generic
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .actual_access:  write_only
        .address_space:  generic
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 256
    .name:           gemm_gather_to_lds
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     24
    .sgpr_spill_count: 0
    .symbol:         gemm_gather_to_lds.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     52
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgpu9.50-amd-amdhsa-unknown-gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata

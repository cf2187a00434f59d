; The reads of kernel 04 by hand: what its layout makes of one wave iteration, for gfx950.
;
; A lane reads 8 values of m in one column k. Its byte address is
;
;     512 (l mod 8) + 128 (j / 2) + 16 ((4 (j mod 2) + w) XOR (4 (l mod 2) + j / 2)) + 2 (l / 8)
;
; with lane l, wave w, value j. The constants 128 and 256 stand behind the XOR: they touch other
; bits than it does, so the addresses are those of the layout. Its 4 x 48 conflicts (a wave's eight
; reads: 8 x 6) come from the layout alone.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
kernel_04_reads:
	v_and_b32_e32 v1, 7, v0                 ; l mod 8
	v_lshlrev_b32_e32 v2, 9, v1
	v_bfe_u32 v3, v0, 3, 3                  ; l / 8
	v_lshl_or_b32 v2, v3, 1, v2
	v_lshrrev_b32_e32 v4, 6, v0             ; w
	v_and_b32_e32 v5, 1, v0
	v_lshlrev_b32_e32 v5, 2, v5             ; 4 (l mod 2)
	v_xor_b32_e32 v4, v4, v5
	v_lshl_or_b32 v6, v4, 4, v2
	v_xor_b32_e32 v28, 64, v6
	v_xor_b32_e32 v29, 16, v6
	v_xor_b32_e32 v26, 0x50, v6
	v_xor_b32_e32 v22, 32, v6
	v_xor_b32_e32 v23, 0x60, v6
	v_add_u32_e32 v23, 0x100, v23
	v_xor_b32_e32 v24, 48, v6
	v_add_u32_e32 v24, 0x180, v24
	v_xor_b32_e32 v25, 0x70, v6
	v_add_u32_e32 v25, 0x180, v25
	ds_read_u16 v10, v6
	ds_read_u16 v11, v28
	ds_read_u16 v18, v29 offset:128
	ds_read_u16 v20, v26 offset:128
	ds_read_u16 v21, v22 offset:256
	ds_read_u16 v13, v23
	ds_read_u16 v14, v24
	ds_read_u16 v15, v25
	s_endpgm
.Lfunc_end0:
	.amdhsa_kernel kernel_04_reads
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_system_vgpr_workitem_id 0
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args: []
    .group_segment_fixed_size: 4096
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .name:           kernel_04_reads
    .vgpr_count:     32
...
	.end_amdgpu_metadata

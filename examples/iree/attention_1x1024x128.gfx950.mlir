// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @attn_dispatch_0_attention_1024x128x128x1024) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"hip", [#hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx950", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x32_F16>, <MFMA_F32_32x32x16_F16>, <MFMA_F32_16x16x32_BF16>, <MFMA_F32_32x32x16_BF16>, <MFMA_F32_16x16x128_F8E5M2>, <MFMA_F32_16x16x128_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x64_I8>, <MFMA_I32_32x32x32_I8>, <MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2>, <MFMA_F32_16x16x32_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], scaled_mma = [<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 163840, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32, 128], workgroup_memory_bank_count = 64>>, ukernels = "none"}>]> : !hal.device
  hal.executable public @attn_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx950", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x32_F16>, <MFMA_F32_32x32x16_F16>, <MFMA_F32_16x16x32_BF16>, <MFMA_F32_32x32x16_BF16>, <MFMA_F32_16x16x128_F8E5M2>, <MFMA_F32_16x16x128_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x64_I8>, <MFMA_I32_32x32x32_I8>, <MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2>, <MFMA_F32_16x16x32_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], scaled_mma = [<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 163840, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32, 128], workgroup_memory_bank_count = 64>>, ukernels = "none"}>) {
      hal.executable.export public @attn_dispatch_0_attention_1024x128x128x1024 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @attn_dispatch_0_attention_1024x128x128x1024() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [256, 1, 1] subgroup_size = 64>, iree_codegen.denormal_fp_math_f32 = #iree_codegen.denormal_fp_math<"preserve-sign">} {
          %c51 = arith.constant 51 : index
          %c50 = arith.constant 50 : index
          %c49 = arith.constant 49 : index
          %c35 = arith.constant 35 : index
          %c34 = arith.constant 34 : index
          %c33 = arith.constant 33 : index
          %c19 = arith.constant 19 : index
          %c18 = arith.constant 18 : index
          %c17 = arith.constant 17 : index
          %c3 = arith.constant 3 : index
          %c2 = arith.constant 2 : index
          %c1 = arith.constant 1 : index
          %c96 = arith.constant 96 : index
          %c48 = arith.constant 48 : index
          %c32 = arith.constant 32 : index
          %c16 = arith.constant 16 : index
          %cst = arith.constant 0.000000e+00 : f32
          %cst_0 = arith.constant 0xFF800000 : f32
          %cst_1 = arith.constant dense<0.000000e+00> : vector<1xf32>
          %c32_i32 = arith.constant 32 : i32
          %c64_i32 = arith.constant 64 : i32
          %c16_i32 = arith.constant 16 : i32
          %cst_2 = arith.constant dense<0.000000e+00> : vector<4xf32>
          %c0 = arith.constant 0 : index
          %c1024 = arith.constant 1024 : index
          %c64 = arith.constant 64 : index
          %cst_3 = arith.constant dense<-3.40282347E+38> : vector<1xf32>
          %cst_4 = arith.constant dense<1.274410e-01> : vector<8xf16>
          %cst_5 = arith.constant dense<1.000000e+00> : vector<1xf32>
          %thread_id_y = gpu.thread_id y
          %thread_id_x = gpu.thread_id x
          %alloc = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
          %alloc_6 = memref.alloc() : memref<64x128xf16, #gpu.address_space<workgroup>>
          %alloc_7 = memref.alloc() : memref<64x128xf16, #gpu.address_space<workgroup>>
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align = memref.assume_alignment %0, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<1024x128xf16, #gpu.address_space<global>> to memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align_8 = memref.assume_alignment %2, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %3 = amdgpu.fat_raw_buffer_cast %assume_align_8 resetOffset : memref<1024x128xf16, #gpu.address_space<global>> to memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>
          %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align_9 = memref.assume_alignment %4, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %5 = amdgpu.fat_raw_buffer_cast %assume_align_9 resetOffset : memref<1024x128xf16, #gpu.address_space<global>> to memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>
          %6 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(3) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align_10 = memref.assume_alignment %6, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %7 = amdgpu.fat_raw_buffer_cast %assume_align_10 resetOffset : memref<1024x128xf16, #gpu.address_space<global>> to memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %8:2 = affine.delinearize_index %workgroup_id_x into (16, 2) : index, index
          %9 = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%8#0]
          %10 = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%8#1]
          %11:2 = affine.delinearize_index %thread_id_x into (16, 16) : index, index
          %12 = affine.linearize_index [%11#0, %9] by (16, 1) : index
          %13 = affine.linearize_index disjoint [%11#1, %c0] by (16, 8) : index
          %14 = vector.load %1[%12, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %15 = affine.linearize_index [%c0, %11#0, %9] by (4, 16, 1) : index
          %16 = arith.addi %15, %c16 overflow<nsw> : index
          %17 = vector.load %1[%16, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %18 = arith.addi %15, %c32 overflow<nsw> : index
          %19 = vector.load %1[%18, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %20 = arith.addi %15, %c48 overflow<nsw> : index
          %21 = vector.load %1[%20, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %22 = arith.cmpi eq, %thread_id_y, %c0 : index
          scf.if %22 {
            vector.store %14, %alloc_7[%11#0, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %51 = affine.linearize_index disjoint [%c0, %11#0] by (4, 16) : index
            %52 = arith.addi %51, %c16 overflow<nsw> : index
            vector.store %17, %alloc_7[%52, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %53 = arith.addi %51, %c32 overflow<nsw> : index
            vector.store %19, %alloc_7[%53, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %54 = arith.addi %51, %c48 overflow<nsw> : index
            vector.store %21, %alloc_7[%54, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          }
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %23:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
          %24:3 = affine.delinearize_index %thread_id_x into (4, 16) : index, index, index
          %25 = affine.linearize_index disjoint [%23#0, %24#2] by (4, 16) : index
          %26 = affine.linearize_index disjoint [%24#1, %c0] by (4, 8) : index
          %27 = vector.load %alloc_7[%25, %26] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %28 = affine.linearize_index disjoint [%c0, %24#1, %c0] by (4, 4, 8) : index
          %29 = arith.addi %28, %c32 overflow<nsw> : index
          %30 = vector.load %alloc_7[%25, %29] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %31 = arith.addi %28, %c64 overflow<nsw> : index
          %32 = vector.load %alloc_7[%25, %31] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %33 = arith.addi %28, %c96 overflow<nsw> : index
          %34 = vector.load %alloc_7[%25, %33] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %35 = arith.mulf %27, %cst_4 : vector<8xf16>
          %36 = arith.mulf %30, %cst_4 : vector<8xf16>
          %37 = arith.mulf %32, %cst_4 : vector<8xf16>
          %38 = arith.mulf %34, %cst_4 : vector<8xf16>
          %39:6 = scf.for %arg0 = %c0 to %c1024 step %c64 iter_args(%arg1 = %cst_2, %arg2 = %cst_2, %arg3 = %cst_2, %arg4 = %cst_2, %arg5 = %cst_1, %arg6 = %cst_3) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<1xf32>, vector<1xf32>) {
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %51 = affine.linearize_index [%11#0, %arg0] by (16, 1) : index
            %52 = vector.load %3[%51, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %53 = affine.linearize_index [%c0, %11#0, %arg0] by (4, 16, 1) : index
            %54 = arith.addi %53, %c16 overflow<nsw> : index
            %55 = vector.load %3[%54, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %56 = arith.addi %53, %c32 overflow<nsw> : index
            %57 = vector.load %3[%56, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %58 = arith.addi %53, %c48 overflow<nsw> : index
            %59 = vector.load %3[%58, %13] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            scf.if %22 {
              vector.store %52, %alloc_6[%11#0, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %323 = affine.linearize_index disjoint [%c0, %11#0] by (4, 16) : index
              %324 = arith.addi %323, %c16 overflow<nsw> : index
              vector.store %55, %alloc_6[%324, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %325 = arith.addi %323, %c32 overflow<nsw> : index
              vector.store %57, %alloc_6[%325, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %326 = arith.addi %323, %c48 overflow<nsw> : index
              vector.store %59, %alloc_6[%326, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            }
            %60:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
            %61 = affine.linearize_index [%60#0, %arg0] by (32, 1) : index
            %62 = affine.linearize_index [%60#1, %10] by (8, 8) : index
            %63 = vector.load %5[%61, %62] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %64 = affine.linearize_index [%c0, %60#0, %arg0] by (2, 32, 1) : index
            %65 = arith.addi %64, %c32 overflow<nsw> : index
            %66 = vector.load %5[%65, %62] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            scf.if %22 {
              %323 = affine.linearize_index disjoint [%60#1, %c0] by (8, 8) : index
              vector.store %63, %alloc[%60#0, %323] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %324 = affine.linearize_index disjoint [%c0, %60#0] by (2, 32) : index
              %325 = arith.addi %324, %c32 overflow<nsw> : index
              vector.store %66, %alloc[%325, %323] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            }
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %67 = vector.load %alloc_6[%24#2, %26] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %68 = vector.load %alloc_6[%24#2, %29] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %69 = vector.load %alloc_6[%24#2, %31] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %70 = vector.load %alloc_6[%24#2, %33] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %71 = affine.linearize_index disjoint [%c0, %24#2] by (4, 16) : index
            %72 = arith.addi %71, %c16 overflow<nsw> : index
            %73 = vector.load %alloc_6[%72, %26] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %74 = vector.load %alloc_6[%72, %29] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %75 = vector.load %alloc_6[%72, %31] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %76 = vector.load %alloc_6[%72, %33] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %77 = arith.addi %71, %c32 overflow<nsw> : index
            %78 = vector.load %alloc_6[%77, %26] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %79 = vector.load %alloc_6[%77, %29] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %80 = vector.load %alloc_6[%77, %31] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %81 = vector.load %alloc_6[%77, %33] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %82 = arith.addi %71, %c48 overflow<nsw> : index
            %83 = vector.load %alloc_6[%82, %26] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %84 = vector.load %alloc_6[%82, %29] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %85 = vector.load %alloc_6[%82, %31] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %86 = vector.load %alloc_6[%82, %33] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %87 = amdgpu.mfma 16x16x32 %67 * %35 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %88 = amdgpu.mfma 16x16x32 %73 * %35 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %89 = amdgpu.mfma 16x16x32 %78 * %35 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %90 = amdgpu.mfma 16x16x32 %83 * %35 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %91 = amdgpu.mfma 16x16x32 %68 * %36 + %87 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %92 = amdgpu.mfma 16x16x32 %74 * %36 + %88 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %93 = amdgpu.mfma 16x16x32 %79 * %36 + %89 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %94 = amdgpu.mfma 16x16x32 %84 * %36 + %90 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %95 = amdgpu.mfma 16x16x32 %69 * %37 + %91 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %96 = amdgpu.mfma 16x16x32 %75 * %37 + %92 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %97 = amdgpu.mfma 16x16x32 %80 * %37 + %93 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %98 = amdgpu.mfma 16x16x32 %85 * %37 + %94 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %99 = amdgpu.mfma 16x16x32 %70 * %38 + %95 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %100 = amdgpu.mfma 16x16x32 %76 * %38 + %96 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %101 = amdgpu.mfma 16x16x32 %81 * %38 + %97 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %102 = amdgpu.mfma 16x16x32 %86 * %38 + %98 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %103:4 = vector.to_elements %99 : vector<4xf32>
            %104:4 = vector.to_elements %100 : vector<4xf32>
            %105:4 = vector.to_elements %101 : vector<4xf32>
            %106:4 = vector.to_elements %102 : vector<4xf32>
            %107 = vector.from_elements %103#0, %103#1, %103#2, %103#3, %104#0, %104#1, %104#2, %104#3, %105#0, %105#1, %105#2, %105#3, %106#0, %106#1, %106#2, %106#3 : vector<16xf32>
            %108 = vector.reduction <maximumf>, %107, %cst_0 : vector<16xf32> into f32
            %shuffleResult, %valid = gpu.shuffle xor %108, %c16_i32, %c64_i32 : f32
            %109 = arith.maximumf %108, %shuffleResult : f32
            %shuffleResult_11, %valid_12 = gpu.shuffle xor %109, %c32_i32, %c64_i32 : f32
            %110 = arith.maximumf %109, %shuffleResult_11 : f32
            %111 = vector.broadcast %110 : f32 to vector<1xf32>
            %112 = arith.maximumf %111, %arg6 : vector<1xf32>
            %113 = arith.subf %arg6, %112 : vector<1xf32>
            %114 = math.exp2 %113 : vector<1xf32>
            %115 = arith.mulf %114, %arg5 : vector<1xf32>
            %116 = vector.extract %112[0] : f32 from vector<1xf32>
            %117 = vector.broadcast %116 : f32 to vector<4xf32>
            %118 = arith.subf %99, %117 : vector<4xf32>
            %119 = arith.subf %100, %117 : vector<4xf32>
            %120 = arith.subf %101, %117 : vector<4xf32>
            %121 = arith.subf %102, %117 : vector<4xf32>
            %122 = math.exp2 %118 : vector<4xf32>
            %123 = math.exp2 %119 : vector<4xf32>
            %124 = math.exp2 %120 : vector<4xf32>
            %125 = math.exp2 %121 : vector<4xf32>
            %126:4 = vector.to_elements %122 : vector<4xf32>
            %127:4 = vector.to_elements %123 : vector<4xf32>
            %128:4 = vector.to_elements %124 : vector<4xf32>
            %129:4 = vector.to_elements %125 : vector<4xf32>
            %130 = vector.from_elements %126#0, %126#1, %126#2, %126#3, %127#0, %127#1, %127#2, %127#3, %128#0, %128#1, %128#2, %128#3, %129#0, %129#1, %129#2, %129#3 : vector<16xf32>
            %131 = vector.reduction <add>, %130, %cst : vector<16xf32> into f32
            %shuffleResult_13, %valid_14 = gpu.shuffle xor %131, %c16_i32, %c64_i32 : f32
            %132 = arith.addf %131, %shuffleResult_13 : f32
            %shuffleResult_15, %valid_16 = gpu.shuffle xor %132, %c32_i32, %c64_i32 : f32
            %133 = arith.addf %132, %shuffleResult_15 : f32
            %134 = vector.broadcast %133 : f32 to vector<1xf32>
            %135 = arith.addf %134, %115 : vector<1xf32>
            %136 = arith.truncf %122 : vector<4xf32> to vector<4xf16>
            %137 = arith.truncf %123 : vector<4xf32> to vector<4xf16>
            %138 = arith.truncf %124 : vector<4xf32> to vector<4xf16>
            %139 = arith.truncf %125 : vector<4xf32> to vector<4xf16>
            %140 = vector.extract %114[0] : f32 from vector<1xf32>
            %141 = vector.broadcast %140 : f32 to vector<4xf32>
            %142 = arith.mulf %141, %arg1 : vector<4xf32>
            %143 = arith.mulf %141, %arg2 : vector<4xf32>
            %144 = arith.mulf %141, %arg3 : vector<4xf32>
            %145 = arith.mulf %141, %arg4 : vector<4xf32>
            %146 = affine.linearize_index disjoint [%24#1, %c0] by (4, 4) : index
            %147 = vector.load %alloc[%146, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %148 = arith.addi %146, %c1 overflow<nsw> : index
            %149 = vector.load %alloc[%148, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %150 = arith.addi %146, %c2 overflow<nsw> : index
            %151 = vector.load %alloc[%150, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %152 = arith.addi %146, %c3 overflow<nsw> : index
            %153 = vector.load %alloc[%152, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %154 = vector.load %alloc[%146, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %155 = vector.load %alloc[%148, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %156 = vector.load %alloc[%150, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %157 = vector.load %alloc[%152, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %158 = vector.load %alloc[%146, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %159 = vector.load %alloc[%148, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %160 = vector.load %alloc[%150, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %161 = vector.load %alloc[%152, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %162 = vector.load %alloc[%146, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %163 = vector.load %alloc[%148, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %164 = vector.load %alloc[%150, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %165 = vector.load %alloc[%152, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %166 = affine.linearize_index disjoint [%c0, %24#1, %c0] by (4, 4, 4) : index
            %167 = arith.addi %166, %c16 overflow<nsw> : index
            %168 = vector.load %alloc[%167, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %169 = arith.addi %166, %c17 overflow<nsw> : index
            %170 = vector.load %alloc[%169, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %171 = arith.addi %166, %c18 overflow<nsw> : index
            %172 = vector.load %alloc[%171, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %173 = arith.addi %166, %c19 overflow<nsw> : index
            %174 = vector.load %alloc[%173, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %175 = vector.load %alloc[%167, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %176 = vector.load %alloc[%169, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %177 = vector.load %alloc[%171, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %178 = vector.load %alloc[%173, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %179 = vector.load %alloc[%167, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %180 = vector.load %alloc[%169, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %181 = vector.load %alloc[%171, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %182 = vector.load %alloc[%173, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %183 = vector.load %alloc[%167, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %184 = vector.load %alloc[%169, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %185 = vector.load %alloc[%171, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %186 = vector.load %alloc[%173, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %187 = arith.addi %166, %c32 overflow<nsw> : index
            %188 = vector.load %alloc[%187, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %189 = arith.addi %166, %c33 overflow<nsw> : index
            %190 = vector.load %alloc[%189, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %191 = arith.addi %166, %c34 overflow<nsw> : index
            %192 = vector.load %alloc[%191, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %193 = arith.addi %166, %c35 overflow<nsw> : index
            %194 = vector.load %alloc[%193, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %195 = vector.load %alloc[%187, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %196 = vector.load %alloc[%189, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %197 = vector.load %alloc[%191, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %198 = vector.load %alloc[%193, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %199 = vector.load %alloc[%187, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %200 = vector.load %alloc[%189, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %201 = vector.load %alloc[%191, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %202 = vector.load %alloc[%193, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %203 = vector.load %alloc[%187, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %204 = vector.load %alloc[%189, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %205 = vector.load %alloc[%191, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %206 = vector.load %alloc[%193, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %207 = arith.addi %166, %c48 overflow<nsw> : index
            %208 = vector.load %alloc[%207, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %209 = arith.addi %166, %c49 overflow<nsw> : index
            %210 = vector.load %alloc[%209, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %211 = arith.addi %166, %c50 overflow<nsw> : index
            %212 = vector.load %alloc[%211, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %213 = arith.addi %166, %c51 overflow<nsw> : index
            %214 = vector.load %alloc[%213, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %215 = vector.load %alloc[%207, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %216 = vector.load %alloc[%209, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %217 = vector.load %alloc[%211, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %218 = vector.load %alloc[%213, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %219 = vector.load %alloc[%207, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %220 = vector.load %alloc[%209, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %221 = vector.load %alloc[%211, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %222 = vector.load %alloc[%213, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %223 = vector.load %alloc[%207, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %224 = vector.load %alloc[%209, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %225 = vector.load %alloc[%211, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %226 = vector.load %alloc[%213, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %227 = vector.extract %147[0] : f16 from vector<1xf16>
            %228 = vector.extract %149[0] : f16 from vector<1xf16>
            %229 = vector.extract %151[0] : f16 from vector<1xf16>
            %230 = vector.extract %153[0] : f16 from vector<1xf16>
            %231 = vector.from_elements %227, %228, %229, %230 : vector<4xf16>
            %232 = vector.extract %154[0] : f16 from vector<1xf16>
            %233 = vector.extract %155[0] : f16 from vector<1xf16>
            %234 = vector.extract %156[0] : f16 from vector<1xf16>
            %235 = vector.extract %157[0] : f16 from vector<1xf16>
            %236 = vector.from_elements %232, %233, %234, %235 : vector<4xf16>
            %237 = vector.extract %158[0] : f16 from vector<1xf16>
            %238 = vector.extract %159[0] : f16 from vector<1xf16>
            %239 = vector.extract %160[0] : f16 from vector<1xf16>
            %240 = vector.extract %161[0] : f16 from vector<1xf16>
            %241 = vector.from_elements %237, %238, %239, %240 : vector<4xf16>
            %242 = vector.extract %162[0] : f16 from vector<1xf16>
            %243 = vector.extract %163[0] : f16 from vector<1xf16>
            %244 = vector.extract %164[0] : f16 from vector<1xf16>
            %245 = vector.extract %165[0] : f16 from vector<1xf16>
            %246 = vector.from_elements %242, %243, %244, %245 : vector<4xf16>
            %247 = vector.extract %168[0] : f16 from vector<1xf16>
            %248 = vector.extract %170[0] : f16 from vector<1xf16>
            %249 = vector.extract %172[0] : f16 from vector<1xf16>
            %250 = vector.extract %174[0] : f16 from vector<1xf16>
            %251 = vector.from_elements %247, %248, %249, %250 : vector<4xf16>
            %252 = vector.extract %175[0] : f16 from vector<1xf16>
            %253 = vector.extract %176[0] : f16 from vector<1xf16>
            %254 = vector.extract %177[0] : f16 from vector<1xf16>
            %255 = vector.extract %178[0] : f16 from vector<1xf16>
            %256 = vector.from_elements %252, %253, %254, %255 : vector<4xf16>
            %257 = vector.extract %179[0] : f16 from vector<1xf16>
            %258 = vector.extract %180[0] : f16 from vector<1xf16>
            %259 = vector.extract %181[0] : f16 from vector<1xf16>
            %260 = vector.extract %182[0] : f16 from vector<1xf16>
            %261 = vector.from_elements %257, %258, %259, %260 : vector<4xf16>
            %262 = vector.extract %183[0] : f16 from vector<1xf16>
            %263 = vector.extract %184[0] : f16 from vector<1xf16>
            %264 = vector.extract %185[0] : f16 from vector<1xf16>
            %265 = vector.extract %186[0] : f16 from vector<1xf16>
            %266 = vector.from_elements %262, %263, %264, %265 : vector<4xf16>
            %267 = vector.extract %188[0] : f16 from vector<1xf16>
            %268 = vector.extract %190[0] : f16 from vector<1xf16>
            %269 = vector.extract %192[0] : f16 from vector<1xf16>
            %270 = vector.extract %194[0] : f16 from vector<1xf16>
            %271 = vector.from_elements %267, %268, %269, %270 : vector<4xf16>
            %272 = vector.extract %195[0] : f16 from vector<1xf16>
            %273 = vector.extract %196[0] : f16 from vector<1xf16>
            %274 = vector.extract %197[0] : f16 from vector<1xf16>
            %275 = vector.extract %198[0] : f16 from vector<1xf16>
            %276 = vector.from_elements %272, %273, %274, %275 : vector<4xf16>
            %277 = vector.extract %199[0] : f16 from vector<1xf16>
            %278 = vector.extract %200[0] : f16 from vector<1xf16>
            %279 = vector.extract %201[0] : f16 from vector<1xf16>
            %280 = vector.extract %202[0] : f16 from vector<1xf16>
            %281 = vector.from_elements %277, %278, %279, %280 : vector<4xf16>
            %282 = vector.extract %203[0] : f16 from vector<1xf16>
            %283 = vector.extract %204[0] : f16 from vector<1xf16>
            %284 = vector.extract %205[0] : f16 from vector<1xf16>
            %285 = vector.extract %206[0] : f16 from vector<1xf16>
            %286 = vector.from_elements %282, %283, %284, %285 : vector<4xf16>
            %287 = vector.extract %208[0] : f16 from vector<1xf16>
            %288 = vector.extract %210[0] : f16 from vector<1xf16>
            %289 = vector.extract %212[0] : f16 from vector<1xf16>
            %290 = vector.extract %214[0] : f16 from vector<1xf16>
            %291 = vector.from_elements %287, %288, %289, %290 : vector<4xf16>
            %292 = vector.extract %215[0] : f16 from vector<1xf16>
            %293 = vector.extract %216[0] : f16 from vector<1xf16>
            %294 = vector.extract %217[0] : f16 from vector<1xf16>
            %295 = vector.extract %218[0] : f16 from vector<1xf16>
            %296 = vector.from_elements %292, %293, %294, %295 : vector<4xf16>
            %297 = vector.extract %219[0] : f16 from vector<1xf16>
            %298 = vector.extract %220[0] : f16 from vector<1xf16>
            %299 = vector.extract %221[0] : f16 from vector<1xf16>
            %300 = vector.extract %222[0] : f16 from vector<1xf16>
            %301 = vector.from_elements %297, %298, %299, %300 : vector<4xf16>
            %302 = vector.extract %223[0] : f16 from vector<1xf16>
            %303 = vector.extract %224[0] : f16 from vector<1xf16>
            %304 = vector.extract %225[0] : f16 from vector<1xf16>
            %305 = vector.extract %226[0] : f16 from vector<1xf16>
            %306 = vector.from_elements %302, %303, %304, %305 : vector<4xf16>
            %307 = amdgpu.mfma 16x16x16 %231 * %136 + %142 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %308 = amdgpu.mfma 16x16x16 %236 * %136 + %143 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %309 = amdgpu.mfma 16x16x16 %241 * %136 + %144 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %310 = amdgpu.mfma 16x16x16 %246 * %136 + %145 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %311 = amdgpu.mfma 16x16x16 %251 * %137 + %307 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %312 = amdgpu.mfma 16x16x16 %256 * %137 + %308 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %313 = amdgpu.mfma 16x16x16 %261 * %137 + %309 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %314 = amdgpu.mfma 16x16x16 %266 * %137 + %310 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %315 = amdgpu.mfma 16x16x16 %271 * %138 + %311 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %316 = amdgpu.mfma 16x16x16 %276 * %138 + %312 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %317 = amdgpu.mfma 16x16x16 %281 * %138 + %313 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %318 = amdgpu.mfma 16x16x16 %286 * %138 + %314 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %319 = amdgpu.mfma 16x16x16 %291 * %139 + %315 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %320 = amdgpu.mfma 16x16x16 %296 * %139 + %316 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %321 = amdgpu.mfma 16x16x16 %301 * %139 + %317 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %322 = amdgpu.mfma 16x16x16 %306 * %139 + %318 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            scf.yield %319, %320, %321, %322, %135, %112 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<1xf32>, vector<1xf32>
          }
          %40 = arith.divf %cst_5, %39#4 : vector<1xf32>
          %41 = vector.extract %40[0] : f32 from vector<1xf32>
          %42 = vector.broadcast %41 : f32 to vector<4xf32>
          %43 = arith.mulf %42, %39#0 : vector<4xf32>
          %44 = arith.mulf %42, %39#1 : vector<4xf32>
          %45 = arith.mulf %42, %39#2 : vector<4xf32>
          %46 = arith.mulf %42, %39#3 : vector<4xf32>
          %47 = arith.truncf %43 : vector<4xf32> to vector<4xf16>
          %48 = arith.truncf %44 : vector<4xf32> to vector<4xf16>
          %49 = arith.truncf %45 : vector<4xf32> to vector<4xf16>
          %50 = arith.truncf %46 : vector<4xf32> to vector<4xf16>
          scf.if %22 {
            %51 = affine.linearize_index disjoint [%24#1, %c0] by (4, 4) : index
            %52 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%51, %8#1]
            %53 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%25, %8#0]
            vector.store %47, %7[%53, %52] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
            %54 = affine.linearize_index disjoint [%c0, %24#1, %c0] by (4, 4, 4) : index
            %55 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%54, %8#1]
            %56 = arith.addi %55, %c16 overflow<nsw> : index
            vector.store %48, %7[%53, %56] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
            %57 = arith.addi %55, %c32 overflow<nsw> : index
            vector.store %49, %7[%53, %57] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
            %58 = arith.addi %55, %c48 overflow<nsw> : index
            vector.store %50, %7[%53, %58] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
          }
          memref.dealloc %alloc_7 : memref<64x128xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc_6 : memref<64x128xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
          return
        }
        iree_codegen.dispatch_config @attn_dispatch_0_attention_1024x128x128x1024 workgroup_size = [256, 1, 1] subgroup_size = 64 {
        ^bb0(%arg0: !hal.device):
          %c32 = arith.constant 32 : index
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c32, %c1, %c1 : index, index, index
        }
      }
    }
  }
}


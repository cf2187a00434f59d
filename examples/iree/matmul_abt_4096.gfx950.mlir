// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"hip", [#hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx950", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x32_F16>, <MFMA_F32_32x32x16_F16>, <MFMA_F32_16x16x32_BF16>, <MFMA_F32_32x32x16_BF16>, <MFMA_F32_16x16x128_F8E5M2>, <MFMA_F32_16x16x128_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x64_I8>, <MFMA_I32_32x32x32_I8>, <MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2>, <MFMA_F32_16x16x32_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], scaled_mma = [<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 163840, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32, 128], workgroup_memory_bank_count = 64>>, ukernels = "none"}>]> : !hal.device
  hal.executable public @mm_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx950", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x32_F16>, <MFMA_F32_32x32x16_F16>, <MFMA_F32_16x16x32_BF16>, <MFMA_F32_32x32x16_BF16>, <MFMA_F32_16x16x128_F8E5M2>, <MFMA_F32_16x16x128_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x64_I8>, <MFMA_I32_32x32x32_I8>, <MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2>, <MFMA_F32_16x16x32_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], scaled_mma = [<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 163840, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32, 128], workgroup_memory_bank_count = 64>>, ukernels = "none"}>) {
      hal.executable.export public @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [256, 1, 1] subgroup_size = 64>, gpu.known_block_size = array<i32: 256, 1, 1>} {
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
          %c48 = arith.constant 48 : index
          %c32 = arith.constant 32 : index
          %c16 = arith.constant 16 : index
          %c256 = arith.constant 256 : index
          %c127 = arith.constant 127 : index
          %c1 = arith.constant 1 : index
          %c0 = arith.constant 0 : index
          %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
          %alloc = memref.alloc() : memref<128x32xf16, #gpu.address_space<workgroup>>
          %alloc_0 = memref.alloc() : memref<128x32xf16, #gpu.address_space<workgroup>>
          %thread_id_x = gpu.thread_id x upper_bound 256
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<4096x4096xf16, #gpu.address_space<global>>
          %assume_align = memref.assume_alignment %0, 64 : memref<4096x4096xf16, #gpu.address_space<global>>
          %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<4096x4096xf16, #gpu.address_space<global>> to memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<4096x4096xf16, #gpu.address_space<global>>
          %assume_align_1 = memref.assume_alignment %2, 64 : memref<4096x4096xf16, #gpu.address_space<global>>
          %3 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<4096x4096xf16, #gpu.address_space<global>> to memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>
          %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<4096x4096xf32, #gpu.address_space<global>>
          %assume_align_2 = memref.assume_alignment %4, 64 : memref<4096x4096xf32, #gpu.address_space<global>>
          %5 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<4096x4096xf32, #gpu.address_space<global>> to memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>
          %6:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
          %7:3 = affine.delinearize_index %6#2 into (4, 16) : index, index, index
          %8 = affine.linearize_index disjoint [%7#1, %c0] by (4, 4) : index
          %9 = affine.linearize_index disjoint [%7#1, %c0] by (4, 8) : index
          %10:2 = affine.delinearize_index %thread_id_x into (128, 4) : index, index
          %11 = arith.addi %thread_id_x, %c256 overflow<nsw> : index
          %12:2 = affine.delinearize_index %11 into (128, 4) : index, index
          %13 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%10#1]
          %14 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%12#1]
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %15:2 = affine.delinearize_index %workgroup_id_x into (32, 32) : index, index
          %16 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%10#0, %15#0]
          %17 = vector.load %1[%16, %13] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %18 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%12#0, %15#0]
          %19 = vector.load %1[%18, %14] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %20 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%10#0, %15#1]
          %21 = vector.load %3[%20, %13] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %22 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%12#0, %15#1]
          %23 = vector.load %3[%22, %14] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          vector.store %17, %alloc[%10#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          vector.store %19, %alloc[%12#0, %14] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          vector.store %21, %alloc_0[%10#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          vector.store %23, %alloc_0[%12#0, %14] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %24:16 = scf.for %arg0 = %c0 to %c127 step %c1 iter_args(%arg1 = %cst, %arg2 = %cst, %arg3 = %cst, %arg4 = %cst, %arg5 = %cst, %arg6 = %cst, %arg7 = %cst, %arg8 = %cst, %arg9 = %cst, %arg10 = %cst, %arg11 = %cst, %arg12 = %cst, %arg13 = %cst, %arg14 = %cst, %arg15 = %cst, %arg16 = %cst) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
            %209 = arith.addi %arg0, %c1 : index
            %210 = affine.apply affine_map<(d0)[s0] -> (d0 * 32 + s0 * 8)>(%209)[%10#1]
            %211 = vector.load %1[%16, %210] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %212 = affine.apply affine_map<(d0)[s0] -> (d0 * 32 + s0 * 8)>(%209)[%12#1]
            %213 = vector.load %1[%18, %212] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %214 = vector.load %3[%20, %210] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %215 = vector.load %3[%22, %212] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %216 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#0]
            %217 = affine.linearize_index disjoint [%216, %7#2] by (8, 16) : index
            %218 = vector.load %alloc[%217, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %219 = arith.addi %217, %c16 overflow<nsw> : index
            %220 = vector.load %alloc[%219, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %221 = arith.addi %217, %c32 overflow<nsw> : index
            %222 = vector.load %alloc[%221, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %223 = arith.addi %217, %c48 overflow<nsw> : index
            %224 = vector.load %alloc[%223, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %225 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#1]
            %226 = affine.linearize_index disjoint [%225, %7#2] by (8, 16) : index
            %227 = vector.load %alloc_0[%226, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %228 = arith.addi %226, %c16 overflow<nsw> : index
            %229 = vector.load %alloc_0[%228, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %230 = arith.addi %226, %c32 overflow<nsw> : index
            %231 = vector.load %alloc_0[%230, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %232 = arith.addi %226, %c48 overflow<nsw> : index
            %233 = vector.load %alloc_0[%232, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %234 = amdgpu.mfma 16x16x32 %218 * %227 + %arg16 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %235 = amdgpu.mfma 16x16x32 %218 * %229 + %arg15 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %236 = amdgpu.mfma 16x16x32 %218 * %231 + %arg14 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %237 = amdgpu.mfma 16x16x32 %218 * %233 + %arg13 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %238 = amdgpu.mfma 16x16x32 %220 * %227 + %arg12 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %239 = amdgpu.mfma 16x16x32 %220 * %229 + %arg11 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %240 = amdgpu.mfma 16x16x32 %220 * %231 + %arg10 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %241 = amdgpu.mfma 16x16x32 %220 * %233 + %arg9 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %242 = amdgpu.mfma 16x16x32 %222 * %227 + %arg8 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %243 = amdgpu.mfma 16x16x32 %222 * %229 + %arg7 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %244 = amdgpu.mfma 16x16x32 %222 * %231 + %arg6 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %245 = amdgpu.mfma 16x16x32 %222 * %233 + %arg5 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %246 = amdgpu.mfma 16x16x32 %224 * %227 + %arg4 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %247 = amdgpu.mfma 16x16x32 %224 * %229 + %arg3 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %248 = amdgpu.mfma 16x16x32 %224 * %231 + %arg2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            %249 = amdgpu.mfma 16x16x32 %224 * %233 + %arg1 : vector<8xf16>, vector<8xf16>, vector<4xf32>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            amdgpu.sched_barrier allow = none
            vector.store %211, %alloc[%10#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            vector.store %213, %alloc[%12#0, %14] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            vector.store %214, %alloc_0[%10#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            vector.store %215, %alloc_0[%12#0, %14] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            scf.yield %249, %248, %247, %246, %245, %244, %243, %242, %241, %240, %239, %238, %237, %236, %235, %234 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
          }
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %25 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#0]
          %26 = affine.linearize_index disjoint [%25, %7#2] by (8, 16) : index
          %27 = vector.load %alloc[%26, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %28 = arith.addi %26, %c16 overflow<nsw> : index
          %29 = vector.load %alloc[%28, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %30 = arith.addi %26, %c32 overflow<nsw> : index
          %31 = vector.load %alloc[%30, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %32 = arith.addi %26, %c48 overflow<nsw> : index
          %33 = vector.load %alloc[%32, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %34 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#1]
          %35 = affine.linearize_index disjoint [%34, %7#2] by (8, 16) : index
          %36 = vector.load %alloc_0[%35, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %37 = arith.addi %35, %c16 overflow<nsw> : index
          %38 = vector.load %alloc_0[%37, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %39 = arith.addi %35, %c32 overflow<nsw> : index
          %40 = vector.load %alloc_0[%39, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %41 = arith.addi %35, %c48 overflow<nsw> : index
          %42 = vector.load %alloc_0[%41, %9] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %43 = amdgpu.mfma 16x16x32 %27 * %36 + %24#15 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %44 = amdgpu.mfma 16x16x32 %27 * %38 + %24#14 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %45 = amdgpu.mfma 16x16x32 %27 * %40 + %24#13 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %46 = amdgpu.mfma 16x16x32 %27 * %42 + %24#12 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %47 = amdgpu.mfma 16x16x32 %29 * %36 + %24#11 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %48 = amdgpu.mfma 16x16x32 %29 * %38 + %24#10 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %49 = amdgpu.mfma 16x16x32 %29 * %40 + %24#9 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %50 = amdgpu.mfma 16x16x32 %29 * %42 + %24#8 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %51 = amdgpu.mfma 16x16x32 %31 * %36 + %24#7 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %52 = amdgpu.mfma 16x16x32 %31 * %38 + %24#6 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %53 = amdgpu.mfma 16x16x32 %31 * %40 + %24#5 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %54 = amdgpu.mfma 16x16x32 %31 * %42 + %24#4 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %55 = amdgpu.mfma 16x16x32 %33 * %36 + %24#3 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %56 = amdgpu.mfma 16x16x32 %33 * %38 + %24#2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %57 = amdgpu.mfma 16x16x32 %33 * %40 + %24#1 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %58 = amdgpu.mfma 16x16x32 %33 * %42 + %24#0 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %59 = vector.extract %43[0] : f32 from vector<4xf32>
          %60 = vector.broadcast %59 : f32 to vector<1xf32>
          %61 = vector.extract %43[1] : f32 from vector<4xf32>
          %62 = vector.broadcast %61 : f32 to vector<1xf32>
          %63 = vector.extract %43[2] : f32 from vector<4xf32>
          %64 = vector.broadcast %63 : f32 to vector<1xf32>
          %65 = vector.extract %43[3] : f32 from vector<4xf32>
          %66 = vector.broadcast %65 : f32 to vector<1xf32>
          %67 = vector.extract %44[0] : f32 from vector<4xf32>
          %68 = vector.broadcast %67 : f32 to vector<1xf32>
          %69 = vector.extract %44[1] : f32 from vector<4xf32>
          %70 = vector.broadcast %69 : f32 to vector<1xf32>
          %71 = vector.extract %44[2] : f32 from vector<4xf32>
          %72 = vector.broadcast %71 : f32 to vector<1xf32>
          %73 = vector.extract %44[3] : f32 from vector<4xf32>
          %74 = vector.broadcast %73 : f32 to vector<1xf32>
          %75 = vector.extract %45[0] : f32 from vector<4xf32>
          %76 = vector.broadcast %75 : f32 to vector<1xf32>
          %77 = vector.extract %45[1] : f32 from vector<4xf32>
          %78 = vector.broadcast %77 : f32 to vector<1xf32>
          %79 = vector.extract %45[2] : f32 from vector<4xf32>
          %80 = vector.broadcast %79 : f32 to vector<1xf32>
          %81 = vector.extract %45[3] : f32 from vector<4xf32>
          %82 = vector.broadcast %81 : f32 to vector<1xf32>
          %83 = vector.extract %46[0] : f32 from vector<4xf32>
          %84 = vector.broadcast %83 : f32 to vector<1xf32>
          %85 = vector.extract %46[1] : f32 from vector<4xf32>
          %86 = vector.broadcast %85 : f32 to vector<1xf32>
          %87 = vector.extract %46[2] : f32 from vector<4xf32>
          %88 = vector.broadcast %87 : f32 to vector<1xf32>
          %89 = vector.extract %46[3] : f32 from vector<4xf32>
          %90 = vector.broadcast %89 : f32 to vector<1xf32>
          %91 = vector.extract %47[0] : f32 from vector<4xf32>
          %92 = vector.broadcast %91 : f32 to vector<1xf32>
          %93 = vector.extract %47[1] : f32 from vector<4xf32>
          %94 = vector.broadcast %93 : f32 to vector<1xf32>
          %95 = vector.extract %47[2] : f32 from vector<4xf32>
          %96 = vector.broadcast %95 : f32 to vector<1xf32>
          %97 = vector.extract %47[3] : f32 from vector<4xf32>
          %98 = vector.broadcast %97 : f32 to vector<1xf32>
          %99 = vector.extract %48[0] : f32 from vector<4xf32>
          %100 = vector.broadcast %99 : f32 to vector<1xf32>
          %101 = vector.extract %48[1] : f32 from vector<4xf32>
          %102 = vector.broadcast %101 : f32 to vector<1xf32>
          %103 = vector.extract %48[2] : f32 from vector<4xf32>
          %104 = vector.broadcast %103 : f32 to vector<1xf32>
          %105 = vector.extract %48[3] : f32 from vector<4xf32>
          %106 = vector.broadcast %105 : f32 to vector<1xf32>
          %107 = vector.extract %49[0] : f32 from vector<4xf32>
          %108 = vector.broadcast %107 : f32 to vector<1xf32>
          %109 = vector.extract %49[1] : f32 from vector<4xf32>
          %110 = vector.broadcast %109 : f32 to vector<1xf32>
          %111 = vector.extract %49[2] : f32 from vector<4xf32>
          %112 = vector.broadcast %111 : f32 to vector<1xf32>
          %113 = vector.extract %49[3] : f32 from vector<4xf32>
          %114 = vector.broadcast %113 : f32 to vector<1xf32>
          %115 = vector.extract %50[0] : f32 from vector<4xf32>
          %116 = vector.broadcast %115 : f32 to vector<1xf32>
          %117 = vector.extract %50[1] : f32 from vector<4xf32>
          %118 = vector.broadcast %117 : f32 to vector<1xf32>
          %119 = vector.extract %50[2] : f32 from vector<4xf32>
          %120 = vector.broadcast %119 : f32 to vector<1xf32>
          %121 = vector.extract %50[3] : f32 from vector<4xf32>
          %122 = vector.broadcast %121 : f32 to vector<1xf32>
          %123 = vector.extract %51[0] : f32 from vector<4xf32>
          %124 = vector.broadcast %123 : f32 to vector<1xf32>
          %125 = vector.extract %51[1] : f32 from vector<4xf32>
          %126 = vector.broadcast %125 : f32 to vector<1xf32>
          %127 = vector.extract %51[2] : f32 from vector<4xf32>
          %128 = vector.broadcast %127 : f32 to vector<1xf32>
          %129 = vector.extract %51[3] : f32 from vector<4xf32>
          %130 = vector.broadcast %129 : f32 to vector<1xf32>
          %131 = vector.extract %52[0] : f32 from vector<4xf32>
          %132 = vector.broadcast %131 : f32 to vector<1xf32>
          %133 = vector.extract %52[1] : f32 from vector<4xf32>
          %134 = vector.broadcast %133 : f32 to vector<1xf32>
          %135 = vector.extract %52[2] : f32 from vector<4xf32>
          %136 = vector.broadcast %135 : f32 to vector<1xf32>
          %137 = vector.extract %52[3] : f32 from vector<4xf32>
          %138 = vector.broadcast %137 : f32 to vector<1xf32>
          %139 = vector.extract %53[0] : f32 from vector<4xf32>
          %140 = vector.broadcast %139 : f32 to vector<1xf32>
          %141 = vector.extract %53[1] : f32 from vector<4xf32>
          %142 = vector.broadcast %141 : f32 to vector<1xf32>
          %143 = vector.extract %53[2] : f32 from vector<4xf32>
          %144 = vector.broadcast %143 : f32 to vector<1xf32>
          %145 = vector.extract %53[3] : f32 from vector<4xf32>
          %146 = vector.broadcast %145 : f32 to vector<1xf32>
          %147 = vector.extract %54[0] : f32 from vector<4xf32>
          %148 = vector.broadcast %147 : f32 to vector<1xf32>
          %149 = vector.extract %54[1] : f32 from vector<4xf32>
          %150 = vector.broadcast %149 : f32 to vector<1xf32>
          %151 = vector.extract %54[2] : f32 from vector<4xf32>
          %152 = vector.broadcast %151 : f32 to vector<1xf32>
          %153 = vector.extract %54[3] : f32 from vector<4xf32>
          %154 = vector.broadcast %153 : f32 to vector<1xf32>
          %155 = vector.extract %55[0] : f32 from vector<4xf32>
          %156 = vector.broadcast %155 : f32 to vector<1xf32>
          %157 = vector.extract %55[1] : f32 from vector<4xf32>
          %158 = vector.broadcast %157 : f32 to vector<1xf32>
          %159 = vector.extract %55[2] : f32 from vector<4xf32>
          %160 = vector.broadcast %159 : f32 to vector<1xf32>
          %161 = vector.extract %55[3] : f32 from vector<4xf32>
          %162 = vector.broadcast %161 : f32 to vector<1xf32>
          %163 = vector.extract %56[0] : f32 from vector<4xf32>
          %164 = vector.broadcast %163 : f32 to vector<1xf32>
          %165 = vector.extract %56[1] : f32 from vector<4xf32>
          %166 = vector.broadcast %165 : f32 to vector<1xf32>
          %167 = vector.extract %56[2] : f32 from vector<4xf32>
          %168 = vector.broadcast %167 : f32 to vector<1xf32>
          %169 = vector.extract %56[3] : f32 from vector<4xf32>
          %170 = vector.broadcast %169 : f32 to vector<1xf32>
          %171 = vector.extract %57[0] : f32 from vector<4xf32>
          %172 = vector.broadcast %171 : f32 to vector<1xf32>
          %173 = vector.extract %57[1] : f32 from vector<4xf32>
          %174 = vector.broadcast %173 : f32 to vector<1xf32>
          %175 = vector.extract %57[2] : f32 from vector<4xf32>
          %176 = vector.broadcast %175 : f32 to vector<1xf32>
          %177 = vector.extract %57[3] : f32 from vector<4xf32>
          %178 = vector.broadcast %177 : f32 to vector<1xf32>
          %179 = vector.extract %58[0] : f32 from vector<4xf32>
          %180 = vector.broadcast %179 : f32 to vector<1xf32>
          %181 = vector.extract %58[1] : f32 from vector<4xf32>
          %182 = vector.broadcast %181 : f32 to vector<1xf32>
          %183 = vector.extract %58[2] : f32 from vector<4xf32>
          %184 = vector.broadcast %183 : f32 to vector<1xf32>
          %185 = vector.extract %58[3] : f32 from vector<4xf32>
          %186 = vector.broadcast %185 : f32 to vector<1xf32>
          %187 = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1 * 8)>()[%6#0, %15#0]
          %188 = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1 * 8)>()[%6#1, %15#1]
          %189 = affine.linearize_index disjoint [%187, %8] by (256, 16) : index
          %190 = affine.linearize_index disjoint [%188, %7#2] by (256, 16) : index
          vector.store %60, %5[%189, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %191 = arith.addi %190, %c16 overflow<nsw> : index
          vector.store %68, %5[%189, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %192 = arith.addi %190, %c32 overflow<nsw> : index
          vector.store %76, %5[%189, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %193 = arith.addi %190, %c48 overflow<nsw> : index
          vector.store %84, %5[%189, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %194 = arith.addi %189, %c1 overflow<nsw> : index
          vector.store %62, %5[%194, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %70, %5[%194, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %78, %5[%194, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %86, %5[%194, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %195 = arith.addi %189, %c2 overflow<nsw> : index
          vector.store %64, %5[%195, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %72, %5[%195, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %80, %5[%195, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %88, %5[%195, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %196 = arith.addi %189, %c3 overflow<nsw> : index
          vector.store %66, %5[%196, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %74, %5[%196, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %82, %5[%196, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %90, %5[%196, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %197 = arith.addi %189, %c16 overflow<nsw> : index
          vector.store %92, %5[%197, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %100, %5[%197, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %108, %5[%197, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %116, %5[%197, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %198 = arith.addi %189, %c17 overflow<nsw> : index
          vector.store %94, %5[%198, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %102, %5[%198, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %110, %5[%198, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %118, %5[%198, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %199 = arith.addi %189, %c18 overflow<nsw> : index
          vector.store %96, %5[%199, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %104, %5[%199, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %112, %5[%199, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %120, %5[%199, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %200 = arith.addi %189, %c19 overflow<nsw> : index
          vector.store %98, %5[%200, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %106, %5[%200, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %114, %5[%200, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %122, %5[%200, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %201 = arith.addi %189, %c32 overflow<nsw> : index
          vector.store %124, %5[%201, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %132, %5[%201, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %140, %5[%201, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %148, %5[%201, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %202 = arith.addi %189, %c33 overflow<nsw> : index
          vector.store %126, %5[%202, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %134, %5[%202, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %142, %5[%202, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %150, %5[%202, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %203 = arith.addi %189, %c34 overflow<nsw> : index
          vector.store %128, %5[%203, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %136, %5[%203, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %144, %5[%203, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %152, %5[%203, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %204 = arith.addi %189, %c35 overflow<nsw> : index
          vector.store %130, %5[%204, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %138, %5[%204, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %146, %5[%204, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %154, %5[%204, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %205 = arith.addi %189, %c48 overflow<nsw> : index
          vector.store %156, %5[%205, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %164, %5[%205, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %172, %5[%205, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %180, %5[%205, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %206 = arith.addi %189, %c49 overflow<nsw> : index
          vector.store %158, %5[%206, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %166, %5[%206, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %174, %5[%206, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %182, %5[%206, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %207 = arith.addi %189, %c50 overflow<nsw> : index
          vector.store %160, %5[%207, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %168, %5[%207, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %176, %5[%207, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %184, %5[%207, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %208 = arith.addi %189, %c51 overflow<nsw> : index
          vector.store %162, %5[%208, %190] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %170, %5[%208, %191] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %178, %5[%208, %192] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %186, %5[%208, %193] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          memref.dealloc %alloc_0 : memref<128x32xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc : memref<128x32xf16, #gpu.address_space<workgroup>>
          return
        }
        iree_codegen.dispatch_config @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32 workgroup_size = [256, 1, 1] subgroup_size = 64 {
        ^bb0(%arg0: !hal.device):
          %c1024 = arith.constant 1024 : index
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1024, %c1, %c1 : index, index, index
        }
      }
    }
  }
}


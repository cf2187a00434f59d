// iree-base-compiler 3.13.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-rocm-target=gfx950 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-module-scope
//   --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints
// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @mm_dispatch_0_matmul_64x64x64_f16xf16xf32) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"hip", [#hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx950", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x32_F16>, <MFMA_F32_32x32x16_F16>, <MFMA_F32_16x16x32_BF16>, <MFMA_F32_32x32x16_BF16>, <MFMA_F32_16x16x128_F8E5M2>, <MFMA_F32_16x16x128_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x64_I8>, <MFMA_I32_32x32x32_I8>, <MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2>, <MFMA_F32_16x16x32_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], scaled_mma = [<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 163840, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32, 128], workgroup_memory_bank_count = 64>>, ukernels = "none"}>]> : !hal.device
  hal.executable private @mm_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.target_info = #iree_gpu.target<arch = "gfx950", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x32_F16>, <MFMA_F32_32x32x16_F16>, <MFMA_F32_16x16x32_BF16>, <MFMA_F32_32x32x16_BF16>, <MFMA_F32_16x16x128_F8E5M2>, <MFMA_F32_16x16x128_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN>, <MFMA_F32_16x16x128_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2>, <MFMA_F32_32x32x64_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN>, <MFMA_F32_32x32x64_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x64_I8>, <MFMA_I32_32x32x32_I8>, <MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2>, <MFMA_F32_16x16x32_F8E5M2_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN>, <MFMA_F32_16x16x32_F8E4M3FN_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2>, <MFMA_F32_32x32x16_F8E5M2_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN>, <MFMA_F32_32x32x16_F8E4M3FN_F8E5M2>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], scaled_mma = [<intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_16x16x128_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E8M0FNU, rhs_elem_type = f8E8M0FNU, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2, rhs_elem_type = f8E5M2, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E5M2FNUZ, rhs_elem_type = f8E5M2FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FN, rhs_elem_type = f8E4M3FN, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f8E4M3FNUZ, rhs_elem_type = f8E4M3FNUZ, acc_elem_type = f32>, <intrinsic = MFMA_SCALE_F32_32x32x64_B32, lhs_elem_type = f4E2M1FN, rhs_elem_type = f4E2M1FN, acc_elem_type = f32>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 163840, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32, 128], workgroup_memory_bank_count = 64>>, ukernels = "none"}>) {
      hal.executable.export public @mm_dispatch_0_matmul_64x64x64_f16xf16xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
          %c51 = arith.constant 51 : index
          %c50 = arith.constant 50 : index
          %c49 = arith.constant 49 : index
          %c48 = arith.constant 48 : index
          %c35 = arith.constant 35 : index
          %c34 = arith.constant 34 : index
          %c33 = arith.constant 33 : index
          %c19 = arith.constant 19 : index
          %c18 = arith.constant 18 : index
          %c17 = arith.constant 17 : index
          %c16 = arith.constant 16 : index
          %c3 = arith.constant 3 : index
          %c2 = arith.constant 2 : index
          %c1 = arith.constant 1 : index
          %c3104 = arith.constant 3104 : index
          %c3072 = arith.constant 3072 : index
          %c2080 = arith.constant 2080 : index
          %c2048 = arith.constant 2048 : index
          %c1056 = arith.constant 1056 : index
          %c1024 = arith.constant 1024 : index
          %c32 = arith.constant 32 : index
          %c512 = arith.constant 512 : index
          %c8 = arith.constant 8 : index
          %c0 = arith.constant 0 : index
          %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
          %alloc = memref.alloc() : memref<4096xf16, #gpu.address_space<workgroup>>
          %alloc_0 = memref.alloc() : memref<4096xf16, #gpu.address_space<workgroup>>
          %thread_id_x = gpu.thread_id x upper_bound 256
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #gpu.address_space<global>>
          %assume_align = memref.assume_alignment %0, 64 : memref<64x64xf16, #gpu.address_space<global>>
          %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<64x64xf16, #gpu.address_space<global>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #gpu.address_space<global>>
          %assume_align_1 = memref.assume_alignment %2, 64 : memref<64x64xf16, #gpu.address_space<global>>
          %3 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<64x64xf16, #gpu.address_space<global>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
          %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf32, #gpu.address_space<global>>
          %assume_align_2 = memref.assume_alignment %4, 64 : memref<64x64xf32, #gpu.address_space<global>>
          %5 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<64x64xf32, #gpu.address_space<global>> to memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
          %6:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
          %7 = arith.muli %6#1, %c8 : index
          %8 = affine.apply affine_map<()[s0] -> (s0 * 1024)>()[%6#0]
          %9 = arith.addi %8, %7 : index
          %10 = arith.remui %9, %c8 : index
          %11 = arith.subi %9, %10 : index
          %12 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%11]
          %13 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%11]
          %14 = arith.xori %13, %12 : index
          %15 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%11, %14]
          %16 = arith.subi %15, %11 : index
          %17 = arith.addi %9, %16 : index
          %18 = arith.subi %17, %8 : index
          %19:2 = affine.delinearize_index %18 into (16, 64) : index, index
          %20 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 16)>()[%19#0, %6#0]
          %21 = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%6#0]
          %22 = affine.linearize_index disjoint [%21, %c0] by (64, 64) : index
          %23 = arith.addi %7, %c512 : index
          %24 = arith.addi %8, %23 : index
          %25 = arith.remui %24, %c8 : index
          %26 = arith.subi %24, %25 : index
          %27 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%26]
          %28 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%26]
          %29 = arith.xori %28, %27 : index
          %30 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%26, %29]
          %31 = arith.subi %30, %26 : index
          %32 = arith.addi %24, %31 : index
          %33 = arith.subi %32, %8 : index
          %34:2 = affine.delinearize_index %33 into (16, 64) : index, index
          %35 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 16)>()[%34#0, %6#0]
          %36 = arith.addi %22, %c512 overflow<nsw> : index
          %37:3 = affine.delinearize_index %6#1 into (4, 16) : index, index, index
          %38 = affine.linearize_index disjoint [%37#1, %c0] by (4, 8) : index
          %39 = affine.linearize_index disjoint [%37#1, %c0] by (4, 4) : index
          amdgpu.gather_to_lds %1[%20, %19#1], %alloc[%22] : vector<8xf16>, memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<4096xf16, #gpu.address_space<workgroup>>
          amdgpu.gather_to_lds %1[%35, %34#1], %alloc[%36] : vector<8xf16>, memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<4096xf16, #gpu.address_space<workgroup>>
          amdgpu.gather_to_lds %3[%20, %19#1], %alloc_0[%22] : vector<8xf16>, memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<4096xf16, #gpu.address_space<workgroup>>
          amdgpu.gather_to_lds %3[%35, %34#1], %alloc_0[%36] : vector<8xf16>, memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<4096xf16, #gpu.address_space<workgroup>>
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %40 = affine.linearize_index disjoint [%37#2, %c0, %38] by (16, 2, 32) : index
          %cst_3 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c8_4 = arith.constant 8 : index
          %41 = arith.remui %40, %c8_4 : index
          %42 = arith.subi %40, %41 : index
          %c64 = arith.constant 64 : index
          %c1_5 = arith.constant 1 : index
          %c64_6 = arith.constant 64 : index
          %c8_7 = arith.constant 8 : index
          %43 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%42]
          %44 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%42]
          %45 = arith.xori %44, %43 : index
          %46 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%42, %45]
          %47 = arith.subi %46, %42 : index
          %48 = arith.addi %40, %47 : index
          %49 = vector.load %alloc[%48] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %50 = vector.insert_strided_slice %49, %cst_3 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %51 = arith.addi %40, %c32 overflow<nsw> : index
          %cst_8 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c8_9 = arith.constant 8 : index
          %52 = arith.remui %51, %c8_9 : index
          %53 = arith.subi %51, %52 : index
          %c64_10 = arith.constant 64 : index
          %c1_11 = arith.constant 1 : index
          %c64_12 = arith.constant 64 : index
          %c8_13 = arith.constant 8 : index
          %54 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%53]
          %55 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%53]
          %56 = arith.xori %55, %54 : index
          %57 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%53, %56]
          %58 = arith.subi %57, %53 : index
          %59 = arith.addi %51, %58 : index
          %60 = vector.load %alloc[%59] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %61 = vector.insert_strided_slice %60, %cst_8 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %62 = affine.linearize_index disjoint [%c0, %37#2, %c0, %38] by (4, 16, 2, 32) : index
          %63 = arith.addi %62, %c1024 overflow<nsw> : index
          %cst_14 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c0_15 = arith.constant 0 : index
          %64 = arith.addi %62, %c0_15 overflow<nsw> : index
          %c8_16 = arith.constant 8 : index
          %65 = arith.remui %64, %c8_16 : index
          %66 = arith.subi %64, %65 : index
          %c64_17 = arith.constant 64 : index
          %c1_18 = arith.constant 1 : index
          %c64_19 = arith.constant 64 : index
          %c8_20 = arith.constant 8 : index
          %67 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%66]
          %68 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%66]
          %69 = arith.xori %68, %67 : index
          %70 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%66, %69]
          %71 = arith.subi %70, %66 : index
          %72 = arith.addi %63, %71 : index
          %73 = vector.load %alloc[%72] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %74 = vector.insert_strided_slice %73, %cst_14 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %75 = arith.addi %62, %c1056 overflow<nsw> : index
          %cst_21 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c32_22 = arith.constant 32 : index
          %76 = arith.addi %62, %c32_22 overflow<nsw> : index
          %c8_23 = arith.constant 8 : index
          %77 = arith.remui %76, %c8_23 : index
          %78 = arith.subi %76, %77 : index
          %c64_24 = arith.constant 64 : index
          %c1_25 = arith.constant 1 : index
          %c64_26 = arith.constant 64 : index
          %c8_27 = arith.constant 8 : index
          %79 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%78]
          %80 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%78]
          %81 = arith.xori %80, %79 : index
          %82 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%78, %81]
          %83 = arith.subi %82, %78 : index
          %84 = arith.addi %75, %83 : index
          %85 = vector.load %alloc[%84] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %86 = vector.insert_strided_slice %85, %cst_21 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %87 = arith.addi %62, %c2048 overflow<nsw> : index
          %cst_28 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c0_29 = arith.constant 0 : index
          %88 = arith.addi %62, %c0_29 overflow<nsw> : index
          %c8_30 = arith.constant 8 : index
          %89 = arith.remui %88, %c8_30 : index
          %90 = arith.subi %88, %89 : index
          %c64_31 = arith.constant 64 : index
          %c1_32 = arith.constant 1 : index
          %c64_33 = arith.constant 64 : index
          %c8_34 = arith.constant 8 : index
          %91 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%90]
          %92 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%90]
          %93 = arith.xori %92, %91 : index
          %94 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%90, %93]
          %95 = arith.subi %94, %90 : index
          %96 = arith.addi %87, %95 : index
          %97 = vector.load %alloc[%96] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %98 = vector.insert_strided_slice %97, %cst_28 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %99 = arith.addi %62, %c2080 overflow<nsw> : index
          %cst_35 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c32_36 = arith.constant 32 : index
          %100 = arith.addi %62, %c32_36 overflow<nsw> : index
          %c8_37 = arith.constant 8 : index
          %101 = arith.remui %100, %c8_37 : index
          %102 = arith.subi %100, %101 : index
          %c64_38 = arith.constant 64 : index
          %c1_39 = arith.constant 1 : index
          %c64_40 = arith.constant 64 : index
          %c8_41 = arith.constant 8 : index
          %103 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%102]
          %104 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%102]
          %105 = arith.xori %104, %103 : index
          %106 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%102, %105]
          %107 = arith.subi %106, %102 : index
          %108 = arith.addi %99, %107 : index
          %109 = vector.load %alloc[%108] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %110 = vector.insert_strided_slice %109, %cst_35 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %111 = arith.addi %62, %c3072 overflow<nsw> : index
          %cst_42 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c0_43 = arith.constant 0 : index
          %112 = arith.addi %62, %c0_43 overflow<nsw> : index
          %c8_44 = arith.constant 8 : index
          %113 = arith.remui %112, %c8_44 : index
          %114 = arith.subi %112, %113 : index
          %c64_45 = arith.constant 64 : index
          %c1_46 = arith.constant 1 : index
          %c64_47 = arith.constant 64 : index
          %c8_48 = arith.constant 8 : index
          %115 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%114]
          %116 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%114]
          %117 = arith.xori %116, %115 : index
          %118 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%114, %117]
          %119 = arith.subi %118, %114 : index
          %120 = arith.addi %111, %119 : index
          %121 = vector.load %alloc[%120] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %122 = vector.insert_strided_slice %121, %cst_42 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %123 = arith.addi %62, %c3104 overflow<nsw> : index
          %cst_49 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c32_50 = arith.constant 32 : index
          %124 = arith.addi %62, %c32_50 overflow<nsw> : index
          %c8_51 = arith.constant 8 : index
          %125 = arith.remui %124, %c8_51 : index
          %126 = arith.subi %124, %125 : index
          %c64_52 = arith.constant 64 : index
          %c1_53 = arith.constant 1 : index
          %c64_54 = arith.constant 64 : index
          %c8_55 = arith.constant 8 : index
          %127 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%126]
          %128 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%126]
          %129 = arith.xori %128, %127 : index
          %130 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%126, %129]
          %131 = arith.subi %130, %126 : index
          %132 = arith.addi %123, %131 : index
          %133 = vector.load %alloc[%132] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %134 = vector.insert_strided_slice %133, %cst_49 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %135 = affine.linearize_index disjoint [%6#0, %37#2, %c0, %38] by (4, 16, 2, 32) : index
          %cst_56 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c8_57 = arith.constant 8 : index
          %136 = arith.remui %135, %c8_57 : index
          %137 = arith.subi %135, %136 : index
          %c64_58 = arith.constant 64 : index
          %c1_59 = arith.constant 1 : index
          %c64_60 = arith.constant 64 : index
          %c8_61 = arith.constant 8 : index
          %138 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%137]
          %139 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%137]
          %140 = arith.xori %139, %138 : index
          %141 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%137, %140]
          %142 = arith.subi %141, %137 : index
          %143 = arith.addi %135, %142 : index
          %144 = vector.load %alloc_0[%143] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %145 = vector.insert_strided_slice %144, %cst_56 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %146 = arith.addi %135, %c32 overflow<nsw> : index
          %cst_62 = arith.constant dense<0.000000e+00> : vector<8xf16>
          %c8_63 = arith.constant 8 : index
          %147 = arith.remui %146, %c8_63 : index
          %148 = arith.subi %146, %147 : index
          %c64_64 = arith.constant 64 : index
          %c1_65 = arith.constant 1 : index
          %c64_66 = arith.constant 64 : index
          %c8_67 = arith.constant 8 : index
          %149 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%148]
          %150 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%148]
          %151 = arith.xori %150, %149 : index
          %152 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%148, %151]
          %153 = arith.subi %152, %148 : index
          %154 = arith.addi %146, %153 : index
          %155 = vector.load %alloc_0[%154] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %156 = vector.insert_strided_slice %155, %cst_62 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
          %157 = amdgpu.mfma 16x16x32 %50 * %145 + %cst : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %158 = amdgpu.mfma 16x16x32 %74 * %145 + %cst : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %159 = amdgpu.mfma 16x16x32 %98 * %145 + %cst : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %160 = amdgpu.mfma 16x16x32 %122 * %145 + %cst : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %161 = amdgpu.mfma 16x16x32 %61 * %156 + %157 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %162 = amdgpu.mfma 16x16x32 %86 * %156 + %158 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %163 = amdgpu.mfma 16x16x32 %110 * %156 + %159 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %164 = amdgpu.mfma 16x16x32 %134 * %156 + %160 : vector<8xf16>, vector<8xf16>, vector<4xf32>
          %165 = vector.extract %161[0] : f32 from vector<4xf32>
          %166 = vector.broadcast %165 : f32 to vector<1xf32>
          %167 = vector.extract %161[1] : f32 from vector<4xf32>
          %168 = vector.broadcast %167 : f32 to vector<1xf32>
          %169 = vector.extract %161[2] : f32 from vector<4xf32>
          %170 = vector.broadcast %169 : f32 to vector<1xf32>
          %171 = vector.extract %161[3] : f32 from vector<4xf32>
          %172 = vector.broadcast %171 : f32 to vector<1xf32>
          %173 = vector.extract %162[0] : f32 from vector<4xf32>
          %174 = vector.broadcast %173 : f32 to vector<1xf32>
          %175 = vector.extract %162[1] : f32 from vector<4xf32>
          %176 = vector.broadcast %175 : f32 to vector<1xf32>
          %177 = vector.extract %162[2] : f32 from vector<4xf32>
          %178 = vector.broadcast %177 : f32 to vector<1xf32>
          %179 = vector.extract %162[3] : f32 from vector<4xf32>
          %180 = vector.broadcast %179 : f32 to vector<1xf32>
          %181 = vector.extract %163[0] : f32 from vector<4xf32>
          %182 = vector.broadcast %181 : f32 to vector<1xf32>
          %183 = vector.extract %163[1] : f32 from vector<4xf32>
          %184 = vector.broadcast %183 : f32 to vector<1xf32>
          %185 = vector.extract %163[2] : f32 from vector<4xf32>
          %186 = vector.broadcast %185 : f32 to vector<1xf32>
          %187 = vector.extract %163[3] : f32 from vector<4xf32>
          %188 = vector.broadcast %187 : f32 to vector<1xf32>
          %189 = vector.extract %164[0] : f32 from vector<4xf32>
          %190 = vector.broadcast %189 : f32 to vector<1xf32>
          %191 = vector.extract %164[1] : f32 from vector<4xf32>
          %192 = vector.broadcast %191 : f32 to vector<1xf32>
          %193 = vector.extract %164[2] : f32 from vector<4xf32>
          %194 = vector.broadcast %193 : f32 to vector<1xf32>
          %195 = vector.extract %164[3] : f32 from vector<4xf32>
          %196 = vector.broadcast %195 : f32 to vector<1xf32>
          %197 = affine.linearize_index disjoint [%6#0, %37#2] by (4, 16) : index
          vector.store %166, %5[%39, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %198 = arith.addi %39, %c1 overflow<nsw> : index
          vector.store %168, %5[%198, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %199 = arith.addi %39, %c2 overflow<nsw> : index
          vector.store %170, %5[%199, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %200 = arith.addi %39, %c3 overflow<nsw> : index
          vector.store %172, %5[%200, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %201 = affine.linearize_index disjoint [%c0, %39] by (4, 16) : index
          %202 = arith.addi %201, %c16 overflow<nsw> : index
          vector.store %174, %5[%202, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %203 = arith.addi %201, %c17 overflow<nsw> : index
          vector.store %176, %5[%203, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %204 = arith.addi %201, %c18 overflow<nsw> : index
          vector.store %178, %5[%204, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %205 = arith.addi %201, %c19 overflow<nsw> : index
          vector.store %180, %5[%205, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %206 = arith.addi %201, %c32 overflow<nsw> : index
          vector.store %182, %5[%206, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %207 = arith.addi %201, %c33 overflow<nsw> : index
          vector.store %184, %5[%207, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %208 = arith.addi %201, %c34 overflow<nsw> : index
          vector.store %186, %5[%208, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %209 = arith.addi %201, %c35 overflow<nsw> : index
          vector.store %188, %5[%209, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %210 = arith.addi %201, %c48 overflow<nsw> : index
          vector.store %190, %5[%210, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %211 = arith.addi %201, %c49 overflow<nsw> : index
          vector.store %192, %5[%211, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %212 = arith.addi %201, %c50 overflow<nsw> : index
          vector.store %194, %5[%212, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %213 = arith.addi %201, %c51 overflow<nsw> : index
          vector.store %196, %5[%213, %197] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          memref.dealloc %alloc_0 : memref<4096xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc : memref<4096xf16, #gpu.address_space<workgroup>>
          return
        }
        iree_codegen.dispatch_config @mm_dispatch_0_matmul_64x64x64_f16xf16xf32 workgroup_size = [256, 1, 1] subgroup_size = 64 {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
  util.func public @mm(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @mm(%input0: tensor<64x64xf16>, %input1: tensor<64x64xf16>) -> (%output0: tensor<64x64xf32>)"}} {
    %c0 = arith.constant 0 : index
    %c16384 = arith.constant 16384 : index
    %c8192 = arith.constant 8192 : index
    %c64 = arith.constant 64 : index
    %element_type_f16 = hal.element_type<f16> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c64, %c64]) type(%element_type_f16) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<64x64xf16> in !stream.resource<external>{%c8192}
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c64, %c64]) type(%element_type_f16) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<64x64xf16> in !stream.resource<external>{%c8192}
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c16384} => !stream.timepoint
    %2 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%result_timepoint) => with(%0 as %arg2: !stream.resource<external>{%c8192}, %1 as %arg3: !stream.resource<external>{%c8192}, %result as %arg4: !stream.resource<external>{%c16384}) {
      stream.cmd.dispatch @mm_dispatch_0::@rocm_hsaco_fb::@mm_dispatch_0_matmul_64x64x64_f16xf16xf32 {
        ro %arg2[%c0 for %c8192] : !stream.resource<external>{%c8192},
        ro %arg3[%c0 for %c8192] : !stream.resource<external>{%c8192},
        wo %arg4[%c0 for %c16384] : !stream.resource<external>{%c16384}
      }
    } => !stream.timepoint
    %3 = stream.timepoint.await %2 => %result : !stream.resource<external>{%c16384}
    %4 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %3 : tensor<64x64xf32> in !stream.resource<external>{%c16384} -> !hal.buffer_view
    util.return %4 : !hal.buffer_view
  }
}


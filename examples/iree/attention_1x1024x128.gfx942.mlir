// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @attn_dispatch_0_attention_1024x128x128x1024) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"hip", [#hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.default_tuning_spec = #rocm.builtin.tuning_module<"iree_default_tuning_spec_gfx942.mlir">, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2FNUZ>, <MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32], workgroup_memory_bank_count = 32>>, ukernels = "none"}>]> : !hal.device
  hal.executable public @attn_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.default_tuning_spec = #rocm.builtin.tuning_module<"iree_default_tuning_spec_gfx942.mlir">, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2FNUZ>, <MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32], workgroup_memory_bank_count = 32>>, ukernels = "none"}>) {
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
              %379 = affine.linearize_index disjoint [%c0, %11#0] by (4, 16) : index
              %380 = arith.addi %379, %c16 overflow<nsw> : index
              vector.store %55, %alloc_6[%380, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %381 = arith.addi %379, %c32 overflow<nsw> : index
              vector.store %57, %alloc_6[%381, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %382 = arith.addi %379, %c48 overflow<nsw> : index
              vector.store %59, %alloc_6[%382, %13] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            }
            %60:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
            %61 = affine.linearize_index [%60#0, %arg0] by (32, 1) : index
            %62 = affine.linearize_index [%60#1, %10] by (8, 8) : index
            %63 = vector.load %5[%61, %62] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %64 = affine.linearize_index [%c0, %60#0, %arg0] by (2, 32, 1) : index
            %65 = arith.addi %64, %c32 overflow<nsw> : index
            %66 = vector.load %5[%65, %62] : memref<1024x128xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            scf.if %22 {
              %379 = affine.linearize_index disjoint [%60#1, %c0] by (8, 8) : index
              vector.store %63, %alloc[%60#0, %379] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %380 = affine.linearize_index disjoint [%c0, %60#0] by (2, 32) : index
              %381 = arith.addi %380, %c32 overflow<nsw> : index
              vector.store %66, %alloc[%381, %379] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
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
            %87 = vector.extract_strided_slice %35 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %88 = vector.extract_strided_slice %67 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %89 = amdgpu.mfma 16x16x16 %88 * %87 + %cst_2 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %90 = vector.extract_strided_slice %35 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %91 = vector.extract_strided_slice %67 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %92 = amdgpu.mfma 16x16x16 %91 * %90 + %89 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %93 = vector.extract_strided_slice %73 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %94 = amdgpu.mfma 16x16x16 %93 * %87 + %cst_2 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %95 = vector.extract_strided_slice %73 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %96 = amdgpu.mfma 16x16x16 %95 * %90 + %94 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %97 = vector.extract_strided_slice %78 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %98 = amdgpu.mfma 16x16x16 %97 * %87 + %cst_2 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %99 = vector.extract_strided_slice %78 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %100 = amdgpu.mfma 16x16x16 %99 * %90 + %98 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %101 = vector.extract_strided_slice %83 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %102 = amdgpu.mfma 16x16x16 %101 * %87 + %cst_2 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %103 = vector.extract_strided_slice %83 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %104 = amdgpu.mfma 16x16x16 %103 * %90 + %102 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %105 = vector.extract_strided_slice %36 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %106 = vector.extract_strided_slice %68 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %107 = amdgpu.mfma 16x16x16 %106 * %105 + %92 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %108 = vector.extract_strided_slice %36 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %109 = vector.extract_strided_slice %68 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %110 = amdgpu.mfma 16x16x16 %109 * %108 + %107 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %111 = vector.extract_strided_slice %74 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %112 = amdgpu.mfma 16x16x16 %111 * %105 + %96 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %113 = vector.extract_strided_slice %74 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %114 = amdgpu.mfma 16x16x16 %113 * %108 + %112 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %115 = vector.extract_strided_slice %79 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %116 = amdgpu.mfma 16x16x16 %115 * %105 + %100 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %117 = vector.extract_strided_slice %79 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %118 = amdgpu.mfma 16x16x16 %117 * %108 + %116 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %119 = vector.extract_strided_slice %84 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %120 = amdgpu.mfma 16x16x16 %119 * %105 + %104 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %121 = vector.extract_strided_slice %84 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %122 = amdgpu.mfma 16x16x16 %121 * %108 + %120 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %123 = vector.extract_strided_slice %37 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %124 = vector.extract_strided_slice %69 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %125 = amdgpu.mfma 16x16x16 %124 * %123 + %110 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %126 = vector.extract_strided_slice %37 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %127 = vector.extract_strided_slice %69 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %128 = amdgpu.mfma 16x16x16 %127 * %126 + %125 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %129 = vector.extract_strided_slice %75 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %130 = amdgpu.mfma 16x16x16 %129 * %123 + %114 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %131 = vector.extract_strided_slice %75 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %132 = amdgpu.mfma 16x16x16 %131 * %126 + %130 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %133 = vector.extract_strided_slice %80 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %134 = amdgpu.mfma 16x16x16 %133 * %123 + %118 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %135 = vector.extract_strided_slice %80 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %136 = amdgpu.mfma 16x16x16 %135 * %126 + %134 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %137 = vector.extract_strided_slice %85 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %138 = amdgpu.mfma 16x16x16 %137 * %123 + %122 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %139 = vector.extract_strided_slice %85 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %140 = amdgpu.mfma 16x16x16 %139 * %126 + %138 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %141 = vector.extract_strided_slice %38 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %142 = vector.extract_strided_slice %70 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %143 = amdgpu.mfma 16x16x16 %142 * %141 + %128 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %144 = vector.extract_strided_slice %38 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %145 = vector.extract_strided_slice %70 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %146 = amdgpu.mfma 16x16x16 %145 * %144 + %143 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %147 = vector.extract_strided_slice %76 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %148 = amdgpu.mfma 16x16x16 %147 * %141 + %132 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %149 = vector.extract_strided_slice %76 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %150 = amdgpu.mfma 16x16x16 %149 * %144 + %148 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %151 = vector.extract_strided_slice %81 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %152 = amdgpu.mfma 16x16x16 %151 * %141 + %136 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %153 = vector.extract_strided_slice %81 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %154 = amdgpu.mfma 16x16x16 %153 * %144 + %152 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %155 = vector.extract_strided_slice %86 offsets = [0], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %156 = amdgpu.mfma 16x16x16 %155 * %141 + %140 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %157 = vector.extract_strided_slice %86 offsets = [4], sizes = [4], strides = [1] : vector<8xf16> to vector<4xf16>
            %158 = amdgpu.mfma 16x16x16 %157 * %144 + %156 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %159:4 = vector.to_elements %146 : vector<4xf32>
            %160:4 = vector.to_elements %150 : vector<4xf32>
            %161:4 = vector.to_elements %154 : vector<4xf32>
            %162:4 = vector.to_elements %158 : vector<4xf32>
            %163 = vector.from_elements %159#0, %159#1, %159#2, %159#3, %160#0, %160#1, %160#2, %160#3, %161#0, %161#1, %161#2, %161#3, %162#0, %162#1, %162#2, %162#3 : vector<16xf32>
            %164 = vector.reduction <maximumf>, %163, %cst_0 : vector<16xf32> into f32
            %shuffleResult, %valid = gpu.shuffle xor %164, %c16_i32, %c64_i32 : f32
            %165 = arith.maximumf %164, %shuffleResult : f32
            %shuffleResult_11, %valid_12 = gpu.shuffle xor %165, %c32_i32, %c64_i32 : f32
            %166 = arith.maximumf %165, %shuffleResult_11 : f32
            %167 = vector.broadcast %166 : f32 to vector<1xf32>
            %168 = arith.maximumf %167, %arg6 : vector<1xf32>
            %169 = arith.subf %arg6, %168 : vector<1xf32>
            %170 = math.exp2 %169 : vector<1xf32>
            %171 = arith.mulf %170, %arg5 : vector<1xf32>
            %172 = vector.extract %168[0] : f32 from vector<1xf32>
            %173 = vector.broadcast %172 : f32 to vector<4xf32>
            %174 = arith.subf %146, %173 : vector<4xf32>
            %175 = arith.subf %150, %173 : vector<4xf32>
            %176 = arith.subf %154, %173 : vector<4xf32>
            %177 = arith.subf %158, %173 : vector<4xf32>
            %178 = math.exp2 %174 : vector<4xf32>
            %179 = math.exp2 %175 : vector<4xf32>
            %180 = math.exp2 %176 : vector<4xf32>
            %181 = math.exp2 %177 : vector<4xf32>
            %182:4 = vector.to_elements %178 : vector<4xf32>
            %183:4 = vector.to_elements %179 : vector<4xf32>
            %184:4 = vector.to_elements %180 : vector<4xf32>
            %185:4 = vector.to_elements %181 : vector<4xf32>
            %186 = vector.from_elements %182#0, %182#1, %182#2, %182#3, %183#0, %183#1, %183#2, %183#3, %184#0, %184#1, %184#2, %184#3, %185#0, %185#1, %185#2, %185#3 : vector<16xf32>
            %187 = vector.reduction <add>, %186, %cst : vector<16xf32> into f32
            %shuffleResult_13, %valid_14 = gpu.shuffle xor %187, %c16_i32, %c64_i32 : f32
            %188 = arith.addf %187, %shuffleResult_13 : f32
            %shuffleResult_15, %valid_16 = gpu.shuffle xor %188, %c32_i32, %c64_i32 : f32
            %189 = arith.addf %188, %shuffleResult_15 : f32
            %190 = vector.broadcast %189 : f32 to vector<1xf32>
            %191 = arith.addf %190, %171 : vector<1xf32>
            %192 = arith.truncf %178 : vector<4xf32> to vector<4xf16>
            %193 = arith.truncf %179 : vector<4xf32> to vector<4xf16>
            %194 = arith.truncf %180 : vector<4xf32> to vector<4xf16>
            %195 = arith.truncf %181 : vector<4xf32> to vector<4xf16>
            %196 = vector.extract %170[0] : f32 from vector<1xf32>
            %197 = vector.broadcast %196 : f32 to vector<4xf32>
            %198 = arith.mulf %197, %arg1 : vector<4xf32>
            %199 = arith.mulf %197, %arg2 : vector<4xf32>
            %200 = arith.mulf %197, %arg3 : vector<4xf32>
            %201 = arith.mulf %197, %arg4 : vector<4xf32>
            %202 = affine.linearize_index disjoint [%24#1, %c0] by (4, 4) : index
            %203 = vector.load %alloc[%202, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %204 = arith.addi %202, %c1 overflow<nsw> : index
            %205 = vector.load %alloc[%204, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %206 = arith.addi %202, %c2 overflow<nsw> : index
            %207 = vector.load %alloc[%206, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %208 = arith.addi %202, %c3 overflow<nsw> : index
            %209 = vector.load %alloc[%208, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %210 = vector.load %alloc[%202, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %211 = vector.load %alloc[%204, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %212 = vector.load %alloc[%206, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %213 = vector.load %alloc[%208, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %214 = vector.load %alloc[%202, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %215 = vector.load %alloc[%204, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %216 = vector.load %alloc[%206, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %217 = vector.load %alloc[%208, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %218 = vector.load %alloc[%202, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %219 = vector.load %alloc[%204, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %220 = vector.load %alloc[%206, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %221 = vector.load %alloc[%208, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %222 = affine.linearize_index disjoint [%c0, %24#1, %c0] by (4, 4, 4) : index
            %223 = arith.addi %222, %c16 overflow<nsw> : index
            %224 = vector.load %alloc[%223, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %225 = arith.addi %222, %c17 overflow<nsw> : index
            %226 = vector.load %alloc[%225, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %227 = arith.addi %222, %c18 overflow<nsw> : index
            %228 = vector.load %alloc[%227, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %229 = arith.addi %222, %c19 overflow<nsw> : index
            %230 = vector.load %alloc[%229, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %231 = vector.load %alloc[%223, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %232 = vector.load %alloc[%225, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %233 = vector.load %alloc[%227, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %234 = vector.load %alloc[%229, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %235 = vector.load %alloc[%223, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %236 = vector.load %alloc[%225, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %237 = vector.load %alloc[%227, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %238 = vector.load %alloc[%229, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %239 = vector.load %alloc[%223, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %240 = vector.load %alloc[%225, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %241 = vector.load %alloc[%227, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %242 = vector.load %alloc[%229, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %243 = arith.addi %222, %c32 overflow<nsw> : index
            %244 = vector.load %alloc[%243, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %245 = arith.addi %222, %c33 overflow<nsw> : index
            %246 = vector.load %alloc[%245, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %247 = arith.addi %222, %c34 overflow<nsw> : index
            %248 = vector.load %alloc[%247, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %249 = arith.addi %222, %c35 overflow<nsw> : index
            %250 = vector.load %alloc[%249, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %251 = vector.load %alloc[%243, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %252 = vector.load %alloc[%245, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %253 = vector.load %alloc[%247, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %254 = vector.load %alloc[%249, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %255 = vector.load %alloc[%243, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %256 = vector.load %alloc[%245, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %257 = vector.load %alloc[%247, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %258 = vector.load %alloc[%249, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %259 = vector.load %alloc[%243, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %260 = vector.load %alloc[%245, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %261 = vector.load %alloc[%247, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %262 = vector.load %alloc[%249, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %263 = arith.addi %222, %c48 overflow<nsw> : index
            %264 = vector.load %alloc[%263, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %265 = arith.addi %222, %c49 overflow<nsw> : index
            %266 = vector.load %alloc[%265, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %267 = arith.addi %222, %c50 overflow<nsw> : index
            %268 = vector.load %alloc[%267, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %269 = arith.addi %222, %c51 overflow<nsw> : index
            %270 = vector.load %alloc[%269, %24#2] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %271 = vector.load %alloc[%263, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %272 = vector.load %alloc[%265, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %273 = vector.load %alloc[%267, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %274 = vector.load %alloc[%269, %72] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %275 = vector.load %alloc[%263, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %276 = vector.load %alloc[%265, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %277 = vector.load %alloc[%267, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %278 = vector.load %alloc[%269, %77] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %279 = vector.load %alloc[%263, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %280 = vector.load %alloc[%265, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %281 = vector.load %alloc[%267, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %282 = vector.load %alloc[%269, %82] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %283 = vector.extract %203[0] : f16 from vector<1xf16>
            %284 = vector.extract %205[0] : f16 from vector<1xf16>
            %285 = vector.extract %207[0] : f16 from vector<1xf16>
            %286 = vector.extract %209[0] : f16 from vector<1xf16>
            %287 = vector.from_elements %283, %284, %285, %286 : vector<4xf16>
            %288 = vector.extract %210[0] : f16 from vector<1xf16>
            %289 = vector.extract %211[0] : f16 from vector<1xf16>
            %290 = vector.extract %212[0] : f16 from vector<1xf16>
            %291 = vector.extract %213[0] : f16 from vector<1xf16>
            %292 = vector.from_elements %288, %289, %290, %291 : vector<4xf16>
            %293 = vector.extract %214[0] : f16 from vector<1xf16>
            %294 = vector.extract %215[0] : f16 from vector<1xf16>
            %295 = vector.extract %216[0] : f16 from vector<1xf16>
            %296 = vector.extract %217[0] : f16 from vector<1xf16>
            %297 = vector.from_elements %293, %294, %295, %296 : vector<4xf16>
            %298 = vector.extract %218[0] : f16 from vector<1xf16>
            %299 = vector.extract %219[0] : f16 from vector<1xf16>
            %300 = vector.extract %220[0] : f16 from vector<1xf16>
            %301 = vector.extract %221[0] : f16 from vector<1xf16>
            %302 = vector.from_elements %298, %299, %300, %301 : vector<4xf16>
            %303 = vector.extract %224[0] : f16 from vector<1xf16>
            %304 = vector.extract %226[0] : f16 from vector<1xf16>
            %305 = vector.extract %228[0] : f16 from vector<1xf16>
            %306 = vector.extract %230[0] : f16 from vector<1xf16>
            %307 = vector.from_elements %303, %304, %305, %306 : vector<4xf16>
            %308 = vector.extract %231[0] : f16 from vector<1xf16>
            %309 = vector.extract %232[0] : f16 from vector<1xf16>
            %310 = vector.extract %233[0] : f16 from vector<1xf16>
            %311 = vector.extract %234[0] : f16 from vector<1xf16>
            %312 = vector.from_elements %308, %309, %310, %311 : vector<4xf16>
            %313 = vector.extract %235[0] : f16 from vector<1xf16>
            %314 = vector.extract %236[0] : f16 from vector<1xf16>
            %315 = vector.extract %237[0] : f16 from vector<1xf16>
            %316 = vector.extract %238[0] : f16 from vector<1xf16>
            %317 = vector.from_elements %313, %314, %315, %316 : vector<4xf16>
            %318 = vector.extract %239[0] : f16 from vector<1xf16>
            %319 = vector.extract %240[0] : f16 from vector<1xf16>
            %320 = vector.extract %241[0] : f16 from vector<1xf16>
            %321 = vector.extract %242[0] : f16 from vector<1xf16>
            %322 = vector.from_elements %318, %319, %320, %321 : vector<4xf16>
            %323 = vector.extract %244[0] : f16 from vector<1xf16>
            %324 = vector.extract %246[0] : f16 from vector<1xf16>
            %325 = vector.extract %248[0] : f16 from vector<1xf16>
            %326 = vector.extract %250[0] : f16 from vector<1xf16>
            %327 = vector.from_elements %323, %324, %325, %326 : vector<4xf16>
            %328 = vector.extract %251[0] : f16 from vector<1xf16>
            %329 = vector.extract %252[0] : f16 from vector<1xf16>
            %330 = vector.extract %253[0] : f16 from vector<1xf16>
            %331 = vector.extract %254[0] : f16 from vector<1xf16>
            %332 = vector.from_elements %328, %329, %330, %331 : vector<4xf16>
            %333 = vector.extract %255[0] : f16 from vector<1xf16>
            %334 = vector.extract %256[0] : f16 from vector<1xf16>
            %335 = vector.extract %257[0] : f16 from vector<1xf16>
            %336 = vector.extract %258[0] : f16 from vector<1xf16>
            %337 = vector.from_elements %333, %334, %335, %336 : vector<4xf16>
            %338 = vector.extract %259[0] : f16 from vector<1xf16>
            %339 = vector.extract %260[0] : f16 from vector<1xf16>
            %340 = vector.extract %261[0] : f16 from vector<1xf16>
            %341 = vector.extract %262[0] : f16 from vector<1xf16>
            %342 = vector.from_elements %338, %339, %340, %341 : vector<4xf16>
            %343 = vector.extract %264[0] : f16 from vector<1xf16>
            %344 = vector.extract %266[0] : f16 from vector<1xf16>
            %345 = vector.extract %268[0] : f16 from vector<1xf16>
            %346 = vector.extract %270[0] : f16 from vector<1xf16>
            %347 = vector.from_elements %343, %344, %345, %346 : vector<4xf16>
            %348 = vector.extract %271[0] : f16 from vector<1xf16>
            %349 = vector.extract %272[0] : f16 from vector<1xf16>
            %350 = vector.extract %273[0] : f16 from vector<1xf16>
            %351 = vector.extract %274[0] : f16 from vector<1xf16>
            %352 = vector.from_elements %348, %349, %350, %351 : vector<4xf16>
            %353 = vector.extract %275[0] : f16 from vector<1xf16>
            %354 = vector.extract %276[0] : f16 from vector<1xf16>
            %355 = vector.extract %277[0] : f16 from vector<1xf16>
            %356 = vector.extract %278[0] : f16 from vector<1xf16>
            %357 = vector.from_elements %353, %354, %355, %356 : vector<4xf16>
            %358 = vector.extract %279[0] : f16 from vector<1xf16>
            %359 = vector.extract %280[0] : f16 from vector<1xf16>
            %360 = vector.extract %281[0] : f16 from vector<1xf16>
            %361 = vector.extract %282[0] : f16 from vector<1xf16>
            %362 = vector.from_elements %358, %359, %360, %361 : vector<4xf16>
            %363 = amdgpu.mfma 16x16x16 %287 * %192 + %198 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %364 = amdgpu.mfma 16x16x16 %292 * %192 + %199 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %365 = amdgpu.mfma 16x16x16 %297 * %192 + %200 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %366 = amdgpu.mfma 16x16x16 %302 * %192 + %201 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %367 = amdgpu.mfma 16x16x16 %307 * %193 + %363 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %368 = amdgpu.mfma 16x16x16 %312 * %193 + %364 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %369 = amdgpu.mfma 16x16x16 %317 * %193 + %365 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %370 = amdgpu.mfma 16x16x16 %322 * %193 + %366 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %371 = amdgpu.mfma 16x16x16 %327 * %194 + %367 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %372 = amdgpu.mfma 16x16x16 %332 * %194 + %368 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %373 = amdgpu.mfma 16x16x16 %337 * %194 + %369 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %374 = amdgpu.mfma 16x16x16 %342 * %194 + %370 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %375 = amdgpu.mfma 16x16x16 %347 * %195 + %371 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %376 = amdgpu.mfma 16x16x16 %352 * %195 + %372 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %377 = amdgpu.mfma 16x16x16 %357 * %195 + %373 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %378 = amdgpu.mfma 16x16x16 %362 * %195 + %374 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            scf.yield %375, %376, %377, %378, %191, %168 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<1xf32>, vector<1xf32>
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


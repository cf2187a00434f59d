// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"hip", [#hal.executable.target<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.default_tuning_spec = #rocm.builtin.tuning_module<"iree_default_tuning_spec_gfx942.mlir">, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2FNUZ>, <MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32], workgroup_memory_bank_count = 32>>, ukernels = "none"}>]> : !hal.device
  hal.executable public @mm_dispatch_0 {
    hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.default_tuning_spec = #rocm.builtin.tuning_module<"iree_default_tuning_spec_gfx942.mlir">, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2FNUZ>, <MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>, <MFMA_F32_4x4x4x16B_F16>, <MFMA_F32_16x16x4x4B_F16>, <MFMA_F32_32x32x4x2B_F16>, <MFMA_F32_4x4x4x16B_BF16>, <MFMA_F32_16x16x4x4B_BF16>, <MFMA_F32_32x32x4x2B_BF16>, <MFMA_F32_4x4x1x16B_F32>, <MFMA_F32_16x16x1x4B_F32>, <MFMA_F32_32x32x1x2B_F32>, <MFMA_F64_4x4x4x4B_F64>, <MFMA_I32_4x4x4x16B_I8>, <MFMA_I32_16x16x4x4B_I8>, <MFMA_I32_32x32x4x2B_I8>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32], workgroup_memory_bank_count = 32>>, ukernels = "none"}>) {
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
          %c1 = arith.constant 1 : index
          %c48 = arith.constant 48 : index
          %c32 = arith.constant 32 : index
          %c16 = arith.constant 16 : index
          %c256 = arith.constant 256 : index
          %c254 = arith.constant 254 : index
          %c2 = arith.constant 2 : index
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
          %9:2 = affine.delinearize_index %thread_id_x into (128, 4) : index, index
          %10 = arith.addi %thread_id_x, %c256 overflow<nsw> : index
          %11:2 = affine.delinearize_index %10 into (128, 4) : index, index
          %12 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%9#1]
          %13 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%11#1]
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %14:2 = affine.delinearize_index %workgroup_id_x into (32, 32) : index, index
          %15 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%9#0, %14#0]
          %16 = vector.load %1[%15, %12] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %17 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%11#0, %14#0]
          %18 = vector.load %1[%17, %13] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %19 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%9#0, %14#1]
          %20 = vector.load %3[%19, %12] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          %21 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%11#0, %14#1]
          %22 = vector.load %3[%21, %13] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
          vector.store %16, %alloc[%9#0, %12] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          vector.store %18, %alloc[%11#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          vector.store %20, %alloc_0[%9#0, %12] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          vector.store %22, %alloc_0[%11#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          %23:16 = scf.for %arg0 = %c0 to %c254 step %c2 iter_args(%arg1 = %cst, %arg2 = %cst, %arg3 = %cst, %arg4 = %cst, %arg5 = %cst, %arg6 = %cst, %arg7 = %cst, %arg8 = %cst, %arg9 = %cst, %arg10 = %cst, %arg11 = %cst, %arg12 = %cst, %arg13 = %cst, %arg14 = %cst, %arg15 = %cst, %arg16 = %cst) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
            %234 = arith.addi %arg0, %c2 : index
            %235 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%234)[%9#1]
            %236 = vector.load %1[%15, %235] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %237 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%234)[%11#1]
            %238 = vector.load %1[%17, %237] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %239 = vector.load %3[%19, %235] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            %240 = vector.load %3[%21, %237] : memref<4096x4096xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %241 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#0]
            %242 = affine.linearize_index disjoint [%241, %7#2] by (8, 16) : index
            %243 = vector.load %alloc[%242, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %244 = affine.linearize_index disjoint [%c0, %8] by (2, 16) : index
            %245 = arith.addi %244, %c16 overflow<nsw> : index
            %246 = vector.load %alloc[%242, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %247 = arith.addi %242, %c16 overflow<nsw> : index
            %248 = vector.load %alloc[%247, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %249 = vector.load %alloc[%247, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %250 = arith.addi %242, %c32 overflow<nsw> : index
            %251 = vector.load %alloc[%250, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %252 = vector.load %alloc[%250, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %253 = arith.addi %242, %c48 overflow<nsw> : index
            %254 = vector.load %alloc[%253, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %255 = vector.load %alloc[%253, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %256 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#1]
            %257 = affine.linearize_index disjoint [%256, %7#2] by (8, 16) : index
            %258 = vector.load %alloc_0[%257, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %259 = vector.load %alloc_0[%257, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %260 = arith.addi %257, %c16 overflow<nsw> : index
            %261 = vector.load %alloc_0[%260, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %262 = vector.load %alloc_0[%260, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %263 = arith.addi %257, %c32 overflow<nsw> : index
            %264 = vector.load %alloc_0[%263, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %265 = vector.load %alloc_0[%263, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %266 = arith.addi %257, %c48 overflow<nsw> : index
            %267 = vector.load %alloc_0[%266, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %268 = vector.load %alloc_0[%266, %245] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
            %269 = amdgpu.mfma 16x16x16 %243 * %258 + %arg16 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %270 = amdgpu.mfma 16x16x16 %243 * %261 + %arg15 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %271 = amdgpu.mfma 16x16x16 %243 * %264 + %arg14 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %272 = amdgpu.mfma 16x16x16 %243 * %267 + %arg13 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %273 = amdgpu.mfma 16x16x16 %248 * %258 + %arg12 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %274 = amdgpu.mfma 16x16x16 %248 * %261 + %arg11 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %275 = amdgpu.mfma 16x16x16 %248 * %264 + %arg10 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %276 = amdgpu.mfma 16x16x16 %248 * %267 + %arg9 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %277 = amdgpu.mfma 16x16x16 %251 * %258 + %arg8 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %278 = amdgpu.mfma 16x16x16 %251 * %261 + %arg7 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %279 = amdgpu.mfma 16x16x16 %251 * %264 + %arg6 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %280 = amdgpu.mfma 16x16x16 %251 * %267 + %arg5 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %281 = amdgpu.mfma 16x16x16 %254 * %258 + %arg4 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %282 = amdgpu.mfma 16x16x16 %254 * %261 + %arg3 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %283 = amdgpu.mfma 16x16x16 %254 * %264 + %arg2 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %284 = amdgpu.mfma 16x16x16 %254 * %267 + %arg1 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %285 = amdgpu.mfma 16x16x16 %246 * %259 + %269 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %286 = amdgpu.mfma 16x16x16 %246 * %262 + %270 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %287 = amdgpu.mfma 16x16x16 %246 * %265 + %271 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %288 = amdgpu.mfma 16x16x16 %246 * %268 + %272 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %289 = amdgpu.mfma 16x16x16 %249 * %259 + %273 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %290 = amdgpu.mfma 16x16x16 %249 * %262 + %274 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %291 = amdgpu.mfma 16x16x16 %249 * %265 + %275 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %292 = amdgpu.mfma 16x16x16 %249 * %268 + %276 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %293 = amdgpu.mfma 16x16x16 %252 * %259 + %277 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %294 = amdgpu.mfma 16x16x16 %252 * %262 + %278 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %295 = amdgpu.mfma 16x16x16 %252 * %265 + %279 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %296 = amdgpu.mfma 16x16x16 %252 * %268 + %280 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %297 = amdgpu.mfma 16x16x16 %255 * %259 + %281 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %298 = amdgpu.mfma 16x16x16 %255 * %262 + %282 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %299 = amdgpu.mfma 16x16x16 %255 * %265 + %283 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            %300 = amdgpu.mfma 16x16x16 %255 * %268 + %284 : vector<4xf16>, vector<4xf16>, vector<4xf32>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            amdgpu.sched_barrier allow = none
            vector.store %236, %alloc[%9#0, %12] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            vector.store %238, %alloc[%11#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            vector.store %239, %alloc_0[%9#0, %12] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            vector.store %240, %alloc_0[%11#0, %13] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            scf.yield %300, %299, %298, %297, %296, %295, %294, %293, %292, %291, %290, %289, %288, %287, %286, %285 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
          }
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %24 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#0]
          %25 = affine.linearize_index disjoint [%24, %7#2] by (8, 16) : index
          %26 = vector.load %alloc[%25, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %27 = affine.linearize_index disjoint [%c0, %8] by (2, 16) : index
          %28 = arith.addi %27, %c16 overflow<nsw> : index
          %29 = vector.load %alloc[%25, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %30 = arith.addi %25, %c16 overflow<nsw> : index
          %31 = vector.load %alloc[%30, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %32 = vector.load %alloc[%30, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %33 = arith.addi %25, %c32 overflow<nsw> : index
          %34 = vector.load %alloc[%33, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %35 = vector.load %alloc[%33, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %36 = arith.addi %25, %c48 overflow<nsw> : index
          %37 = vector.load %alloc[%36, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %38 = vector.load %alloc[%36, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %39 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%6#1]
          %40 = affine.linearize_index disjoint [%39, %7#2] by (8, 16) : index
          %41 = vector.load %alloc_0[%40, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %42 = vector.load %alloc_0[%40, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %43 = arith.addi %40, %c16 overflow<nsw> : index
          %44 = vector.load %alloc_0[%43, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %45 = vector.load %alloc_0[%43, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %46 = arith.addi %40, %c32 overflow<nsw> : index
          %47 = vector.load %alloc_0[%46, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %48 = vector.load %alloc_0[%46, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %49 = arith.addi %40, %c48 overflow<nsw> : index
          %50 = vector.load %alloc_0[%49, %8] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %51 = vector.load %alloc_0[%49, %28] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<4xf16>
          %52 = amdgpu.mfma 16x16x16 %26 * %41 + %23#15 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %53 = amdgpu.mfma 16x16x16 %26 * %44 + %23#14 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %54 = amdgpu.mfma 16x16x16 %26 * %47 + %23#13 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %55 = amdgpu.mfma 16x16x16 %26 * %50 + %23#12 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %56 = amdgpu.mfma 16x16x16 %31 * %41 + %23#11 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %57 = amdgpu.mfma 16x16x16 %31 * %44 + %23#10 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %58 = amdgpu.mfma 16x16x16 %31 * %47 + %23#9 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %59 = amdgpu.mfma 16x16x16 %31 * %50 + %23#8 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %60 = amdgpu.mfma 16x16x16 %34 * %41 + %23#7 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %61 = amdgpu.mfma 16x16x16 %34 * %44 + %23#6 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %62 = amdgpu.mfma 16x16x16 %34 * %47 + %23#5 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %63 = amdgpu.mfma 16x16x16 %34 * %50 + %23#4 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %64 = amdgpu.mfma 16x16x16 %37 * %41 + %23#3 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %65 = amdgpu.mfma 16x16x16 %37 * %44 + %23#2 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %66 = amdgpu.mfma 16x16x16 %37 * %47 + %23#1 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %67 = amdgpu.mfma 16x16x16 %37 * %50 + %23#0 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %68 = amdgpu.mfma 16x16x16 %29 * %42 + %52 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %69 = amdgpu.mfma 16x16x16 %29 * %45 + %53 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %70 = amdgpu.mfma 16x16x16 %29 * %48 + %54 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %71 = amdgpu.mfma 16x16x16 %29 * %51 + %55 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %72 = amdgpu.mfma 16x16x16 %32 * %42 + %56 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %73 = amdgpu.mfma 16x16x16 %32 * %45 + %57 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %74 = amdgpu.mfma 16x16x16 %32 * %48 + %58 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %75 = amdgpu.mfma 16x16x16 %32 * %51 + %59 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %76 = amdgpu.mfma 16x16x16 %35 * %42 + %60 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %77 = amdgpu.mfma 16x16x16 %35 * %45 + %61 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %78 = amdgpu.mfma 16x16x16 %35 * %48 + %62 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %79 = amdgpu.mfma 16x16x16 %35 * %51 + %63 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %80 = amdgpu.mfma 16x16x16 %38 * %42 + %64 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %81 = amdgpu.mfma 16x16x16 %38 * %45 + %65 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %82 = amdgpu.mfma 16x16x16 %38 * %48 + %66 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %83 = amdgpu.mfma 16x16x16 %38 * %51 + %67 : vector<4xf16>, vector<4xf16>, vector<4xf32>
          %84 = vector.extract %68[0] : f32 from vector<4xf32>
          %85 = vector.broadcast %84 : f32 to vector<1xf32>
          %86 = vector.extract %68[1] : f32 from vector<4xf32>
          %87 = vector.broadcast %86 : f32 to vector<1xf32>
          %88 = vector.extract %68[2] : f32 from vector<4xf32>
          %89 = vector.broadcast %88 : f32 to vector<1xf32>
          %90 = vector.extract %68[3] : f32 from vector<4xf32>
          %91 = vector.broadcast %90 : f32 to vector<1xf32>
          %92 = vector.extract %69[0] : f32 from vector<4xf32>
          %93 = vector.broadcast %92 : f32 to vector<1xf32>
          %94 = vector.extract %69[1] : f32 from vector<4xf32>
          %95 = vector.broadcast %94 : f32 to vector<1xf32>
          %96 = vector.extract %69[2] : f32 from vector<4xf32>
          %97 = vector.broadcast %96 : f32 to vector<1xf32>
          %98 = vector.extract %69[3] : f32 from vector<4xf32>
          %99 = vector.broadcast %98 : f32 to vector<1xf32>
          %100 = vector.extract %70[0] : f32 from vector<4xf32>
          %101 = vector.broadcast %100 : f32 to vector<1xf32>
          %102 = vector.extract %70[1] : f32 from vector<4xf32>
          %103 = vector.broadcast %102 : f32 to vector<1xf32>
          %104 = vector.extract %70[2] : f32 from vector<4xf32>
          %105 = vector.broadcast %104 : f32 to vector<1xf32>
          %106 = vector.extract %70[3] : f32 from vector<4xf32>
          %107 = vector.broadcast %106 : f32 to vector<1xf32>
          %108 = vector.extract %71[0] : f32 from vector<4xf32>
          %109 = vector.broadcast %108 : f32 to vector<1xf32>
          %110 = vector.extract %71[1] : f32 from vector<4xf32>
          %111 = vector.broadcast %110 : f32 to vector<1xf32>
          %112 = vector.extract %71[2] : f32 from vector<4xf32>
          %113 = vector.broadcast %112 : f32 to vector<1xf32>
          %114 = vector.extract %71[3] : f32 from vector<4xf32>
          %115 = vector.broadcast %114 : f32 to vector<1xf32>
          %116 = vector.extract %72[0] : f32 from vector<4xf32>
          %117 = vector.broadcast %116 : f32 to vector<1xf32>
          %118 = vector.extract %72[1] : f32 from vector<4xf32>
          %119 = vector.broadcast %118 : f32 to vector<1xf32>
          %120 = vector.extract %72[2] : f32 from vector<4xf32>
          %121 = vector.broadcast %120 : f32 to vector<1xf32>
          %122 = vector.extract %72[3] : f32 from vector<4xf32>
          %123 = vector.broadcast %122 : f32 to vector<1xf32>
          %124 = vector.extract %73[0] : f32 from vector<4xf32>
          %125 = vector.broadcast %124 : f32 to vector<1xf32>
          %126 = vector.extract %73[1] : f32 from vector<4xf32>
          %127 = vector.broadcast %126 : f32 to vector<1xf32>
          %128 = vector.extract %73[2] : f32 from vector<4xf32>
          %129 = vector.broadcast %128 : f32 to vector<1xf32>
          %130 = vector.extract %73[3] : f32 from vector<4xf32>
          %131 = vector.broadcast %130 : f32 to vector<1xf32>
          %132 = vector.extract %74[0] : f32 from vector<4xf32>
          %133 = vector.broadcast %132 : f32 to vector<1xf32>
          %134 = vector.extract %74[1] : f32 from vector<4xf32>
          %135 = vector.broadcast %134 : f32 to vector<1xf32>
          %136 = vector.extract %74[2] : f32 from vector<4xf32>
          %137 = vector.broadcast %136 : f32 to vector<1xf32>
          %138 = vector.extract %74[3] : f32 from vector<4xf32>
          %139 = vector.broadcast %138 : f32 to vector<1xf32>
          %140 = vector.extract %75[0] : f32 from vector<4xf32>
          %141 = vector.broadcast %140 : f32 to vector<1xf32>
          %142 = vector.extract %75[1] : f32 from vector<4xf32>
          %143 = vector.broadcast %142 : f32 to vector<1xf32>
          %144 = vector.extract %75[2] : f32 from vector<4xf32>
          %145 = vector.broadcast %144 : f32 to vector<1xf32>
          %146 = vector.extract %75[3] : f32 from vector<4xf32>
          %147 = vector.broadcast %146 : f32 to vector<1xf32>
          %148 = vector.extract %76[0] : f32 from vector<4xf32>
          %149 = vector.broadcast %148 : f32 to vector<1xf32>
          %150 = vector.extract %76[1] : f32 from vector<4xf32>
          %151 = vector.broadcast %150 : f32 to vector<1xf32>
          %152 = vector.extract %76[2] : f32 from vector<4xf32>
          %153 = vector.broadcast %152 : f32 to vector<1xf32>
          %154 = vector.extract %76[3] : f32 from vector<4xf32>
          %155 = vector.broadcast %154 : f32 to vector<1xf32>
          %156 = vector.extract %77[0] : f32 from vector<4xf32>
          %157 = vector.broadcast %156 : f32 to vector<1xf32>
          %158 = vector.extract %77[1] : f32 from vector<4xf32>
          %159 = vector.broadcast %158 : f32 to vector<1xf32>
          %160 = vector.extract %77[2] : f32 from vector<4xf32>
          %161 = vector.broadcast %160 : f32 to vector<1xf32>
          %162 = vector.extract %77[3] : f32 from vector<4xf32>
          %163 = vector.broadcast %162 : f32 to vector<1xf32>
          %164 = vector.extract %78[0] : f32 from vector<4xf32>
          %165 = vector.broadcast %164 : f32 to vector<1xf32>
          %166 = vector.extract %78[1] : f32 from vector<4xf32>
          %167 = vector.broadcast %166 : f32 to vector<1xf32>
          %168 = vector.extract %78[2] : f32 from vector<4xf32>
          %169 = vector.broadcast %168 : f32 to vector<1xf32>
          %170 = vector.extract %78[3] : f32 from vector<4xf32>
          %171 = vector.broadcast %170 : f32 to vector<1xf32>
          %172 = vector.extract %79[0] : f32 from vector<4xf32>
          %173 = vector.broadcast %172 : f32 to vector<1xf32>
          %174 = vector.extract %79[1] : f32 from vector<4xf32>
          %175 = vector.broadcast %174 : f32 to vector<1xf32>
          %176 = vector.extract %79[2] : f32 from vector<4xf32>
          %177 = vector.broadcast %176 : f32 to vector<1xf32>
          %178 = vector.extract %79[3] : f32 from vector<4xf32>
          %179 = vector.broadcast %178 : f32 to vector<1xf32>
          %180 = vector.extract %80[0] : f32 from vector<4xf32>
          %181 = vector.broadcast %180 : f32 to vector<1xf32>
          %182 = vector.extract %80[1] : f32 from vector<4xf32>
          %183 = vector.broadcast %182 : f32 to vector<1xf32>
          %184 = vector.extract %80[2] : f32 from vector<4xf32>
          %185 = vector.broadcast %184 : f32 to vector<1xf32>
          %186 = vector.extract %80[3] : f32 from vector<4xf32>
          %187 = vector.broadcast %186 : f32 to vector<1xf32>
          %188 = vector.extract %81[0] : f32 from vector<4xf32>
          %189 = vector.broadcast %188 : f32 to vector<1xf32>
          %190 = vector.extract %81[1] : f32 from vector<4xf32>
          %191 = vector.broadcast %190 : f32 to vector<1xf32>
          %192 = vector.extract %81[2] : f32 from vector<4xf32>
          %193 = vector.broadcast %192 : f32 to vector<1xf32>
          %194 = vector.extract %81[3] : f32 from vector<4xf32>
          %195 = vector.broadcast %194 : f32 to vector<1xf32>
          %196 = vector.extract %82[0] : f32 from vector<4xf32>
          %197 = vector.broadcast %196 : f32 to vector<1xf32>
          %198 = vector.extract %82[1] : f32 from vector<4xf32>
          %199 = vector.broadcast %198 : f32 to vector<1xf32>
          %200 = vector.extract %82[2] : f32 from vector<4xf32>
          %201 = vector.broadcast %200 : f32 to vector<1xf32>
          %202 = vector.extract %82[3] : f32 from vector<4xf32>
          %203 = vector.broadcast %202 : f32 to vector<1xf32>
          %204 = vector.extract %83[0] : f32 from vector<4xf32>
          %205 = vector.broadcast %204 : f32 to vector<1xf32>
          %206 = vector.extract %83[1] : f32 from vector<4xf32>
          %207 = vector.broadcast %206 : f32 to vector<1xf32>
          %208 = vector.extract %83[2] : f32 from vector<4xf32>
          %209 = vector.broadcast %208 : f32 to vector<1xf32>
          %210 = vector.extract %83[3] : f32 from vector<4xf32>
          %211 = vector.broadcast %210 : f32 to vector<1xf32>
          %212 = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1 * 8)>()[%6#0, %14#0]
          %213 = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1 * 8)>()[%6#1, %14#1]
          %214 = affine.linearize_index disjoint [%212, %8] by (256, 16) : index
          %215 = affine.linearize_index disjoint [%213, %7#2] by (256, 16) : index
          vector.store %85, %5[%214, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %216 = arith.addi %215, %c16 overflow<nsw> : index
          vector.store %93, %5[%214, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %217 = arith.addi %215, %c32 overflow<nsw> : index
          vector.store %101, %5[%214, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %218 = arith.addi %215, %c48 overflow<nsw> : index
          vector.store %109, %5[%214, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %219 = arith.addi %214, %c1 overflow<nsw> : index
          vector.store %87, %5[%219, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %95, %5[%219, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %103, %5[%219, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %111, %5[%219, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %220 = arith.addi %214, %c2 overflow<nsw> : index
          vector.store %89, %5[%220, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %97, %5[%220, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %105, %5[%220, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %113, %5[%220, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %221 = arith.addi %214, %c3 overflow<nsw> : index
          vector.store %91, %5[%221, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %99, %5[%221, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %107, %5[%221, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %115, %5[%221, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %222 = arith.addi %214, %c16 overflow<nsw> : index
          vector.store %117, %5[%222, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %125, %5[%222, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %133, %5[%222, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %141, %5[%222, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %223 = arith.addi %214, %c17 overflow<nsw> : index
          vector.store %119, %5[%223, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %127, %5[%223, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %135, %5[%223, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %143, %5[%223, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %224 = arith.addi %214, %c18 overflow<nsw> : index
          vector.store %121, %5[%224, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %129, %5[%224, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %137, %5[%224, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %145, %5[%224, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %225 = arith.addi %214, %c19 overflow<nsw> : index
          vector.store %123, %5[%225, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %131, %5[%225, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %139, %5[%225, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %147, %5[%225, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %226 = arith.addi %214, %c32 overflow<nsw> : index
          vector.store %149, %5[%226, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %157, %5[%226, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %165, %5[%226, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %173, %5[%226, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %227 = arith.addi %214, %c33 overflow<nsw> : index
          vector.store %151, %5[%227, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %159, %5[%227, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %167, %5[%227, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %175, %5[%227, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %228 = arith.addi %214, %c34 overflow<nsw> : index
          vector.store %153, %5[%228, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %161, %5[%228, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %169, %5[%228, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %177, %5[%228, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %229 = arith.addi %214, %c35 overflow<nsw> : index
          vector.store %155, %5[%229, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %163, %5[%229, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %171, %5[%229, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %179, %5[%229, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %230 = arith.addi %214, %c48 overflow<nsw> : index
          vector.store %181, %5[%230, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %189, %5[%230, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %197, %5[%230, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %205, %5[%230, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %231 = arith.addi %214, %c49 overflow<nsw> : index
          vector.store %183, %5[%231, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %191, %5[%231, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %199, %5[%231, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %207, %5[%231, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %232 = arith.addi %214, %c50 overflow<nsw> : index
          vector.store %185, %5[%232, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %193, %5[%232, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %201, %5[%232, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %209, %5[%232, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          %233 = arith.addi %214, %c51 overflow<nsw> : index
          vector.store %187, %5[%233, %215] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %195, %5[%233, %216] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %203, %5[%233, %217] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
          vector.store %211, %5[%233, %218] : memref<4096x4096xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
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


// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"cuda", [#hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>]> : !hal.device
  hal.executable public @mm_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>) {
      hal.executable.export public @mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [128, 1, 1] subgroup_size = 32>, gpu.known_block_size = array<i32: 128, 1, 1>} {
          %c121 = arith.constant 121 : index
          %c113 = arith.constant 113 : index
          %c105 = arith.constant 105 : index
          %c97 = arith.constant 97 : index
          %c89 = arith.constant 89 : index
          %c81 = arith.constant 81 : index
          %c73 = arith.constant 73 : index
          %c65 = arith.constant 65 : index
          %c57 = arith.constant 57 : index
          %c49 = arith.constant 49 : index
          %c41 = arith.constant 41 : index
          %c33 = arith.constant 33 : index
          %c25 = arith.constant 25 : index
          %c17 = arith.constant 17 : index
          %c9 = arith.constant 9 : index
          %c1 = arith.constant 1 : index
          %c120 = arith.constant 120 : index
          %c112 = arith.constant 112 : index
          %c104 = arith.constant 104 : index
          %c96 = arith.constant 96 : index
          %c88 = arith.constant 88 : index
          %c80 = arith.constant 80 : index
          %c72 = arith.constant 72 : index
          %c56 = arith.constant 56 : index
          %c48 = arith.constant 48 : index
          %c40 = arith.constant 40 : index
          %c32 = arith.constant 32 : index
          %c24 = arith.constant 24 : index
          %c16 = arith.constant 16 : index
          %c896 = arith.constant 896 : index
          %c768 = arith.constant 768 : index
          %c640 = arith.constant 640 : index
          %c512 = arith.constant 512 : index
          %c384 = arith.constant 384 : index
          %c256 = arith.constant 256 : index
          %c128 = arith.constant 128 : index
          %c8 = arith.constant 8 : index
          %c64 = arith.constant 64 : index
          %c0 = arith.constant 0 : index
          %cst = arith.constant dense<0.000000e+00> : vector<2xf32>
          %alloc = memref.alloc() : memref<128x64xf16, #gpu.address_space<workgroup>>
          %alloc_0 = memref.alloc() : memref<64x128xf16, #gpu.address_space<workgroup>>
          %thread_id_x = gpu.thread_id x upper_bound 128
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<1024x1024xf16, #gpu.address_space<global>>
          %assume_align = memref.assume_alignment %0, 64 : memref<1024x1024xf16, #gpu.address_space<global>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<1024x1024xf16, #gpu.address_space<global>>
          %assume_align_1 = memref.assume_alignment %1, 64 : memref<1024x1024xf16, #gpu.address_space<global>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<1024x1024xf32, #gpu.address_space<global>>
          %assume_align_2 = memref.assume_alignment %2, 64 : memref<1024x1024xf32, #gpu.address_space<global>>
          %3:3 = affine.delinearize_index %thread_id_x into (2, 2, 32) : index, index, index
          %4:3 = affine.delinearize_index %3#2 into (8, 4) : index, index, index
          %5 = affine.linearize_index disjoint [%4#2, %c0] by (4, 2) : index
          %6:2 = affine.delinearize_index %thread_id_x into (64, 16) : index, index
          %7 = arith.addi %thread_id_x, %c128 overflow<nsw> : index
          %8:2 = affine.delinearize_index %7 into (64, 16) : index, index
          %9 = arith.addi %thread_id_x, %c256 overflow<nsw> : index
          %10:2 = affine.delinearize_index %9 into (64, 16) : index, index
          %11 = arith.addi %thread_id_x, %c384 overflow<nsw> : index
          %12:2 = affine.delinearize_index %11 into (64, 16) : index, index
          %13 = arith.addi %thread_id_x, %c512 overflow<nsw> : index
          %14:2 = affine.delinearize_index %13 into (64, 16) : index, index
          %15 = arith.addi %thread_id_x, %c640 overflow<nsw> : index
          %16:2 = affine.delinearize_index %15 into (64, 16) : index, index
          %17 = arith.addi %thread_id_x, %c768 overflow<nsw> : index
          %18:2 = affine.delinearize_index %17 into (64, 16) : index, index
          %19 = arith.addi %thread_id_x, %c896 overflow<nsw> : index
          %20:2 = affine.delinearize_index %19 into (64, 16) : index, index
          %21:2 = affine.delinearize_index %thread_id_x into (128, 8) : index, index
          %22:2 = affine.delinearize_index %7 into (128, 8) : index, index
          %23:2 = affine.delinearize_index %9 into (128, 8) : index, index
          %24:2 = affine.delinearize_index %11 into (128, 8) : index, index
          %25:2 = affine.delinearize_index %13 into (128, 8) : index, index
          %26:2 = affine.delinearize_index %15 into (128, 8) : index, index
          %27:2 = affine.delinearize_index %17 into (128, 8) : index, index
          %28:2 = affine.delinearize_index %19 into (128, 8) : index, index
          %29 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%6#1]
          %30 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%8#1]
          %31 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%10#1]
          %32 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%12#1]
          %33 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%14#1]
          %34 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%16#1]
          %35 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%18#1]
          %36 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%20#1]
          %37 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%21#1]
          %38 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%22#1]
          %39 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%23#1]
          %40 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%24#1]
          %41 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%25#1]
          %42 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%26#1]
          %43 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%27#1]
          %44 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%28#1]
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %45:2 = affine.delinearize_index %workgroup_id_x into (16, 16) : index, index
          %46 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%6#0, %45#0]
          %47 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%8#0, %45#0]
          %48 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%10#0, %45#0]
          %49 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%12#0, %45#0]
          %50 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%14#0, %45#0]
          %51 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%16#0, %45#0]
          %52 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%18#0, %45#0]
          %53 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%20#0, %45#0]
          %54 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%21#1, %45#1]
          %55 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%22#1, %45#1]
          %56 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%23#1, %45#1]
          %57 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%24#1, %45#1]
          %58 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%25#1, %45#1]
          %59 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%26#1, %45#1]
          %60 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%27#1, %45#1]
          %61 = affine.apply affine_map<()[s0, s1] -> (s0 * 8 + s1 * 64)>()[%28#1, %45#1]
          %62:16 = scf.for %arg0 = %c0 to %c64 step %c8 iter_args(%arg1 = %cst, %arg2 = %cst, %arg3 = %cst, %arg4 = %cst, %arg5 = %cst, %arg6 = %cst, %arg7 = %cst, %arg8 = %cst, %arg9 = %cst, %arg10 = %cst, %arg11 = %cst, %arg12 = %cst, %arg13 = %cst, %arg14 = %cst, %arg15 = %cst, %arg16 = %cst) -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>) {
            %73:2 = vector.to_elements %arg15 : vector<2xf32>
            %74:2 = vector.to_elements %arg16 : vector<2xf32>
            %75 = vector.from_elements %73#0, %73#1, %74#0, %74#1 : vector<2x2xf32>
            %76:2 = vector.to_elements %arg13 : vector<2xf32>
            %77:2 = vector.to_elements %arg14 : vector<2xf32>
            %78 = vector.from_elements %76#0, %76#1, %77#0, %77#1 : vector<2x2xf32>
            %79:2 = vector.to_elements %arg11 : vector<2xf32>
            %80:2 = vector.to_elements %arg12 : vector<2xf32>
            %81 = vector.from_elements %79#0, %79#1, %80#0, %80#1 : vector<2x2xf32>
            %82:2 = vector.to_elements %arg9 : vector<2xf32>
            %83:2 = vector.to_elements %arg10 : vector<2xf32>
            %84 = vector.from_elements %82#0, %82#1, %83#0, %83#1 : vector<2x2xf32>
            %85:2 = vector.to_elements %arg7 : vector<2xf32>
            %86:2 = vector.to_elements %arg8 : vector<2xf32>
            %87 = vector.from_elements %85#0, %85#1, %86#0, %86#1 : vector<2x2xf32>
            %88:2 = vector.to_elements %arg5 : vector<2xf32>
            %89:2 = vector.to_elements %arg6 : vector<2xf32>
            %90 = vector.from_elements %88#0, %88#1, %89#0, %89#1 : vector<2x2xf32>
            %91:2 = vector.to_elements %arg3 : vector<2xf32>
            %92:2 = vector.to_elements %arg4 : vector<2xf32>
            %93 = vector.from_elements %91#0, %91#1, %92#0, %92#1 : vector<2x2xf32>
            %94:2 = vector.to_elements %arg1 : vector<2xf32>
            %95:2 = vector.to_elements %arg2 : vector<2xf32>
            %96 = vector.from_elements %94#0, %94#1, %95#0, %95#1 : vector<2x2xf32>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %97 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%6#1]
            %98 = vector.load %assume_align[%46, %97] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %98, %alloc_0[%6#0, %29] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %99 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%8#1]
            %100 = vector.load %assume_align[%47, %99] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %100, %alloc_0[%8#0, %30] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %101 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%10#1]
            %102 = vector.load %assume_align[%48, %101] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %102, %alloc_0[%10#0, %31] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %103 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%12#1]
            %104 = vector.load %assume_align[%49, %103] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %104, %alloc_0[%12#0, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %105 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%14#1]
            %106 = vector.load %assume_align[%50, %105] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %106, %alloc_0[%14#0, %33] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %107 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%16#1]
            %108 = vector.load %assume_align[%51, %107] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %108, %alloc_0[%16#0, %34] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %109 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%18#1]
            %110 = vector.load %assume_align[%52, %109] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %110, %alloc_0[%18#0, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %111 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%20#1]
            %112 = vector.load %assume_align[%53, %111] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %112, %alloc_0[%20#0, %36] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %113 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%21#0]
            %114 = vector.load %assume_align_1[%113, %54] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %114, %alloc[%21#0, %37] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %115 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%22#0]
            %116 = vector.load %assume_align_1[%115, %55] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %116, %alloc[%22#0, %38] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %117 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%23#0]
            %118 = vector.load %assume_align_1[%117, %56] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %118, %alloc[%23#0, %39] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %119 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%24#0]
            %120 = vector.load %assume_align_1[%119, %57] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %120, %alloc[%24#0, %40] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %121 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%25#0]
            %122 = vector.load %assume_align_1[%121, %58] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %122, %alloc[%25#0, %41] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %123 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%26#0]
            %124 = vector.load %assume_align_1[%123, %59] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %124, %alloc[%26#0, %42] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %125 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%27#0]
            %126 = vector.load %assume_align_1[%125, %60] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %126, %alloc[%27#0, %43] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %127 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0)>(%arg0)[%28#0]
            %128 = vector.load %assume_align_1[%127, %61] : memref<1024x1024xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %128, %alloc[%28#0, %44] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %129 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%3#0]
            %130 = affine.linearize_index disjoint [%129, %c0, %4#1] by (4, 2, 8) : index
            %131 = vector.load %alloc_0[%130, %5] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %132 = affine.linearize_index disjoint [%c0, %5] by (2, 8) : index
            %133 = arith.addi %132, %c8 overflow<nsw> : index
            %134 = vector.load %alloc_0[%130, %133] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %135 = affine.linearize_index disjoint [%c0, %c0, %5] by (8, 2, 8) : index
            %136 = arith.addi %135, %c16 overflow<nsw> : index
            %137 = vector.load %alloc_0[%130, %136] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %138 = arith.addi %135, %c24 overflow<nsw> : index
            %139 = vector.load %alloc_0[%130, %138] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %140 = arith.addi %135, %c32 overflow<nsw> : index
            %141 = vector.load %alloc_0[%130, %140] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %142 = arith.addi %135, %c40 overflow<nsw> : index
            %143 = vector.load %alloc_0[%130, %142] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %144 = arith.addi %135, %c48 overflow<nsw> : index
            %145 = vector.load %alloc_0[%130, %144] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %146 = arith.addi %135, %c56 overflow<nsw> : index
            %147 = vector.load %alloc_0[%130, %146] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %148 = arith.addi %135, %c64 overflow<nsw> : index
            %149 = vector.load %alloc_0[%130, %148] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %150 = arith.addi %135, %c72 overflow<nsw> : index
            %151 = vector.load %alloc_0[%130, %150] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %152 = arith.addi %135, %c80 overflow<nsw> : index
            %153 = vector.load %alloc_0[%130, %152] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %154 = arith.addi %135, %c88 overflow<nsw> : index
            %155 = vector.load %alloc_0[%130, %154] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %156 = arith.addi %135, %c96 overflow<nsw> : index
            %157 = vector.load %alloc_0[%130, %156] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %158 = arith.addi %135, %c104 overflow<nsw> : index
            %159 = vector.load %alloc_0[%130, %158] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %160 = arith.addi %135, %c112 overflow<nsw> : index
            %161 = vector.load %alloc_0[%130, %160] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %162 = arith.addi %135, %c120 overflow<nsw> : index
            %163 = vector.load %alloc_0[%130, %162] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %164 = arith.addi %130, %c8 overflow<nsw> : index
            %165 = vector.load %alloc_0[%164, %5] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %166 = vector.load %alloc_0[%164, %133] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %167:2 = vector.to_elements %131 : vector<2xf16>
            %168:2 = vector.to_elements %165 : vector<2xf16>
            %169:2 = vector.to_elements %134 : vector<2xf16>
            %170:2 = vector.to_elements %166 : vector<2xf16>
            %171 = vector.from_elements %167#0, %167#1, %168#0, %168#1, %169#0, %169#1, %170#0, %170#1 : vector<4x2xf16>
            %172 = vector.load %alloc_0[%164, %136] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %173 = vector.load %alloc_0[%164, %138] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %174:2 = vector.to_elements %137 : vector<2xf16>
            %175:2 = vector.to_elements %172 : vector<2xf16>
            %176:2 = vector.to_elements %139 : vector<2xf16>
            %177:2 = vector.to_elements %173 : vector<2xf16>
            %178 = vector.from_elements %174#0, %174#1, %175#0, %175#1, %176#0, %176#1, %177#0, %177#1 : vector<4x2xf16>
            %179 = vector.load %alloc_0[%164, %140] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %180 = vector.load %alloc_0[%164, %142] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %181:2 = vector.to_elements %141 : vector<2xf16>
            %182:2 = vector.to_elements %179 : vector<2xf16>
            %183:2 = vector.to_elements %143 : vector<2xf16>
            %184:2 = vector.to_elements %180 : vector<2xf16>
            %185 = vector.from_elements %181#0, %181#1, %182#0, %182#1, %183#0, %183#1, %184#0, %184#1 : vector<4x2xf16>
            %186 = vector.load %alloc_0[%164, %144] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %187 = vector.load %alloc_0[%164, %146] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %188:2 = vector.to_elements %145 : vector<2xf16>
            %189:2 = vector.to_elements %186 : vector<2xf16>
            %190:2 = vector.to_elements %147 : vector<2xf16>
            %191:2 = vector.to_elements %187 : vector<2xf16>
            %192 = vector.from_elements %188#0, %188#1, %189#0, %189#1, %190#0, %190#1, %191#0, %191#1 : vector<4x2xf16>
            %193 = vector.load %alloc_0[%164, %148] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %194 = vector.load %alloc_0[%164, %150] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %195:2 = vector.to_elements %149 : vector<2xf16>
            %196:2 = vector.to_elements %193 : vector<2xf16>
            %197:2 = vector.to_elements %151 : vector<2xf16>
            %198:2 = vector.to_elements %194 : vector<2xf16>
            %199 = vector.from_elements %195#0, %195#1, %196#0, %196#1, %197#0, %197#1, %198#0, %198#1 : vector<4x2xf16>
            %200 = vector.load %alloc_0[%164, %152] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %201 = vector.load %alloc_0[%164, %154] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %202:2 = vector.to_elements %153 : vector<2xf16>
            %203:2 = vector.to_elements %200 : vector<2xf16>
            %204:2 = vector.to_elements %155 : vector<2xf16>
            %205:2 = vector.to_elements %201 : vector<2xf16>
            %206 = vector.from_elements %202#0, %202#1, %203#0, %203#1, %204#0, %204#1, %205#0, %205#1 : vector<4x2xf16>
            %207 = vector.load %alloc_0[%164, %156] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %208 = vector.load %alloc_0[%164, %158] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %209:2 = vector.to_elements %157 : vector<2xf16>
            %210:2 = vector.to_elements %207 : vector<2xf16>
            %211:2 = vector.to_elements %159 : vector<2xf16>
            %212:2 = vector.to_elements %208 : vector<2xf16>
            %213 = vector.from_elements %209#0, %209#1, %210#0, %210#1, %211#0, %211#1, %212#0, %212#1 : vector<4x2xf16>
            %214 = vector.load %alloc_0[%164, %160] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %215 = vector.load %alloc_0[%164, %162] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %216:2 = vector.to_elements %161 : vector<2xf16>
            %217:2 = vector.to_elements %214 : vector<2xf16>
            %218:2 = vector.to_elements %163 : vector<2xf16>
            %219:2 = vector.to_elements %215 : vector<2xf16>
            %220 = vector.from_elements %216#0, %216#1, %217#0, %217#1, %218#0, %218#1, %219#0, %219#1 : vector<4x2xf16>
            %221 = arith.addi %130, %c16 overflow<nsw> : index
            %222 = vector.load %alloc_0[%221, %5] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %223 = vector.load %alloc_0[%221, %133] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %224 = vector.load %alloc_0[%221, %136] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %225 = vector.load %alloc_0[%221, %138] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %226 = vector.load %alloc_0[%221, %140] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %227 = vector.load %alloc_0[%221, %142] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %228 = vector.load %alloc_0[%221, %144] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %229 = vector.load %alloc_0[%221, %146] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %230 = vector.load %alloc_0[%221, %148] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %231 = vector.load %alloc_0[%221, %150] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %232 = vector.load %alloc_0[%221, %152] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %233 = vector.load %alloc_0[%221, %154] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %234 = vector.load %alloc_0[%221, %156] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %235 = vector.load %alloc_0[%221, %158] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %236 = vector.load %alloc_0[%221, %160] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %237 = vector.load %alloc_0[%221, %162] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %238 = arith.addi %130, %c24 overflow<nsw> : index
            %239 = vector.load %alloc_0[%238, %5] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %240 = vector.load %alloc_0[%238, %133] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %241:2 = vector.to_elements %222 : vector<2xf16>
            %242:2 = vector.to_elements %239 : vector<2xf16>
            %243:2 = vector.to_elements %223 : vector<2xf16>
            %244:2 = vector.to_elements %240 : vector<2xf16>
            %245 = vector.from_elements %241#0, %241#1, %242#0, %242#1, %243#0, %243#1, %244#0, %244#1 : vector<4x2xf16>
            %246 = vector.load %alloc_0[%238, %136] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %247 = vector.load %alloc_0[%238, %138] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %248:2 = vector.to_elements %224 : vector<2xf16>
            %249:2 = vector.to_elements %246 : vector<2xf16>
            %250:2 = vector.to_elements %225 : vector<2xf16>
            %251:2 = vector.to_elements %247 : vector<2xf16>
            %252 = vector.from_elements %248#0, %248#1, %249#0, %249#1, %250#0, %250#1, %251#0, %251#1 : vector<4x2xf16>
            %253 = vector.load %alloc_0[%238, %140] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %254 = vector.load %alloc_0[%238, %142] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %255:2 = vector.to_elements %226 : vector<2xf16>
            %256:2 = vector.to_elements %253 : vector<2xf16>
            %257:2 = vector.to_elements %227 : vector<2xf16>
            %258:2 = vector.to_elements %254 : vector<2xf16>
            %259 = vector.from_elements %255#0, %255#1, %256#0, %256#1, %257#0, %257#1, %258#0, %258#1 : vector<4x2xf16>
            %260 = vector.load %alloc_0[%238, %144] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %261 = vector.load %alloc_0[%238, %146] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %262:2 = vector.to_elements %228 : vector<2xf16>
            %263:2 = vector.to_elements %260 : vector<2xf16>
            %264:2 = vector.to_elements %229 : vector<2xf16>
            %265:2 = vector.to_elements %261 : vector<2xf16>
            %266 = vector.from_elements %262#0, %262#1, %263#0, %263#1, %264#0, %264#1, %265#0, %265#1 : vector<4x2xf16>
            %267 = vector.load %alloc_0[%238, %148] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %268 = vector.load %alloc_0[%238, %150] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %269:2 = vector.to_elements %230 : vector<2xf16>
            %270:2 = vector.to_elements %267 : vector<2xf16>
            %271:2 = vector.to_elements %231 : vector<2xf16>
            %272:2 = vector.to_elements %268 : vector<2xf16>
            %273 = vector.from_elements %269#0, %269#1, %270#0, %270#1, %271#0, %271#1, %272#0, %272#1 : vector<4x2xf16>
            %274 = vector.load %alloc_0[%238, %152] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %275 = vector.load %alloc_0[%238, %154] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %276:2 = vector.to_elements %232 : vector<2xf16>
            %277:2 = vector.to_elements %274 : vector<2xf16>
            %278:2 = vector.to_elements %233 : vector<2xf16>
            %279:2 = vector.to_elements %275 : vector<2xf16>
            %280 = vector.from_elements %276#0, %276#1, %277#0, %277#1, %278#0, %278#1, %279#0, %279#1 : vector<4x2xf16>
            %281 = vector.load %alloc_0[%238, %156] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %282 = vector.load %alloc_0[%238, %158] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %283:2 = vector.to_elements %234 : vector<2xf16>
            %284:2 = vector.to_elements %281 : vector<2xf16>
            %285:2 = vector.to_elements %235 : vector<2xf16>
            %286:2 = vector.to_elements %282 : vector<2xf16>
            %287 = vector.from_elements %283#0, %283#1, %284#0, %284#1, %285#0, %285#1, %286#0, %286#1 : vector<4x2xf16>
            %288 = vector.load %alloc_0[%238, %160] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %289 = vector.load %alloc_0[%238, %162] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %290:2 = vector.to_elements %236 : vector<2xf16>
            %291:2 = vector.to_elements %288 : vector<2xf16>
            %292:2 = vector.to_elements %237 : vector<2xf16>
            %293:2 = vector.to_elements %289 : vector<2xf16>
            %294 = vector.from_elements %290#0, %290#1, %291#0, %291#1, %292#0, %292#1, %293#0, %293#1 : vector<4x2xf16>
            %295 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%3#1]
            %296 = affine.linearize_index disjoint [%295, %4#1] by (8, 8) : index
            %297 = vector.load %alloc[%5, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %298 = arith.addi %296, %c8 overflow<nsw> : index
            %299 = vector.load %alloc[%5, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %300 = arith.addi %296, %c16 overflow<nsw> : index
            %301 = vector.load %alloc[%5, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %302 = arith.addi %296, %c24 overflow<nsw> : index
            %303 = vector.load %alloc[%5, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %304 = arith.addi %5, %c1 overflow<nsw> : index
            %305 = vector.load %alloc[%304, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %306 = vector.load %alloc[%304, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %307 = vector.load %alloc[%304, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %308 = vector.load %alloc[%304, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %309 = vector.load %alloc[%133, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %310 = vector.load %alloc[%133, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %311 = vector.load %alloc[%133, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %312 = vector.load %alloc[%133, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %313 = arith.addi %132, %c9 overflow<nsw> : index
            %314 = vector.load %alloc[%313, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %315 = vector.load %alloc[%313, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %316 = vector.load %alloc[%313, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %317 = vector.load %alloc[%313, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %318 = vector.load %alloc[%136, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %319 = vector.load %alloc[%136, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %320 = vector.load %alloc[%136, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %321 = vector.load %alloc[%136, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %322 = arith.addi %135, %c17 overflow<nsw> : index
            %323 = vector.load %alloc[%322, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %324 = vector.load %alloc[%322, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %325 = vector.load %alloc[%322, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %326 = vector.load %alloc[%322, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %327 = vector.load %alloc[%138, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %328 = vector.load %alloc[%138, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %329 = vector.load %alloc[%138, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %330 = vector.load %alloc[%138, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %331 = arith.addi %135, %c25 overflow<nsw> : index
            %332 = vector.load %alloc[%331, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %333 = vector.load %alloc[%331, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %334 = vector.load %alloc[%331, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %335 = vector.load %alloc[%331, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %336 = vector.load %alloc[%140, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %337 = vector.load %alloc[%140, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %338 = vector.load %alloc[%140, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %339 = vector.load %alloc[%140, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %340 = arith.addi %135, %c33 overflow<nsw> : index
            %341 = vector.load %alloc[%340, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %342 = vector.load %alloc[%340, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %343 = vector.load %alloc[%340, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %344 = vector.load %alloc[%340, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %345 = vector.load %alloc[%142, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %346 = vector.load %alloc[%142, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %347 = vector.load %alloc[%142, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %348 = vector.load %alloc[%142, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %349 = arith.addi %135, %c41 overflow<nsw> : index
            %350 = vector.load %alloc[%349, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %351 = vector.load %alloc[%349, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %352 = vector.load %alloc[%349, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %353 = vector.load %alloc[%349, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %354 = vector.load %alloc[%144, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %355 = vector.load %alloc[%144, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %356 = vector.load %alloc[%144, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %357 = vector.load %alloc[%144, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %358 = arith.addi %135, %c49 overflow<nsw> : index
            %359 = vector.load %alloc[%358, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %360 = vector.load %alloc[%358, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %361 = vector.load %alloc[%358, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %362 = vector.load %alloc[%358, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %363 = vector.load %alloc[%146, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %364 = vector.load %alloc[%146, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %365 = vector.load %alloc[%146, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %366 = vector.load %alloc[%146, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %367 = arith.addi %135, %c57 overflow<nsw> : index
            %368 = vector.load %alloc[%367, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %369 = vector.load %alloc[%367, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %370 = vector.load %alloc[%367, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %371 = vector.load %alloc[%367, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %372 = vector.load %alloc[%148, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %373 = vector.load %alloc[%148, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %374 = vector.load %alloc[%148, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %375 = vector.load %alloc[%148, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %376 = arith.addi %135, %c65 overflow<nsw> : index
            %377 = vector.load %alloc[%376, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %378 = vector.load %alloc[%376, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %379 = vector.load %alloc[%376, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %380 = vector.load %alloc[%376, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %381 = vector.load %alloc[%150, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %382 = vector.load %alloc[%150, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %383 = vector.load %alloc[%150, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %384 = vector.load %alloc[%150, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %385 = arith.addi %135, %c73 overflow<nsw> : index
            %386 = vector.load %alloc[%385, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %387 = vector.load %alloc[%385, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %388 = vector.load %alloc[%385, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %389 = vector.load %alloc[%385, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %390 = vector.load %alloc[%152, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %391 = vector.load %alloc[%152, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %392 = vector.load %alloc[%152, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %393 = vector.load %alloc[%152, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %394 = arith.addi %135, %c81 overflow<nsw> : index
            %395 = vector.load %alloc[%394, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %396 = vector.load %alloc[%394, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %397 = vector.load %alloc[%394, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %398 = vector.load %alloc[%394, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %399 = vector.load %alloc[%154, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %400 = vector.load %alloc[%154, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %401 = vector.load %alloc[%154, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %402 = vector.load %alloc[%154, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %403 = arith.addi %135, %c89 overflow<nsw> : index
            %404 = vector.load %alloc[%403, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %405 = vector.load %alloc[%403, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %406 = vector.load %alloc[%403, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %407 = vector.load %alloc[%403, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %408 = vector.load %alloc[%156, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %409 = vector.load %alloc[%156, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %410 = vector.load %alloc[%156, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %411 = vector.load %alloc[%156, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %412 = arith.addi %135, %c97 overflow<nsw> : index
            %413 = vector.load %alloc[%412, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %414 = vector.load %alloc[%412, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %415 = vector.load %alloc[%412, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %416 = vector.load %alloc[%412, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %417 = vector.load %alloc[%158, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %418 = vector.load %alloc[%158, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %419 = vector.load %alloc[%158, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %420 = vector.load %alloc[%158, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %421 = arith.addi %135, %c105 overflow<nsw> : index
            %422 = vector.load %alloc[%421, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %423 = vector.load %alloc[%421, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %424 = vector.load %alloc[%421, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %425 = vector.load %alloc[%421, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %426 = vector.load %alloc[%160, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %427 = vector.load %alloc[%160, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %428 = vector.load %alloc[%160, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %429 = vector.load %alloc[%160, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %430 = arith.addi %135, %c113 overflow<nsw> : index
            %431 = vector.load %alloc[%430, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %432 = vector.load %alloc[%430, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %433 = vector.load %alloc[%430, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %434 = vector.load %alloc[%430, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %435 = vector.load %alloc[%162, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %436 = vector.load %alloc[%162, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %437 = vector.load %alloc[%162, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %438 = vector.load %alloc[%162, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %439 = arith.addi %135, %c121 overflow<nsw> : index
            %440 = vector.load %alloc[%439, %296] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %441 = vector.load %alloc[%439, %298] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %442 = vector.load %alloc[%439, %300] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %443 = vector.load %alloc[%439, %302] : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %444 = vector.to_elements %297 : vector<1xf16>
            %445 = vector.to_elements %299 : vector<1xf16>
            %446 = vector.to_elements %301 : vector<1xf16>
            %447 = vector.to_elements %303 : vector<1xf16>
            %448 = vector.to_elements %305 : vector<1xf16>
            %449 = vector.to_elements %306 : vector<1xf16>
            %450 = vector.to_elements %307 : vector<1xf16>
            %451 = vector.to_elements %308 : vector<1xf16>
            %452 = vector.to_elements %309 : vector<1xf16>
            %453 = vector.to_elements %310 : vector<1xf16>
            %454 = vector.to_elements %311 : vector<1xf16>
            %455 = vector.to_elements %312 : vector<1xf16>
            %456 = vector.to_elements %314 : vector<1xf16>
            %457 = vector.to_elements %315 : vector<1xf16>
            %458 = vector.to_elements %316 : vector<1xf16>
            %459 = vector.to_elements %317 : vector<1xf16>
            %460 = vector.to_elements %318 : vector<1xf16>
            %461 = vector.to_elements %319 : vector<1xf16>
            %462 = vector.to_elements %320 : vector<1xf16>
            %463 = vector.to_elements %321 : vector<1xf16>
            %464 = vector.to_elements %323 : vector<1xf16>
            %465 = vector.to_elements %324 : vector<1xf16>
            %466 = vector.to_elements %325 : vector<1xf16>
            %467 = vector.to_elements %326 : vector<1xf16>
            %468 = vector.to_elements %327 : vector<1xf16>
            %469 = vector.to_elements %328 : vector<1xf16>
            %470 = vector.to_elements %329 : vector<1xf16>
            %471 = vector.to_elements %330 : vector<1xf16>
            %472 = vector.to_elements %332 : vector<1xf16>
            %473 = vector.to_elements %333 : vector<1xf16>
            %474 = vector.to_elements %334 : vector<1xf16>
            %475 = vector.to_elements %335 : vector<1xf16>
            %476 = vector.to_elements %336 : vector<1xf16>
            %477 = vector.to_elements %337 : vector<1xf16>
            %478 = vector.to_elements %338 : vector<1xf16>
            %479 = vector.to_elements %339 : vector<1xf16>
            %480 = vector.to_elements %341 : vector<1xf16>
            %481 = vector.to_elements %342 : vector<1xf16>
            %482 = vector.to_elements %343 : vector<1xf16>
            %483 = vector.to_elements %344 : vector<1xf16>
            %484 = vector.to_elements %345 : vector<1xf16>
            %485 = vector.to_elements %346 : vector<1xf16>
            %486 = vector.to_elements %347 : vector<1xf16>
            %487 = vector.to_elements %348 : vector<1xf16>
            %488 = vector.to_elements %350 : vector<1xf16>
            %489 = vector.to_elements %351 : vector<1xf16>
            %490 = vector.to_elements %352 : vector<1xf16>
            %491 = vector.to_elements %353 : vector<1xf16>
            %492 = vector.to_elements %354 : vector<1xf16>
            %493 = vector.to_elements %355 : vector<1xf16>
            %494 = vector.to_elements %356 : vector<1xf16>
            %495 = vector.to_elements %357 : vector<1xf16>
            %496 = vector.to_elements %359 : vector<1xf16>
            %497 = vector.to_elements %360 : vector<1xf16>
            %498 = vector.to_elements %361 : vector<1xf16>
            %499 = vector.to_elements %362 : vector<1xf16>
            %500 = vector.to_elements %363 : vector<1xf16>
            %501 = vector.to_elements %364 : vector<1xf16>
            %502 = vector.to_elements %365 : vector<1xf16>
            %503 = vector.to_elements %366 : vector<1xf16>
            %504 = vector.to_elements %368 : vector<1xf16>
            %505 = vector.to_elements %369 : vector<1xf16>
            %506 = vector.to_elements %370 : vector<1xf16>
            %507 = vector.to_elements %371 : vector<1xf16>
            %508 = vector.to_elements %372 : vector<1xf16>
            %509 = vector.to_elements %373 : vector<1xf16>
            %510 = vector.to_elements %374 : vector<1xf16>
            %511 = vector.to_elements %375 : vector<1xf16>
            %512 = vector.to_elements %377 : vector<1xf16>
            %513 = vector.to_elements %378 : vector<1xf16>
            %514 = vector.to_elements %379 : vector<1xf16>
            %515 = vector.to_elements %380 : vector<1xf16>
            %516 = vector.to_elements %381 : vector<1xf16>
            %517 = vector.to_elements %382 : vector<1xf16>
            %518 = vector.to_elements %383 : vector<1xf16>
            %519 = vector.to_elements %384 : vector<1xf16>
            %520 = vector.to_elements %386 : vector<1xf16>
            %521 = vector.to_elements %387 : vector<1xf16>
            %522 = vector.to_elements %388 : vector<1xf16>
            %523 = vector.to_elements %389 : vector<1xf16>
            %524 = vector.to_elements %390 : vector<1xf16>
            %525 = vector.to_elements %391 : vector<1xf16>
            %526 = vector.to_elements %392 : vector<1xf16>
            %527 = vector.to_elements %393 : vector<1xf16>
            %528 = vector.to_elements %395 : vector<1xf16>
            %529 = vector.to_elements %396 : vector<1xf16>
            %530 = vector.to_elements %397 : vector<1xf16>
            %531 = vector.to_elements %398 : vector<1xf16>
            %532 = vector.to_elements %399 : vector<1xf16>
            %533 = vector.to_elements %400 : vector<1xf16>
            %534 = vector.to_elements %401 : vector<1xf16>
            %535 = vector.to_elements %402 : vector<1xf16>
            %536 = vector.to_elements %404 : vector<1xf16>
            %537 = vector.to_elements %405 : vector<1xf16>
            %538 = vector.to_elements %406 : vector<1xf16>
            %539 = vector.to_elements %407 : vector<1xf16>
            %540 = vector.to_elements %408 : vector<1xf16>
            %541 = vector.to_elements %409 : vector<1xf16>
            %542 = vector.to_elements %410 : vector<1xf16>
            %543 = vector.to_elements %411 : vector<1xf16>
            %544 = vector.to_elements %413 : vector<1xf16>
            %545 = vector.to_elements %414 : vector<1xf16>
            %546 = vector.to_elements %415 : vector<1xf16>
            %547 = vector.to_elements %416 : vector<1xf16>
            %548 = vector.to_elements %417 : vector<1xf16>
            %549 = vector.to_elements %418 : vector<1xf16>
            %550 = vector.to_elements %419 : vector<1xf16>
            %551 = vector.to_elements %420 : vector<1xf16>
            %552 = vector.to_elements %422 : vector<1xf16>
            %553 = vector.to_elements %423 : vector<1xf16>
            %554 = vector.to_elements %424 : vector<1xf16>
            %555 = vector.to_elements %425 : vector<1xf16>
            %556 = vector.to_elements %426 : vector<1xf16>
            %557 = vector.to_elements %427 : vector<1xf16>
            %558 = vector.to_elements %428 : vector<1xf16>
            %559 = vector.to_elements %429 : vector<1xf16>
            %560 = vector.to_elements %431 : vector<1xf16>
            %561 = vector.to_elements %432 : vector<1xf16>
            %562 = vector.to_elements %433 : vector<1xf16>
            %563 = vector.to_elements %434 : vector<1xf16>
            %564 = vector.to_elements %435 : vector<1xf16>
            %565 = vector.to_elements %436 : vector<1xf16>
            %566 = vector.to_elements %437 : vector<1xf16>
            %567 = vector.to_elements %438 : vector<1xf16>
            %568 = vector.to_elements %440 : vector<1xf16>
            %569 = vector.to_elements %441 : vector<1xf16>
            %570 = vector.to_elements %442 : vector<1xf16>
            %571 = vector.to_elements %443 : vector<1xf16>
            %572 = vector.from_elements %444, %448, %452, %456 : vector<2x2xf16>
            %573 = vector.from_elements %445, %449, %453, %457 : vector<2x2xf16>
            %574 = vector.from_elements %446, %450, %454, %458 : vector<2x2xf16>
            %575 = vector.from_elements %447, %451, %455, %459 : vector<2x2xf16>
            %576 = vector.from_elements %460, %464, %468, %472 : vector<2x2xf16>
            %577 = vector.from_elements %461, %465, %469, %473 : vector<2x2xf16>
            %578 = vector.from_elements %462, %466, %470, %474 : vector<2x2xf16>
            %579 = vector.from_elements %463, %467, %471, %475 : vector<2x2xf16>
            %580 = vector.from_elements %476, %480, %484, %488 : vector<2x2xf16>
            %581 = vector.from_elements %477, %481, %485, %489 : vector<2x2xf16>
            %582 = vector.from_elements %478, %482, %486, %490 : vector<2x2xf16>
            %583 = vector.from_elements %479, %483, %487, %491 : vector<2x2xf16>
            %584 = vector.from_elements %492, %496, %500, %504 : vector<2x2xf16>
            %585 = vector.from_elements %493, %497, %501, %505 : vector<2x2xf16>
            %586 = vector.from_elements %494, %498, %502, %506 : vector<2x2xf16>
            %587 = vector.from_elements %495, %499, %503, %507 : vector<2x2xf16>
            %588 = vector.from_elements %508, %512, %516, %520 : vector<2x2xf16>
            %589 = vector.from_elements %509, %513, %517, %521 : vector<2x2xf16>
            %590 = vector.from_elements %510, %514, %518, %522 : vector<2x2xf16>
            %591 = vector.from_elements %511, %515, %519, %523 : vector<2x2xf16>
            %592 = vector.from_elements %524, %528, %532, %536 : vector<2x2xf16>
            %593 = vector.from_elements %525, %529, %533, %537 : vector<2x2xf16>
            %594 = vector.from_elements %526, %530, %534, %538 : vector<2x2xf16>
            %595 = vector.from_elements %527, %531, %535, %539 : vector<2x2xf16>
            %596 = vector.from_elements %540, %544, %548, %552 : vector<2x2xf16>
            %597 = vector.from_elements %541, %545, %549, %553 : vector<2x2xf16>
            %598 = vector.from_elements %542, %546, %550, %554 : vector<2x2xf16>
            %599 = vector.from_elements %543, %547, %551, %555 : vector<2x2xf16>
            %600 = vector.from_elements %556, %560, %564, %568 : vector<2x2xf16>
            %601 = vector.from_elements %557, %561, %565, %569 : vector<2x2xf16>
            %602 = vector.from_elements %558, %562, %566, %570 : vector<2x2xf16>
            %603 = vector.from_elements %559, %563, %567, %571 : vector<2x2xf16>
            %604 = nvgpu.mma.sync(%171, %572, %75) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %605 = nvgpu.mma.sync(%171, %573, %78) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %606 = nvgpu.mma.sync(%171, %574, %81) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %607 = nvgpu.mma.sync(%171, %575, %84) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %608 = nvgpu.mma.sync(%245, %572, %87) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %609 = nvgpu.mma.sync(%245, %573, %90) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %610 = nvgpu.mma.sync(%245, %574, %93) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %611 = nvgpu.mma.sync(%245, %575, %96) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %612 = nvgpu.mma.sync(%178, %576, %604) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %613 = nvgpu.mma.sync(%178, %577, %605) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %614 = nvgpu.mma.sync(%178, %578, %606) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %615 = nvgpu.mma.sync(%178, %579, %607) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %616 = nvgpu.mma.sync(%252, %576, %608) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %617 = nvgpu.mma.sync(%252, %577, %609) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %618 = nvgpu.mma.sync(%252, %578, %610) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %619 = nvgpu.mma.sync(%252, %579, %611) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %620 = nvgpu.mma.sync(%185, %580, %612) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %621 = nvgpu.mma.sync(%185, %581, %613) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %622 = nvgpu.mma.sync(%185, %582, %614) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %623 = nvgpu.mma.sync(%185, %583, %615) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %624 = nvgpu.mma.sync(%259, %580, %616) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %625 = nvgpu.mma.sync(%259, %581, %617) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %626 = nvgpu.mma.sync(%259, %582, %618) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %627 = nvgpu.mma.sync(%259, %583, %619) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %628 = nvgpu.mma.sync(%192, %584, %620) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %629 = nvgpu.mma.sync(%192, %585, %621) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %630 = nvgpu.mma.sync(%192, %586, %622) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %631 = nvgpu.mma.sync(%192, %587, %623) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %632 = nvgpu.mma.sync(%266, %584, %624) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %633 = nvgpu.mma.sync(%266, %585, %625) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %634 = nvgpu.mma.sync(%266, %586, %626) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %635 = nvgpu.mma.sync(%266, %587, %627) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %636 = nvgpu.mma.sync(%199, %588, %628) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %637 = nvgpu.mma.sync(%199, %589, %629) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %638 = nvgpu.mma.sync(%199, %590, %630) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %639 = nvgpu.mma.sync(%199, %591, %631) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %640 = nvgpu.mma.sync(%273, %588, %632) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %641 = nvgpu.mma.sync(%273, %589, %633) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %642 = nvgpu.mma.sync(%273, %590, %634) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %643 = nvgpu.mma.sync(%273, %591, %635) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %644 = nvgpu.mma.sync(%206, %592, %636) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %645 = nvgpu.mma.sync(%206, %593, %637) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %646 = nvgpu.mma.sync(%206, %594, %638) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %647 = nvgpu.mma.sync(%206, %595, %639) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %648 = nvgpu.mma.sync(%280, %592, %640) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %649 = nvgpu.mma.sync(%280, %593, %641) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %650 = nvgpu.mma.sync(%280, %594, %642) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %651 = nvgpu.mma.sync(%280, %595, %643) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %652 = nvgpu.mma.sync(%213, %596, %644) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %653 = nvgpu.mma.sync(%213, %597, %645) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %654 = nvgpu.mma.sync(%213, %598, %646) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %655 = nvgpu.mma.sync(%213, %599, %647) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %656 = nvgpu.mma.sync(%287, %596, %648) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %657 = nvgpu.mma.sync(%287, %597, %649) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %658 = nvgpu.mma.sync(%287, %598, %650) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %659 = nvgpu.mma.sync(%287, %599, %651) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %660 = nvgpu.mma.sync(%220, %600, %652) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %661 = vector.extract %660[0] : vector<2xf32> from vector<2x2xf32>
            %662 = vector.extract %660[1] : vector<2xf32> from vector<2x2xf32>
            %663 = nvgpu.mma.sync(%220, %601, %653) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %664 = vector.extract %663[0] : vector<2xf32> from vector<2x2xf32>
            %665 = vector.extract %663[1] : vector<2xf32> from vector<2x2xf32>
            %666 = nvgpu.mma.sync(%220, %602, %654) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %667 = vector.extract %666[0] : vector<2xf32> from vector<2x2xf32>
            %668 = vector.extract %666[1] : vector<2xf32> from vector<2x2xf32>
            %669 = nvgpu.mma.sync(%220, %603, %655) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %670 = vector.extract %669[0] : vector<2xf32> from vector<2x2xf32>
            %671 = vector.extract %669[1] : vector<2xf32> from vector<2x2xf32>
            %672 = nvgpu.mma.sync(%294, %600, %656) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %673 = vector.extract %672[0] : vector<2xf32> from vector<2x2xf32>
            %674 = vector.extract %672[1] : vector<2xf32> from vector<2x2xf32>
            %675 = nvgpu.mma.sync(%294, %601, %657) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %676 = vector.extract %675[0] : vector<2xf32> from vector<2x2xf32>
            %677 = vector.extract %675[1] : vector<2xf32> from vector<2x2xf32>
            %678 = nvgpu.mma.sync(%294, %602, %658) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %679 = vector.extract %678[0] : vector<2xf32> from vector<2x2xf32>
            %680 = vector.extract %678[1] : vector<2xf32> from vector<2x2xf32>
            %681 = nvgpu.mma.sync(%294, %603, %659) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %682 = vector.extract %681[0] : vector<2xf32> from vector<2x2xf32>
            %683 = vector.extract %681[1] : vector<2xf32> from vector<2x2xf32>
            scf.yield %682, %683, %679, %680, %676, %677, %673, %674, %670, %671, %667, %668, %664, %665, %661, %662 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>
          }
          %63 = affine.apply affine_map<()[s0, s1] -> (s0 * 2 + s1 * 4)>()[%3#0, %45#0]
          %64 = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1 * 8)>()[%3#1, %45#1]
          %65 = affine.linearize_index disjoint [%63, %c0, %4#1] by (64, 2, 8) : index
          %66 = affine.linearize_index disjoint [%64, %5] by (128, 8) : index
          vector.store %62#14, %assume_align_2[%65, %66] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          %67 = arith.addi %66, %c8 overflow<nsw> : index
          vector.store %62#12, %assume_align_2[%65, %67] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          %68 = arith.addi %66, %c16 overflow<nsw> : index
          vector.store %62#10, %assume_align_2[%65, %68] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          %69 = arith.addi %66, %c24 overflow<nsw> : index
          vector.store %62#8, %assume_align_2[%65, %69] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          %70 = arith.addi %65, %c8 overflow<nsw> : index
          vector.store %62#15, %assume_align_2[%70, %66] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#13, %assume_align_2[%70, %67] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#11, %assume_align_2[%70, %68] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#9, %assume_align_2[%70, %69] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          %71 = arith.addi %65, %c16 overflow<nsw> : index
          vector.store %62#6, %assume_align_2[%71, %66] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#4, %assume_align_2[%71, %67] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#2, %assume_align_2[%71, %68] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#0, %assume_align_2[%71, %69] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          %72 = arith.addi %65, %c24 overflow<nsw> : index
          vector.store %62#7, %assume_align_2[%72, %66] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#5, %assume_align_2[%72, %67] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#3, %assume_align_2[%72, %68] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %62#1, %assume_align_2[%72, %69] : memref<1024x1024xf32, #gpu.address_space<global>>, vector<2xf32>
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          memref.dealloc %alloc_0 : memref<64x128xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc : memref<128x64xf16, #gpu.address_space<workgroup>>
          return
        }
        iree_codegen.dispatch_config @mm_dispatch_0_matmul_1024x1024x1024_f16xf16xf32 workgroup_size = [128, 1, 1] subgroup_size = 32 {
        ^bb0(%arg0: !hal.device):
          %c256 = arith.constant 256 : index
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c256, %c1, %c1 : index, index, index
        }
      }
    }
  }
}


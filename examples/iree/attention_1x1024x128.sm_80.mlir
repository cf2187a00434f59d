// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @attn_dispatch_0_attention_1024x128x128x1024) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"cuda", [#hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>]> : !hal.device
  hal.executable public @attn_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>) {
      hal.executable.export public @attn_dispatch_0_attention_1024x128x128x1024 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @attn_dispatch_0_attention_1024x128x128x1024() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [128, 1, 1] subgroup_size = 32>, iree_codegen.denormal_fp_math_f32 = #iree_codegen.denormal_fp_math<"preserve-sign">} {
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
          %c8 = arith.constant 8 : index
          %cst = arith.constant 0.000000e+00 : f32
          %cst_0 = arith.constant 0xFF800000 : f32
          %c0 = arith.constant 0 : index
          %c1024 = arith.constant 1024 : index
          %c64 = arith.constant 64 : index
          %cst_1 = arith.constant dense<-3.40282347E+38> : vector<1xf32>
          %cst_2 = arith.constant dense<0.000000e+00> : vector<1xf32>
          %cst_3 = arith.constant dense<1.274410e-01> : vector<2xf16>
          %cst_4 = arith.constant dense<1.000000e+00> : vector<1xf32>
          %cst_5 = arith.constant dense<0.000000e+00> : vector<2xf32>
          %c2_i32 = arith.constant 2 : i32
          %c32_i32 = arith.constant 32 : i32
          %c1_i32 = arith.constant 1 : i32
          %0:2 = vector.to_elements %cst_5 : vector<2xf32>
          %1 = vector.from_elements %0#0, %0#1, %0#0, %0#1 : vector<2x2xf32>
          %thread_id_y = gpu.thread_id y
          %thread_id_x = gpu.thread_id x
          %alloc = memref.alloc() : memref<64x32xf16, #gpu.address_space<workgroup>>
          %alloc_6 = memref.alloc() : memref<64x128xf16, #gpu.address_space<workgroup>>
          %alloc_7 = memref.alloc() : memref<64x128xf16, #gpu.address_space<workgroup>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align = memref.assume_alignment %2, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %3 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align_8 = memref.assume_alignment %3, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align_9 = memref.assume_alignment %4, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %5 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(3) alignment(64) offset(%c0) flags(Indirect) : memref<1024x128xf16, #gpu.address_space<global>>
          %assume_align_10 = memref.assume_alignment %5, 64 : memref<1024x128xf16, #gpu.address_space<global>>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %6:2 = affine.delinearize_index %workgroup_id_x into (16, 4) : index, index
          %7 = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%6#0]
          %8 = affine.apply affine_map<()[s0] -> (s0 * 32)>()[%6#1]
          %9:2 = affine.delinearize_index %thread_id_x into (8, 16) : index, index
          %10 = affine.linearize_index [%9#0, %7] by (8, 1) : index
          %11 = affine.linearize_index disjoint [%9#1, %c0] by (16, 8) : index
          %12 = vector.load %assume_align[%10, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %13 = affine.linearize_index [%c0, %9#0, %7] by (8, 8, 1) : index
          %14 = arith.addi %13, %c8 overflow<nsw> : index
          %15 = vector.load %assume_align[%14, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %16 = arith.addi %13, %c16 overflow<nsw> : index
          %17 = vector.load %assume_align[%16, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %18 = arith.addi %13, %c24 overflow<nsw> : index
          %19 = vector.load %assume_align[%18, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %20 = arith.addi %13, %c32 overflow<nsw> : index
          %21 = vector.load %assume_align[%20, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %22 = arith.addi %13, %c40 overflow<nsw> : index
          %23 = vector.load %assume_align[%22, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %24 = arith.addi %13, %c48 overflow<nsw> : index
          %25 = vector.load %assume_align[%24, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %26 = arith.addi %13, %c56 overflow<nsw> : index
          %27 = vector.load %assume_align[%26, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
          %28 = arith.cmpi eq, %thread_id_y, %c0 : index
          scf.if %28 {
            vector.store %12, %alloc_7[%9#0, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %178 = affine.linearize_index disjoint [%c0, %9#0] by (8, 8) : index
            %179 = arith.addi %178, %c8 overflow<nsw> : index
            vector.store %15, %alloc_7[%179, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %180 = arith.addi %178, %c16 overflow<nsw> : index
            vector.store %17, %alloc_7[%180, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %181 = arith.addi %178, %c24 overflow<nsw> : index
            vector.store %19, %alloc_7[%181, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %182 = arith.addi %178, %c32 overflow<nsw> : index
            vector.store %21, %alloc_7[%182, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %183 = arith.addi %178, %c40 overflow<nsw> : index
            vector.store %23, %alloc_7[%183, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %184 = arith.addi %178, %c48 overflow<nsw> : index
            vector.store %25, %alloc_7[%184, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %185 = arith.addi %178, %c56 overflow<nsw> : index
            vector.store %27, %alloc_7[%185, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
          }
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %29:2 = affine.delinearize_index %thread_id_x into (4, 32) : index, index
          %30:3 = affine.delinearize_index %thread_id_x into (8, 4) : index, index, index
          %31 = affine.linearize_index disjoint [%29#0, %c0, %30#1] by (4, 2, 8) : index
          %32 = affine.linearize_index disjoint [%30#2, %c0] by (4, 2) : index
          %33 = vector.load %alloc_7[%31, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %34 = affine.linearize_index disjoint [%c0, %30#2, %c0] by (2, 4, 2) : index
          %35 = arith.addi %34, %c8 overflow<nsw> : index
          %36 = vector.load %alloc_7[%31, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %37 = arith.addi %31, %c8 overflow<nsw> : index
          %38 = vector.load %alloc_7[%37, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %39 = vector.load %alloc_7[%37, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %40 = affine.linearize_index disjoint [%c0, %c0, %30#2, %c0] by (8, 2, 4, 2) : index
          %41 = arith.addi %40, %c16 overflow<nsw> : index
          %42 = vector.load %alloc_7[%31, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %43 = arith.addi %40, %c24 overflow<nsw> : index
          %44 = vector.load %alloc_7[%31, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %45 = vector.load %alloc_7[%37, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %46 = vector.load %alloc_7[%37, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %47 = arith.addi %40, %c32 overflow<nsw> : index
          %48 = vector.load %alloc_7[%31, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %49 = arith.addi %40, %c40 overflow<nsw> : index
          %50 = vector.load %alloc_7[%31, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %51 = vector.load %alloc_7[%37, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %52 = vector.load %alloc_7[%37, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %53 = arith.addi %40, %c48 overflow<nsw> : index
          %54 = vector.load %alloc_7[%31, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %55 = arith.addi %40, %c56 overflow<nsw> : index
          %56 = vector.load %alloc_7[%31, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %57 = vector.load %alloc_7[%37, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %58 = vector.load %alloc_7[%37, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %59 = arith.addi %40, %c64 overflow<nsw> : index
          %60 = vector.load %alloc_7[%31, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %61 = arith.addi %40, %c72 overflow<nsw> : index
          %62 = vector.load %alloc_7[%31, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %63 = vector.load %alloc_7[%37, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %64 = vector.load %alloc_7[%37, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %65 = arith.addi %40, %c80 overflow<nsw> : index
          %66 = vector.load %alloc_7[%31, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %67 = arith.addi %40, %c88 overflow<nsw> : index
          %68 = vector.load %alloc_7[%31, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %69 = vector.load %alloc_7[%37, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %70 = vector.load %alloc_7[%37, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %71 = arith.addi %40, %c96 overflow<nsw> : index
          %72 = vector.load %alloc_7[%31, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %73 = arith.addi %40, %c104 overflow<nsw> : index
          %74 = vector.load %alloc_7[%31, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %75 = vector.load %alloc_7[%37, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %76 = vector.load %alloc_7[%37, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %77 = arith.addi %40, %c112 overflow<nsw> : index
          %78 = vector.load %alloc_7[%31, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %79 = arith.addi %40, %c120 overflow<nsw> : index
          %80 = vector.load %alloc_7[%31, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %81 = vector.load %alloc_7[%37, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %82 = vector.load %alloc_7[%37, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
          %83 = arith.mulf %33, %cst_3 : vector<2xf16>
          %84 = arith.mulf %36, %cst_3 : vector<2xf16>
          %85 = arith.mulf %38, %cst_3 : vector<2xf16>
          %86 = arith.mulf %39, %cst_3 : vector<2xf16>
          %87:2 = vector.to_elements %83 : vector<2xf16>
          %88:2 = vector.to_elements %85 : vector<2xf16>
          %89:2 = vector.to_elements %84 : vector<2xf16>
          %90:2 = vector.to_elements %86 : vector<2xf16>
          %91 = vector.from_elements %87#0, %87#1, %88#0, %88#1, %89#0, %89#1, %90#0, %90#1 : vector<4x2xf16>
          %92 = arith.mulf %42, %cst_3 : vector<2xf16>
          %93 = arith.mulf %44, %cst_3 : vector<2xf16>
          %94 = arith.mulf %45, %cst_3 : vector<2xf16>
          %95 = arith.mulf %46, %cst_3 : vector<2xf16>
          %96:2 = vector.to_elements %92 : vector<2xf16>
          %97:2 = vector.to_elements %94 : vector<2xf16>
          %98:2 = vector.to_elements %93 : vector<2xf16>
          %99:2 = vector.to_elements %95 : vector<2xf16>
          %100 = vector.from_elements %96#0, %96#1, %97#0, %97#1, %98#0, %98#1, %99#0, %99#1 : vector<4x2xf16>
          %101 = arith.mulf %48, %cst_3 : vector<2xf16>
          %102 = arith.mulf %50, %cst_3 : vector<2xf16>
          %103 = arith.mulf %51, %cst_3 : vector<2xf16>
          %104 = arith.mulf %52, %cst_3 : vector<2xf16>
          %105:2 = vector.to_elements %101 : vector<2xf16>
          %106:2 = vector.to_elements %103 : vector<2xf16>
          %107:2 = vector.to_elements %102 : vector<2xf16>
          %108:2 = vector.to_elements %104 : vector<2xf16>
          %109 = vector.from_elements %105#0, %105#1, %106#0, %106#1, %107#0, %107#1, %108#0, %108#1 : vector<4x2xf16>
          %110 = arith.mulf %54, %cst_3 : vector<2xf16>
          %111 = arith.mulf %56, %cst_3 : vector<2xf16>
          %112 = arith.mulf %57, %cst_3 : vector<2xf16>
          %113 = arith.mulf %58, %cst_3 : vector<2xf16>
          %114:2 = vector.to_elements %110 : vector<2xf16>
          %115:2 = vector.to_elements %112 : vector<2xf16>
          %116:2 = vector.to_elements %111 : vector<2xf16>
          %117:2 = vector.to_elements %113 : vector<2xf16>
          %118 = vector.from_elements %114#0, %114#1, %115#0, %115#1, %116#0, %116#1, %117#0, %117#1 : vector<4x2xf16>
          %119 = arith.mulf %60, %cst_3 : vector<2xf16>
          %120 = arith.mulf %62, %cst_3 : vector<2xf16>
          %121 = arith.mulf %63, %cst_3 : vector<2xf16>
          %122 = arith.mulf %64, %cst_3 : vector<2xf16>
          %123:2 = vector.to_elements %119 : vector<2xf16>
          %124:2 = vector.to_elements %121 : vector<2xf16>
          %125:2 = vector.to_elements %120 : vector<2xf16>
          %126:2 = vector.to_elements %122 : vector<2xf16>
          %127 = vector.from_elements %123#0, %123#1, %124#0, %124#1, %125#0, %125#1, %126#0, %126#1 : vector<4x2xf16>
          %128 = arith.mulf %66, %cst_3 : vector<2xf16>
          %129 = arith.mulf %68, %cst_3 : vector<2xf16>
          %130 = arith.mulf %69, %cst_3 : vector<2xf16>
          %131 = arith.mulf %70, %cst_3 : vector<2xf16>
          %132:2 = vector.to_elements %128 : vector<2xf16>
          %133:2 = vector.to_elements %130 : vector<2xf16>
          %134:2 = vector.to_elements %129 : vector<2xf16>
          %135:2 = vector.to_elements %131 : vector<2xf16>
          %136 = vector.from_elements %132#0, %132#1, %133#0, %133#1, %134#0, %134#1, %135#0, %135#1 : vector<4x2xf16>
          %137 = arith.mulf %72, %cst_3 : vector<2xf16>
          %138 = arith.mulf %74, %cst_3 : vector<2xf16>
          %139 = arith.mulf %75, %cst_3 : vector<2xf16>
          %140 = arith.mulf %76, %cst_3 : vector<2xf16>
          %141:2 = vector.to_elements %137 : vector<2xf16>
          %142:2 = vector.to_elements %139 : vector<2xf16>
          %143:2 = vector.to_elements %138 : vector<2xf16>
          %144:2 = vector.to_elements %140 : vector<2xf16>
          %145 = vector.from_elements %141#0, %141#1, %142#0, %142#1, %143#0, %143#1, %144#0, %144#1 : vector<4x2xf16>
          %146 = arith.mulf %78, %cst_3 : vector<2xf16>
          %147 = arith.mulf %80, %cst_3 : vector<2xf16>
          %148 = arith.mulf %81, %cst_3 : vector<2xf16>
          %149 = arith.mulf %82, %cst_3 : vector<2xf16>
          %150:2 = vector.to_elements %146 : vector<2xf16>
          %151:2 = vector.to_elements %148 : vector<2xf16>
          %152:2 = vector.to_elements %147 : vector<2xf16>
          %153:2 = vector.to_elements %149 : vector<2xf16>
          %154 = vector.from_elements %150#0, %150#1, %151#0, %151#1, %152#0, %152#1, %153#0, %153#1 : vector<4x2xf16>
          %155:12 = scf.for %arg0 = %c0 to %c1024 step %c64 iter_args(%arg1 = %cst_5, %arg2 = %cst_5, %arg3 = %cst_5, %arg4 = %cst_5, %arg5 = %cst_5, %arg6 = %cst_5, %arg7 = %cst_5, %arg8 = %cst_5, %arg9 = %cst_2, %arg10 = %cst_2, %arg11 = %cst_1, %arg12 = %cst_1) -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<1xf32>, vector<1xf32>, vector<1xf32>, vector<1xf32>) {
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %178 = affine.linearize_index [%9#0, %arg0] by (8, 1) : index
            %179 = vector.load %assume_align_8[%178, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %180 = affine.linearize_index [%c0, %9#0, %arg0] by (8, 8, 1) : index
            %181 = arith.addi %180, %c8 overflow<nsw> : index
            %182 = vector.load %assume_align_8[%181, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %183 = arith.addi %180, %c16 overflow<nsw> : index
            %184 = vector.load %assume_align_8[%183, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %185 = arith.addi %180, %c24 overflow<nsw> : index
            %186 = vector.load %assume_align_8[%185, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %187 = arith.addi %180, %c32 overflow<nsw> : index
            %188 = vector.load %assume_align_8[%187, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %189 = arith.addi %180, %c40 overflow<nsw> : index
            %190 = vector.load %assume_align_8[%189, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %191 = arith.addi %180, %c48 overflow<nsw> : index
            %192 = vector.load %assume_align_8[%191, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %193 = arith.addi %180, %c56 overflow<nsw> : index
            %194 = vector.load %assume_align_8[%193, %11] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            scf.if %28 {
              vector.store %179, %alloc_6[%9#0, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1035 = affine.linearize_index disjoint [%c0, %9#0] by (8, 8) : index
              %1036 = arith.addi %1035, %c8 overflow<nsw> : index
              vector.store %182, %alloc_6[%1036, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1037 = arith.addi %1035, %c16 overflow<nsw> : index
              vector.store %184, %alloc_6[%1037, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1038 = arith.addi %1035, %c24 overflow<nsw> : index
              vector.store %186, %alloc_6[%1038, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1039 = arith.addi %1035, %c32 overflow<nsw> : index
              vector.store %188, %alloc_6[%1039, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1040 = arith.addi %1035, %c40 overflow<nsw> : index
              vector.store %190, %alloc_6[%1040, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1041 = arith.addi %1035, %c48 overflow<nsw> : index
              vector.store %192, %alloc_6[%1041, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1042 = arith.addi %1035, %c56 overflow<nsw> : index
              vector.store %194, %alloc_6[%1042, %11] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            }
            %195:2 = affine.delinearize_index %thread_id_x into (32, 4) : index, index
            %196 = affine.linearize_index [%195#0, %arg0] by (32, 1) : index
            %197 = affine.linearize_index [%195#1, %8] by (4, 8) : index
            %198 = vector.load %assume_align_9[%196, %197] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            %199 = affine.linearize_index [%c0, %195#0, %arg0] by (2, 32, 1) : index
            %200 = arith.addi %199, %c32 overflow<nsw> : index
            %201 = vector.load %assume_align_9[%200, %197] : memref<1024x128xf16, #gpu.address_space<global>>, vector<8xf16>
            scf.if %28 {
              %1035 = affine.linearize_index disjoint [%195#1, %c0] by (4, 8) : index
              vector.store %198, %alloc[%195#0, %1035] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
              %1036 = affine.linearize_index disjoint [%c0, %195#0] by (2, 32) : index
              %1037 = arith.addi %1036, %c32 overflow<nsw> : index
              vector.store %201, %alloc[%1037, %1035] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            }
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %202 = vector.load %alloc_6[%30#1, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %203 = vector.load %alloc_6[%30#1, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %204 = vector.load %alloc_6[%30#1, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %205 = vector.load %alloc_6[%30#1, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %206 = vector.load %alloc_6[%30#1, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %207 = vector.load %alloc_6[%30#1, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %208 = vector.load %alloc_6[%30#1, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %209 = vector.load %alloc_6[%30#1, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %210 = vector.load %alloc_6[%30#1, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %211 = vector.load %alloc_6[%30#1, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %212 = vector.load %alloc_6[%30#1, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %213 = vector.load %alloc_6[%30#1, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %214 = vector.load %alloc_6[%30#1, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %215 = vector.load %alloc_6[%30#1, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %216 = vector.load %alloc_6[%30#1, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %217 = vector.load %alloc_6[%30#1, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %218 = affine.linearize_index disjoint [%c0, %30#1] by (8, 8) : index
            %219 = arith.addi %218, %c8 overflow<nsw> : index
            %220 = vector.load %alloc_6[%219, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %221 = vector.load %alloc_6[%219, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %222 = vector.load %alloc_6[%219, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %223 = vector.load %alloc_6[%219, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %224 = vector.load %alloc_6[%219, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %225 = vector.load %alloc_6[%219, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %226 = vector.load %alloc_6[%219, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %227 = vector.load %alloc_6[%219, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %228 = vector.load %alloc_6[%219, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %229 = vector.load %alloc_6[%219, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %230 = vector.load %alloc_6[%219, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %231 = vector.load %alloc_6[%219, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %232 = vector.load %alloc_6[%219, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %233 = vector.load %alloc_6[%219, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %234 = vector.load %alloc_6[%219, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %235 = vector.load %alloc_6[%219, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %236 = arith.addi %218, %c16 overflow<nsw> : index
            %237 = vector.load %alloc_6[%236, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %238 = vector.load %alloc_6[%236, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %239 = vector.load %alloc_6[%236, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %240 = vector.load %alloc_6[%236, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %241 = vector.load %alloc_6[%236, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %242 = vector.load %alloc_6[%236, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %243 = vector.load %alloc_6[%236, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %244 = vector.load %alloc_6[%236, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %245 = vector.load %alloc_6[%236, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %246 = vector.load %alloc_6[%236, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %247 = vector.load %alloc_6[%236, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %248 = vector.load %alloc_6[%236, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %249 = vector.load %alloc_6[%236, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %250 = vector.load %alloc_6[%236, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %251 = vector.load %alloc_6[%236, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %252 = vector.load %alloc_6[%236, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %253 = arith.addi %218, %c24 overflow<nsw> : index
            %254 = vector.load %alloc_6[%253, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %255 = vector.load %alloc_6[%253, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %256 = vector.load %alloc_6[%253, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %257 = vector.load %alloc_6[%253, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %258 = vector.load %alloc_6[%253, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %259 = vector.load %alloc_6[%253, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %260 = vector.load %alloc_6[%253, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %261 = vector.load %alloc_6[%253, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %262 = vector.load %alloc_6[%253, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %263 = vector.load %alloc_6[%253, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %264 = vector.load %alloc_6[%253, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %265 = vector.load %alloc_6[%253, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %266 = vector.load %alloc_6[%253, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %267 = vector.load %alloc_6[%253, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %268 = vector.load %alloc_6[%253, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %269 = vector.load %alloc_6[%253, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %270 = arith.addi %218, %c32 overflow<nsw> : index
            %271 = vector.load %alloc_6[%270, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %272 = vector.load %alloc_6[%270, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %273 = vector.load %alloc_6[%270, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %274 = vector.load %alloc_6[%270, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %275 = vector.load %alloc_6[%270, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %276 = vector.load %alloc_6[%270, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %277 = vector.load %alloc_6[%270, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %278 = vector.load %alloc_6[%270, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %279 = vector.load %alloc_6[%270, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %280 = vector.load %alloc_6[%270, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %281 = vector.load %alloc_6[%270, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %282 = vector.load %alloc_6[%270, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %283 = vector.load %alloc_6[%270, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %284 = vector.load %alloc_6[%270, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %285 = vector.load %alloc_6[%270, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %286 = vector.load %alloc_6[%270, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %287 = arith.addi %218, %c40 overflow<nsw> : index
            %288 = vector.load %alloc_6[%287, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %289 = vector.load %alloc_6[%287, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %290 = vector.load %alloc_6[%287, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %291 = vector.load %alloc_6[%287, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %292 = vector.load %alloc_6[%287, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %293 = vector.load %alloc_6[%287, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %294 = vector.load %alloc_6[%287, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %295 = vector.load %alloc_6[%287, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %296 = vector.load %alloc_6[%287, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %297 = vector.load %alloc_6[%287, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %298 = vector.load %alloc_6[%287, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %299 = vector.load %alloc_6[%287, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %300 = vector.load %alloc_6[%287, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %301 = vector.load %alloc_6[%287, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %302 = vector.load %alloc_6[%287, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %303 = vector.load %alloc_6[%287, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %304 = arith.addi %218, %c48 overflow<nsw> : index
            %305 = vector.load %alloc_6[%304, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %306 = vector.load %alloc_6[%304, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %307 = vector.load %alloc_6[%304, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %308 = vector.load %alloc_6[%304, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %309 = vector.load %alloc_6[%304, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %310 = vector.load %alloc_6[%304, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %311 = vector.load %alloc_6[%304, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %312 = vector.load %alloc_6[%304, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %313 = vector.load %alloc_6[%304, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %314 = vector.load %alloc_6[%304, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %315 = vector.load %alloc_6[%304, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %316 = vector.load %alloc_6[%304, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %317 = vector.load %alloc_6[%304, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %318 = vector.load %alloc_6[%304, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %319 = vector.load %alloc_6[%304, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %320 = vector.load %alloc_6[%304, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %321 = arith.addi %218, %c56 overflow<nsw> : index
            %322 = vector.load %alloc_6[%321, %32] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %323 = vector.load %alloc_6[%321, %35] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %324 = vector.load %alloc_6[%321, %41] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %325 = vector.load %alloc_6[%321, %43] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %326 = vector.load %alloc_6[%321, %47] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %327 = vector.load %alloc_6[%321, %49] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %328 = vector.load %alloc_6[%321, %53] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %329 = vector.load %alloc_6[%321, %55] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %330 = vector.load %alloc_6[%321, %59] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %331 = vector.load %alloc_6[%321, %61] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %332 = vector.load %alloc_6[%321, %65] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %333 = vector.load %alloc_6[%321, %67] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %334 = vector.load %alloc_6[%321, %71] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %335 = vector.load %alloc_6[%321, %73] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %336 = vector.load %alloc_6[%321, %77] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %337 = vector.load %alloc_6[%321, %79] : memref<64x128xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %338:2 = vector.to_elements %202 : vector<2xf16>
            %339:2 = vector.to_elements %203 : vector<2xf16>
            %340 = vector.from_elements %338#0, %338#1, %339#0, %339#1 : vector<2x2xf16>
            %341 = nvgpu.mma.sync(%91, %340, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %342:2 = vector.to_elements %220 : vector<2xf16>
            %343:2 = vector.to_elements %221 : vector<2xf16>
            %344 = vector.from_elements %342#0, %342#1, %343#0, %343#1 : vector<2x2xf16>
            %345 = nvgpu.mma.sync(%91, %344, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %346:2 = vector.to_elements %237 : vector<2xf16>
            %347:2 = vector.to_elements %238 : vector<2xf16>
            %348 = vector.from_elements %346#0, %346#1, %347#0, %347#1 : vector<2x2xf16>
            %349 = nvgpu.mma.sync(%91, %348, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %350:2 = vector.to_elements %254 : vector<2xf16>
            %351:2 = vector.to_elements %255 : vector<2xf16>
            %352 = vector.from_elements %350#0, %350#1, %351#0, %351#1 : vector<2x2xf16>
            %353 = nvgpu.mma.sync(%91, %352, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %354:2 = vector.to_elements %271 : vector<2xf16>
            %355:2 = vector.to_elements %272 : vector<2xf16>
            %356 = vector.from_elements %354#0, %354#1, %355#0, %355#1 : vector<2x2xf16>
            %357 = nvgpu.mma.sync(%91, %356, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %358:2 = vector.to_elements %288 : vector<2xf16>
            %359:2 = vector.to_elements %289 : vector<2xf16>
            %360 = vector.from_elements %358#0, %358#1, %359#0, %359#1 : vector<2x2xf16>
            %361 = nvgpu.mma.sync(%91, %360, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %362:2 = vector.to_elements %305 : vector<2xf16>
            %363:2 = vector.to_elements %306 : vector<2xf16>
            %364 = vector.from_elements %362#0, %362#1, %363#0, %363#1 : vector<2x2xf16>
            %365 = nvgpu.mma.sync(%91, %364, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %366:2 = vector.to_elements %322 : vector<2xf16>
            %367:2 = vector.to_elements %323 : vector<2xf16>
            %368 = vector.from_elements %366#0, %366#1, %367#0, %367#1 : vector<2x2xf16>
            %369 = nvgpu.mma.sync(%91, %368, %1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %370:2 = vector.to_elements %204 : vector<2xf16>
            %371:2 = vector.to_elements %205 : vector<2xf16>
            %372 = vector.from_elements %370#0, %370#1, %371#0, %371#1 : vector<2x2xf16>
            %373 = nvgpu.mma.sync(%100, %372, %341) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %374:2 = vector.to_elements %222 : vector<2xf16>
            %375:2 = vector.to_elements %223 : vector<2xf16>
            %376 = vector.from_elements %374#0, %374#1, %375#0, %375#1 : vector<2x2xf16>
            %377 = nvgpu.mma.sync(%100, %376, %345) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %378:2 = vector.to_elements %239 : vector<2xf16>
            %379:2 = vector.to_elements %240 : vector<2xf16>
            %380 = vector.from_elements %378#0, %378#1, %379#0, %379#1 : vector<2x2xf16>
            %381 = nvgpu.mma.sync(%100, %380, %349) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %382:2 = vector.to_elements %256 : vector<2xf16>
            %383:2 = vector.to_elements %257 : vector<2xf16>
            %384 = vector.from_elements %382#0, %382#1, %383#0, %383#1 : vector<2x2xf16>
            %385 = nvgpu.mma.sync(%100, %384, %353) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %386:2 = vector.to_elements %273 : vector<2xf16>
            %387:2 = vector.to_elements %274 : vector<2xf16>
            %388 = vector.from_elements %386#0, %386#1, %387#0, %387#1 : vector<2x2xf16>
            %389 = nvgpu.mma.sync(%100, %388, %357) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %390:2 = vector.to_elements %290 : vector<2xf16>
            %391:2 = vector.to_elements %291 : vector<2xf16>
            %392 = vector.from_elements %390#0, %390#1, %391#0, %391#1 : vector<2x2xf16>
            %393 = nvgpu.mma.sync(%100, %392, %361) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %394:2 = vector.to_elements %307 : vector<2xf16>
            %395:2 = vector.to_elements %308 : vector<2xf16>
            %396 = vector.from_elements %394#0, %394#1, %395#0, %395#1 : vector<2x2xf16>
            %397 = nvgpu.mma.sync(%100, %396, %365) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %398:2 = vector.to_elements %324 : vector<2xf16>
            %399:2 = vector.to_elements %325 : vector<2xf16>
            %400 = vector.from_elements %398#0, %398#1, %399#0, %399#1 : vector<2x2xf16>
            %401 = nvgpu.mma.sync(%100, %400, %369) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %402:2 = vector.to_elements %206 : vector<2xf16>
            %403:2 = vector.to_elements %207 : vector<2xf16>
            %404 = vector.from_elements %402#0, %402#1, %403#0, %403#1 : vector<2x2xf16>
            %405 = nvgpu.mma.sync(%109, %404, %373) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %406:2 = vector.to_elements %224 : vector<2xf16>
            %407:2 = vector.to_elements %225 : vector<2xf16>
            %408 = vector.from_elements %406#0, %406#1, %407#0, %407#1 : vector<2x2xf16>
            %409 = nvgpu.mma.sync(%109, %408, %377) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %410:2 = vector.to_elements %241 : vector<2xf16>
            %411:2 = vector.to_elements %242 : vector<2xf16>
            %412 = vector.from_elements %410#0, %410#1, %411#0, %411#1 : vector<2x2xf16>
            %413 = nvgpu.mma.sync(%109, %412, %381) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %414:2 = vector.to_elements %258 : vector<2xf16>
            %415:2 = vector.to_elements %259 : vector<2xf16>
            %416 = vector.from_elements %414#0, %414#1, %415#0, %415#1 : vector<2x2xf16>
            %417 = nvgpu.mma.sync(%109, %416, %385) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %418:2 = vector.to_elements %275 : vector<2xf16>
            %419:2 = vector.to_elements %276 : vector<2xf16>
            %420 = vector.from_elements %418#0, %418#1, %419#0, %419#1 : vector<2x2xf16>
            %421 = nvgpu.mma.sync(%109, %420, %389) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %422:2 = vector.to_elements %292 : vector<2xf16>
            %423:2 = vector.to_elements %293 : vector<2xf16>
            %424 = vector.from_elements %422#0, %422#1, %423#0, %423#1 : vector<2x2xf16>
            %425 = nvgpu.mma.sync(%109, %424, %393) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %426:2 = vector.to_elements %309 : vector<2xf16>
            %427:2 = vector.to_elements %310 : vector<2xf16>
            %428 = vector.from_elements %426#0, %426#1, %427#0, %427#1 : vector<2x2xf16>
            %429 = nvgpu.mma.sync(%109, %428, %397) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %430:2 = vector.to_elements %326 : vector<2xf16>
            %431:2 = vector.to_elements %327 : vector<2xf16>
            %432 = vector.from_elements %430#0, %430#1, %431#0, %431#1 : vector<2x2xf16>
            %433 = nvgpu.mma.sync(%109, %432, %401) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %434:2 = vector.to_elements %208 : vector<2xf16>
            %435:2 = vector.to_elements %209 : vector<2xf16>
            %436 = vector.from_elements %434#0, %434#1, %435#0, %435#1 : vector<2x2xf16>
            %437 = nvgpu.mma.sync(%118, %436, %405) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %438:2 = vector.to_elements %226 : vector<2xf16>
            %439:2 = vector.to_elements %227 : vector<2xf16>
            %440 = vector.from_elements %438#0, %438#1, %439#0, %439#1 : vector<2x2xf16>
            %441 = nvgpu.mma.sync(%118, %440, %409) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %442:2 = vector.to_elements %243 : vector<2xf16>
            %443:2 = vector.to_elements %244 : vector<2xf16>
            %444 = vector.from_elements %442#0, %442#1, %443#0, %443#1 : vector<2x2xf16>
            %445 = nvgpu.mma.sync(%118, %444, %413) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %446:2 = vector.to_elements %260 : vector<2xf16>
            %447:2 = vector.to_elements %261 : vector<2xf16>
            %448 = vector.from_elements %446#0, %446#1, %447#0, %447#1 : vector<2x2xf16>
            %449 = nvgpu.mma.sync(%118, %448, %417) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %450:2 = vector.to_elements %277 : vector<2xf16>
            %451:2 = vector.to_elements %278 : vector<2xf16>
            %452 = vector.from_elements %450#0, %450#1, %451#0, %451#1 : vector<2x2xf16>
            %453 = nvgpu.mma.sync(%118, %452, %421) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %454:2 = vector.to_elements %294 : vector<2xf16>
            %455:2 = vector.to_elements %295 : vector<2xf16>
            %456 = vector.from_elements %454#0, %454#1, %455#0, %455#1 : vector<2x2xf16>
            %457 = nvgpu.mma.sync(%118, %456, %425) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %458:2 = vector.to_elements %311 : vector<2xf16>
            %459:2 = vector.to_elements %312 : vector<2xf16>
            %460 = vector.from_elements %458#0, %458#1, %459#0, %459#1 : vector<2x2xf16>
            %461 = nvgpu.mma.sync(%118, %460, %429) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %462:2 = vector.to_elements %328 : vector<2xf16>
            %463:2 = vector.to_elements %329 : vector<2xf16>
            %464 = vector.from_elements %462#0, %462#1, %463#0, %463#1 : vector<2x2xf16>
            %465 = nvgpu.mma.sync(%118, %464, %433) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %466:2 = vector.to_elements %210 : vector<2xf16>
            %467:2 = vector.to_elements %211 : vector<2xf16>
            %468 = vector.from_elements %466#0, %466#1, %467#0, %467#1 : vector<2x2xf16>
            %469 = nvgpu.mma.sync(%127, %468, %437) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %470:2 = vector.to_elements %228 : vector<2xf16>
            %471:2 = vector.to_elements %229 : vector<2xf16>
            %472 = vector.from_elements %470#0, %470#1, %471#0, %471#1 : vector<2x2xf16>
            %473 = nvgpu.mma.sync(%127, %472, %441) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %474:2 = vector.to_elements %245 : vector<2xf16>
            %475:2 = vector.to_elements %246 : vector<2xf16>
            %476 = vector.from_elements %474#0, %474#1, %475#0, %475#1 : vector<2x2xf16>
            %477 = nvgpu.mma.sync(%127, %476, %445) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %478:2 = vector.to_elements %262 : vector<2xf16>
            %479:2 = vector.to_elements %263 : vector<2xf16>
            %480 = vector.from_elements %478#0, %478#1, %479#0, %479#1 : vector<2x2xf16>
            %481 = nvgpu.mma.sync(%127, %480, %449) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %482:2 = vector.to_elements %279 : vector<2xf16>
            %483:2 = vector.to_elements %280 : vector<2xf16>
            %484 = vector.from_elements %482#0, %482#1, %483#0, %483#1 : vector<2x2xf16>
            %485 = nvgpu.mma.sync(%127, %484, %453) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %486:2 = vector.to_elements %296 : vector<2xf16>
            %487:2 = vector.to_elements %297 : vector<2xf16>
            %488 = vector.from_elements %486#0, %486#1, %487#0, %487#1 : vector<2x2xf16>
            %489 = nvgpu.mma.sync(%127, %488, %457) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %490:2 = vector.to_elements %313 : vector<2xf16>
            %491:2 = vector.to_elements %314 : vector<2xf16>
            %492 = vector.from_elements %490#0, %490#1, %491#0, %491#1 : vector<2x2xf16>
            %493 = nvgpu.mma.sync(%127, %492, %461) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %494:2 = vector.to_elements %330 : vector<2xf16>
            %495:2 = vector.to_elements %331 : vector<2xf16>
            %496 = vector.from_elements %494#0, %494#1, %495#0, %495#1 : vector<2x2xf16>
            %497 = nvgpu.mma.sync(%127, %496, %465) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %498:2 = vector.to_elements %212 : vector<2xf16>
            %499:2 = vector.to_elements %213 : vector<2xf16>
            %500 = vector.from_elements %498#0, %498#1, %499#0, %499#1 : vector<2x2xf16>
            %501 = nvgpu.mma.sync(%136, %500, %469) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %502:2 = vector.to_elements %230 : vector<2xf16>
            %503:2 = vector.to_elements %231 : vector<2xf16>
            %504 = vector.from_elements %502#0, %502#1, %503#0, %503#1 : vector<2x2xf16>
            %505 = nvgpu.mma.sync(%136, %504, %473) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %506:2 = vector.to_elements %247 : vector<2xf16>
            %507:2 = vector.to_elements %248 : vector<2xf16>
            %508 = vector.from_elements %506#0, %506#1, %507#0, %507#1 : vector<2x2xf16>
            %509 = nvgpu.mma.sync(%136, %508, %477) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %510:2 = vector.to_elements %264 : vector<2xf16>
            %511:2 = vector.to_elements %265 : vector<2xf16>
            %512 = vector.from_elements %510#0, %510#1, %511#0, %511#1 : vector<2x2xf16>
            %513 = nvgpu.mma.sync(%136, %512, %481) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %514:2 = vector.to_elements %281 : vector<2xf16>
            %515:2 = vector.to_elements %282 : vector<2xf16>
            %516 = vector.from_elements %514#0, %514#1, %515#0, %515#1 : vector<2x2xf16>
            %517 = nvgpu.mma.sync(%136, %516, %485) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %518:2 = vector.to_elements %298 : vector<2xf16>
            %519:2 = vector.to_elements %299 : vector<2xf16>
            %520 = vector.from_elements %518#0, %518#1, %519#0, %519#1 : vector<2x2xf16>
            %521 = nvgpu.mma.sync(%136, %520, %489) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %522:2 = vector.to_elements %315 : vector<2xf16>
            %523:2 = vector.to_elements %316 : vector<2xf16>
            %524 = vector.from_elements %522#0, %522#1, %523#0, %523#1 : vector<2x2xf16>
            %525 = nvgpu.mma.sync(%136, %524, %493) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %526:2 = vector.to_elements %332 : vector<2xf16>
            %527:2 = vector.to_elements %333 : vector<2xf16>
            %528 = vector.from_elements %526#0, %526#1, %527#0, %527#1 : vector<2x2xf16>
            %529 = nvgpu.mma.sync(%136, %528, %497) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %530:2 = vector.to_elements %214 : vector<2xf16>
            %531:2 = vector.to_elements %215 : vector<2xf16>
            %532 = vector.from_elements %530#0, %530#1, %531#0, %531#1 : vector<2x2xf16>
            %533 = nvgpu.mma.sync(%145, %532, %501) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %534:2 = vector.to_elements %232 : vector<2xf16>
            %535:2 = vector.to_elements %233 : vector<2xf16>
            %536 = vector.from_elements %534#0, %534#1, %535#0, %535#1 : vector<2x2xf16>
            %537 = nvgpu.mma.sync(%145, %536, %505) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %538:2 = vector.to_elements %249 : vector<2xf16>
            %539:2 = vector.to_elements %250 : vector<2xf16>
            %540 = vector.from_elements %538#0, %538#1, %539#0, %539#1 : vector<2x2xf16>
            %541 = nvgpu.mma.sync(%145, %540, %509) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %542:2 = vector.to_elements %266 : vector<2xf16>
            %543:2 = vector.to_elements %267 : vector<2xf16>
            %544 = vector.from_elements %542#0, %542#1, %543#0, %543#1 : vector<2x2xf16>
            %545 = nvgpu.mma.sync(%145, %544, %513) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %546:2 = vector.to_elements %283 : vector<2xf16>
            %547:2 = vector.to_elements %284 : vector<2xf16>
            %548 = vector.from_elements %546#0, %546#1, %547#0, %547#1 : vector<2x2xf16>
            %549 = nvgpu.mma.sync(%145, %548, %517) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %550:2 = vector.to_elements %300 : vector<2xf16>
            %551:2 = vector.to_elements %301 : vector<2xf16>
            %552 = vector.from_elements %550#0, %550#1, %551#0, %551#1 : vector<2x2xf16>
            %553 = nvgpu.mma.sync(%145, %552, %521) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %554:2 = vector.to_elements %317 : vector<2xf16>
            %555:2 = vector.to_elements %318 : vector<2xf16>
            %556 = vector.from_elements %554#0, %554#1, %555#0, %555#1 : vector<2x2xf16>
            %557 = nvgpu.mma.sync(%145, %556, %525) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %558:2 = vector.to_elements %334 : vector<2xf16>
            %559:2 = vector.to_elements %335 : vector<2xf16>
            %560 = vector.from_elements %558#0, %558#1, %559#0, %559#1 : vector<2x2xf16>
            %561 = nvgpu.mma.sync(%145, %560, %529) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %562:2 = vector.to_elements %216 : vector<2xf16>
            %563:2 = vector.to_elements %217 : vector<2xf16>
            %564 = vector.from_elements %562#0, %562#1, %563#0, %563#1 : vector<2x2xf16>
            %565 = nvgpu.mma.sync(%154, %564, %533) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %566 = vector.extract %565[0] : vector<2xf32> from vector<2x2xf32>
            %567 = vector.extract %565[1] : vector<2xf32> from vector<2x2xf32>
            %568:2 = vector.to_elements %234 : vector<2xf16>
            %569:2 = vector.to_elements %235 : vector<2xf16>
            %570 = vector.from_elements %568#0, %568#1, %569#0, %569#1 : vector<2x2xf16>
            %571 = nvgpu.mma.sync(%154, %570, %537) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %572 = vector.extract %571[0] : vector<2xf32> from vector<2x2xf32>
            %573 = vector.extract %571[1] : vector<2xf32> from vector<2x2xf32>
            %574:2 = vector.to_elements %251 : vector<2xf16>
            %575:2 = vector.to_elements %252 : vector<2xf16>
            %576 = vector.from_elements %574#0, %574#1, %575#0, %575#1 : vector<2x2xf16>
            %577 = nvgpu.mma.sync(%154, %576, %541) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %578 = vector.extract %577[0] : vector<2xf32> from vector<2x2xf32>
            %579 = vector.extract %577[1] : vector<2xf32> from vector<2x2xf32>
            %580:2 = vector.to_elements %268 : vector<2xf16>
            %581:2 = vector.to_elements %269 : vector<2xf16>
            %582 = vector.from_elements %580#0, %580#1, %581#0, %581#1 : vector<2x2xf16>
            %583 = nvgpu.mma.sync(%154, %582, %545) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %584 = vector.extract %583[0] : vector<2xf32> from vector<2x2xf32>
            %585 = vector.extract %583[1] : vector<2xf32> from vector<2x2xf32>
            %586:2 = vector.to_elements %285 : vector<2xf16>
            %587:2 = vector.to_elements %286 : vector<2xf16>
            %588 = vector.from_elements %586#0, %586#1, %587#0, %587#1 : vector<2x2xf16>
            %589 = nvgpu.mma.sync(%154, %588, %549) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %590 = vector.extract %589[0] : vector<2xf32> from vector<2x2xf32>
            %591 = vector.extract %589[1] : vector<2xf32> from vector<2x2xf32>
            %592:2 = vector.to_elements %302 : vector<2xf16>
            %593:2 = vector.to_elements %303 : vector<2xf16>
            %594 = vector.from_elements %592#0, %592#1, %593#0, %593#1 : vector<2x2xf16>
            %595 = nvgpu.mma.sync(%154, %594, %553) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %596 = vector.extract %595[0] : vector<2xf32> from vector<2x2xf32>
            %597 = vector.extract %595[1] : vector<2xf32> from vector<2x2xf32>
            %598:2 = vector.to_elements %319 : vector<2xf16>
            %599:2 = vector.to_elements %320 : vector<2xf16>
            %600 = vector.from_elements %598#0, %598#1, %599#0, %599#1 : vector<2x2xf16>
            %601 = nvgpu.mma.sync(%154, %600, %557) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %602 = vector.extract %601[0] : vector<2xf32> from vector<2x2xf32>
            %603 = vector.extract %601[1] : vector<2xf32> from vector<2x2xf32>
            %604:2 = vector.to_elements %336 : vector<2xf16>
            %605:2 = vector.to_elements %337 : vector<2xf16>
            %606 = vector.from_elements %604#0, %604#1, %605#0, %605#1 : vector<2x2xf16>
            %607 = nvgpu.mma.sync(%154, %606, %561) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %608 = vector.extract %607[0] : vector<2xf32> from vector<2x2xf32>
            %609 = vector.extract %607[1] : vector<2xf32> from vector<2x2xf32>
            %610:2 = vector.to_elements %566 : vector<2xf32>
            %611:2 = vector.to_elements %572 : vector<2xf32>
            %612:2 = vector.to_elements %578 : vector<2xf32>
            %613:2 = vector.to_elements %584 : vector<2xf32>
            %614:2 = vector.to_elements %590 : vector<2xf32>
            %615:2 = vector.to_elements %596 : vector<2xf32>
            %616:2 = vector.to_elements %602 : vector<2xf32>
            %617:2 = vector.to_elements %608 : vector<2xf32>
            %618:2 = vector.to_elements %567 : vector<2xf32>
            %619:2 = vector.to_elements %573 : vector<2xf32>
            %620:2 = vector.to_elements %579 : vector<2xf32>
            %621:2 = vector.to_elements %585 : vector<2xf32>
            %622:2 = vector.to_elements %591 : vector<2xf32>
            %623:2 = vector.to_elements %597 : vector<2xf32>
            %624:2 = vector.to_elements %603 : vector<2xf32>
            %625:2 = vector.to_elements %609 : vector<2xf32>
            %626 = vector.from_elements %610#0, %610#1, %611#0, %611#1, %612#0, %612#1, %613#0, %613#1, %614#0, %614#1, %615#0, %615#1, %616#0, %616#1, %617#0, %617#1 : vector<16xf32>
            %627 = vector.from_elements %618#0, %618#1, %619#0, %619#1, %620#0, %620#1, %621#0, %621#1, %622#0, %622#1, %623#0, %623#1, %624#0, %624#1, %625#0, %625#1 : vector<16xf32>
            %628 = vector.reduction <maximumf>, %626, %cst_0 : vector<16xf32> into f32
            %629 = vector.reduction <maximumf>, %627, %cst_0 : vector<16xf32> into f32
            %shuffleResult, %valid = gpu.shuffle xor %628, %c1_i32, %c32_i32 : f32
            %630 = arith.maximumf %628, %shuffleResult : f32
            %shuffleResult_11, %valid_12 = gpu.shuffle xor %630, %c2_i32, %c32_i32 : f32
            %631 = arith.maximumf %630, %shuffleResult_11 : f32
            %shuffleResult_13, %valid_14 = gpu.shuffle xor %629, %c1_i32, %c32_i32 : f32
            %632 = arith.maximumf %629, %shuffleResult_13 : f32
            %shuffleResult_15, %valid_16 = gpu.shuffle xor %632, %c2_i32, %c32_i32 : f32
            %633 = arith.maximumf %632, %shuffleResult_15 : f32
            %634 = vector.broadcast %631 : f32 to vector<1xf32>
            %635 = vector.broadcast %633 : f32 to vector<1xf32>
            %636 = arith.maximumf %634, %arg11 : vector<1xf32>
            %637 = arith.maximumf %635, %arg12 : vector<1xf32>
            %638 = arith.subf %arg11, %636 : vector<1xf32>
            %639 = arith.subf %arg12, %637 : vector<1xf32>
            %640 = math.exp2 %638 : vector<1xf32>
            %641 = math.exp2 %639 : vector<1xf32>
            %642 = arith.mulf %640, %arg9 : vector<1xf32>
            %643 = arith.mulf %641, %arg10 : vector<1xf32>
            %644 = vector.to_elements %636 : vector<1xf32>
            %645 = vector.to_elements %637 : vector<1xf32>
            %646 = vector.from_elements %644, %644 : vector<2xf32>
            %647 = vector.from_elements %645, %645 : vector<2xf32>
            %648 = arith.subf %566, %646 : vector<2xf32>
            %649 = arith.subf %567, %647 : vector<2xf32>
            %650 = arith.subf %572, %646 : vector<2xf32>
            %651 = arith.subf %573, %647 : vector<2xf32>
            %652 = arith.subf %578, %646 : vector<2xf32>
            %653 = arith.subf %579, %647 : vector<2xf32>
            %654 = arith.subf %584, %646 : vector<2xf32>
            %655 = arith.subf %585, %647 : vector<2xf32>
            %656 = arith.subf %590, %646 : vector<2xf32>
            %657 = arith.subf %591, %647 : vector<2xf32>
            %658 = arith.subf %596, %646 : vector<2xf32>
            %659 = arith.subf %597, %647 : vector<2xf32>
            %660 = arith.subf %602, %646 : vector<2xf32>
            %661 = arith.subf %603, %647 : vector<2xf32>
            %662 = arith.subf %608, %646 : vector<2xf32>
            %663 = arith.subf %609, %647 : vector<2xf32>
            %664 = math.exp2 %648 : vector<2xf32>
            %665 = math.exp2 %649 : vector<2xf32>
            %666 = math.exp2 %650 : vector<2xf32>
            %667 = math.exp2 %651 : vector<2xf32>
            %668 = math.exp2 %652 : vector<2xf32>
            %669 = math.exp2 %653 : vector<2xf32>
            %670 = math.exp2 %654 : vector<2xf32>
            %671 = math.exp2 %655 : vector<2xf32>
            %672 = math.exp2 %656 : vector<2xf32>
            %673 = math.exp2 %657 : vector<2xf32>
            %674 = math.exp2 %658 : vector<2xf32>
            %675 = math.exp2 %659 : vector<2xf32>
            %676 = math.exp2 %660 : vector<2xf32>
            %677 = math.exp2 %661 : vector<2xf32>
            %678 = math.exp2 %662 : vector<2xf32>
            %679 = math.exp2 %663 : vector<2xf32>
            %680:2 = vector.to_elements %664 : vector<2xf32>
            %681:2 = vector.to_elements %666 : vector<2xf32>
            %682:2 = vector.to_elements %668 : vector<2xf32>
            %683:2 = vector.to_elements %670 : vector<2xf32>
            %684:2 = vector.to_elements %672 : vector<2xf32>
            %685:2 = vector.to_elements %674 : vector<2xf32>
            %686:2 = vector.to_elements %676 : vector<2xf32>
            %687:2 = vector.to_elements %678 : vector<2xf32>
            %688:2 = vector.to_elements %665 : vector<2xf32>
            %689:2 = vector.to_elements %667 : vector<2xf32>
            %690:2 = vector.to_elements %669 : vector<2xf32>
            %691:2 = vector.to_elements %671 : vector<2xf32>
            %692:2 = vector.to_elements %673 : vector<2xf32>
            %693:2 = vector.to_elements %675 : vector<2xf32>
            %694:2 = vector.to_elements %677 : vector<2xf32>
            %695:2 = vector.to_elements %679 : vector<2xf32>
            %696 = vector.from_elements %680#0, %680#1, %681#0, %681#1, %682#0, %682#1, %683#0, %683#1, %684#0, %684#1, %685#0, %685#1, %686#0, %686#1, %687#0, %687#1 : vector<16xf32>
            %697 = vector.from_elements %688#0, %688#1, %689#0, %689#1, %690#0, %690#1, %691#0, %691#1, %692#0, %692#1, %693#0, %693#1, %694#0, %694#1, %695#0, %695#1 : vector<16xf32>
            %698 = vector.reduction <add>, %696, %cst : vector<16xf32> into f32
            %699 = vector.reduction <add>, %697, %cst : vector<16xf32> into f32
            %shuffleResult_17, %valid_18 = gpu.shuffle xor %698, %c1_i32, %c32_i32 : f32
            %700 = arith.addf %698, %shuffleResult_17 : f32
            %shuffleResult_19, %valid_20 = gpu.shuffle xor %700, %c2_i32, %c32_i32 : f32
            %701 = arith.addf %700, %shuffleResult_19 : f32
            %shuffleResult_21, %valid_22 = gpu.shuffle xor %699, %c1_i32, %c32_i32 : f32
            %702 = arith.addf %699, %shuffleResult_21 : f32
            %shuffleResult_23, %valid_24 = gpu.shuffle xor %702, %c2_i32, %c32_i32 : f32
            %703 = arith.addf %702, %shuffleResult_23 : f32
            %704 = vector.broadcast %701 : f32 to vector<1xf32>
            %705 = vector.broadcast %703 : f32 to vector<1xf32>
            %706 = arith.addf %704, %642 : vector<1xf32>
            %707 = arith.addf %705, %643 : vector<1xf32>
            %708 = arith.truncf %664 : vector<2xf32> to vector<2xf16>
            %709 = arith.truncf %665 : vector<2xf32> to vector<2xf16>
            %710 = arith.truncf %666 : vector<2xf32> to vector<2xf16>
            %711 = arith.truncf %667 : vector<2xf32> to vector<2xf16>
            %712:2 = vector.to_elements %708 : vector<2xf16>
            %713:2 = vector.to_elements %709 : vector<2xf16>
            %714:2 = vector.to_elements %710 : vector<2xf16>
            %715:2 = vector.to_elements %711 : vector<2xf16>
            %716 = vector.from_elements %712#0, %712#1, %713#0, %713#1, %714#0, %714#1, %715#0, %715#1 : vector<4x2xf16>
            %717 = arith.truncf %668 : vector<2xf32> to vector<2xf16>
            %718 = arith.truncf %669 : vector<2xf32> to vector<2xf16>
            %719 = arith.truncf %670 : vector<2xf32> to vector<2xf16>
            %720 = arith.truncf %671 : vector<2xf32> to vector<2xf16>
            %721:2 = vector.to_elements %717 : vector<2xf16>
            %722:2 = vector.to_elements %718 : vector<2xf16>
            %723:2 = vector.to_elements %719 : vector<2xf16>
            %724:2 = vector.to_elements %720 : vector<2xf16>
            %725 = vector.from_elements %721#0, %721#1, %722#0, %722#1, %723#0, %723#1, %724#0, %724#1 : vector<4x2xf16>
            %726 = arith.truncf %672 : vector<2xf32> to vector<2xf16>
            %727 = arith.truncf %673 : vector<2xf32> to vector<2xf16>
            %728 = arith.truncf %674 : vector<2xf32> to vector<2xf16>
            %729 = arith.truncf %675 : vector<2xf32> to vector<2xf16>
            %730:2 = vector.to_elements %726 : vector<2xf16>
            %731:2 = vector.to_elements %727 : vector<2xf16>
            %732:2 = vector.to_elements %728 : vector<2xf16>
            %733:2 = vector.to_elements %729 : vector<2xf16>
            %734 = vector.from_elements %730#0, %730#1, %731#0, %731#1, %732#0, %732#1, %733#0, %733#1 : vector<4x2xf16>
            %735 = arith.truncf %676 : vector<2xf32> to vector<2xf16>
            %736 = arith.truncf %677 : vector<2xf32> to vector<2xf16>
            %737 = arith.truncf %678 : vector<2xf32> to vector<2xf16>
            %738 = arith.truncf %679 : vector<2xf32> to vector<2xf16>
            %739:2 = vector.to_elements %735 : vector<2xf16>
            %740:2 = vector.to_elements %736 : vector<2xf16>
            %741:2 = vector.to_elements %737 : vector<2xf16>
            %742:2 = vector.to_elements %738 : vector<2xf16>
            %743 = vector.from_elements %739#0, %739#1, %740#0, %740#1, %741#0, %741#1, %742#0, %742#1 : vector<4x2xf16>
            %744 = vector.to_elements %640 : vector<1xf32>
            %745 = vector.to_elements %641 : vector<1xf32>
            %746 = vector.from_elements %744, %744 : vector<2xf32>
            %747 = vector.from_elements %745, %745 : vector<2xf32>
            %748 = arith.mulf %746, %arg1 : vector<2xf32>
            %749 = arith.mulf %747, %arg2 : vector<2xf32>
            %750:2 = vector.to_elements %748 : vector<2xf32>
            %751:2 = vector.to_elements %749 : vector<2xf32>
            %752 = vector.from_elements %750#0, %750#1, %751#0, %751#1 : vector<2x2xf32>
            %753 = arith.mulf %746, %arg3 : vector<2xf32>
            %754 = arith.mulf %747, %arg4 : vector<2xf32>
            %755:2 = vector.to_elements %753 : vector<2xf32>
            %756:2 = vector.to_elements %754 : vector<2xf32>
            %757 = vector.from_elements %755#0, %755#1, %756#0, %756#1 : vector<2x2xf32>
            %758 = arith.mulf %746, %arg5 : vector<2xf32>
            %759 = arith.mulf %747, %arg6 : vector<2xf32>
            %760:2 = vector.to_elements %758 : vector<2xf32>
            %761:2 = vector.to_elements %759 : vector<2xf32>
            %762 = vector.from_elements %760#0, %760#1, %761#0, %761#1 : vector<2x2xf32>
            %763 = arith.mulf %746, %arg7 : vector<2xf32>
            %764 = arith.mulf %747, %arg8 : vector<2xf32>
            %765:2 = vector.to_elements %763 : vector<2xf32>
            %766:2 = vector.to_elements %764 : vector<2xf32>
            %767 = vector.from_elements %765#0, %765#1, %766#0, %766#1 : vector<2x2xf32>
            %768 = vector.load %alloc[%32, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %769 = arith.addi %32, %c1 overflow<nsw> : index
            %770 = vector.load %alloc[%769, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %771 = vector.load %alloc[%35, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %772 = arith.addi %34, %c9 overflow<nsw> : index
            %773 = vector.load %alloc[%772, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %774 = affine.linearize_index disjoint [%c0, %30#1] by (4, 8) : index
            %775 = arith.addi %774, %c8 overflow<nsw> : index
            %776 = vector.load %alloc[%32, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %777 = vector.load %alloc[%769, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %778 = vector.load %alloc[%35, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %779 = vector.load %alloc[%772, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %780 = arith.addi %774, %c16 overflow<nsw> : index
            %781 = vector.load %alloc[%32, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %782 = vector.load %alloc[%769, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %783 = vector.load %alloc[%35, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %784 = vector.load %alloc[%772, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %785 = arith.addi %774, %c24 overflow<nsw> : index
            %786 = vector.load %alloc[%32, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %787 = vector.load %alloc[%769, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %788 = vector.load %alloc[%35, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %789 = vector.load %alloc[%772, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %790 = affine.linearize_index disjoint [%c0, %c0, %30#2, %c0] by (4, 2, 4, 2) : index
            %791 = arith.addi %790, %c16 overflow<nsw> : index
            %792 = vector.load %alloc[%791, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %793 = arith.addi %790, %c17 overflow<nsw> : index
            %794 = vector.load %alloc[%793, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %795 = arith.addi %790, %c24 overflow<nsw> : index
            %796 = vector.load %alloc[%795, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %797 = arith.addi %790, %c25 overflow<nsw> : index
            %798 = vector.load %alloc[%797, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %799 = vector.load %alloc[%791, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %800 = vector.load %alloc[%793, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %801 = vector.load %alloc[%795, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %802 = vector.load %alloc[%797, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %803 = vector.load %alloc[%791, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %804 = vector.load %alloc[%793, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %805 = vector.load %alloc[%795, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %806 = vector.load %alloc[%797, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %807 = vector.load %alloc[%791, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %808 = vector.load %alloc[%793, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %809 = vector.load %alloc[%795, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %810 = vector.load %alloc[%797, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %811 = arith.addi %790, %c32 overflow<nsw> : index
            %812 = vector.load %alloc[%811, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %813 = arith.addi %790, %c33 overflow<nsw> : index
            %814 = vector.load %alloc[%813, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %815 = arith.addi %790, %c40 overflow<nsw> : index
            %816 = vector.load %alloc[%815, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %817 = arith.addi %790, %c41 overflow<nsw> : index
            %818 = vector.load %alloc[%817, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %819 = vector.load %alloc[%811, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %820 = vector.load %alloc[%813, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %821 = vector.load %alloc[%815, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %822 = vector.load %alloc[%817, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %823 = vector.load %alloc[%811, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %824 = vector.load %alloc[%813, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %825 = vector.load %alloc[%815, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %826 = vector.load %alloc[%817, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %827 = vector.load %alloc[%811, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %828 = vector.load %alloc[%813, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %829 = vector.load %alloc[%815, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %830 = vector.load %alloc[%817, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %831 = arith.addi %790, %c48 overflow<nsw> : index
            %832 = vector.load %alloc[%831, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %833 = arith.addi %790, %c49 overflow<nsw> : index
            %834 = vector.load %alloc[%833, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %835 = arith.addi %790, %c56 overflow<nsw> : index
            %836 = vector.load %alloc[%835, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %837 = arith.addi %790, %c57 overflow<nsw> : index
            %838 = vector.load %alloc[%837, %30#1] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %839 = vector.load %alloc[%831, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %840 = vector.load %alloc[%833, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %841 = vector.load %alloc[%835, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %842 = vector.load %alloc[%837, %775] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %843 = vector.load %alloc[%831, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %844 = vector.load %alloc[%833, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %845 = vector.load %alloc[%835, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %846 = vector.load %alloc[%837, %780] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %847 = vector.load %alloc[%831, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %848 = vector.load %alloc[%833, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %849 = vector.load %alloc[%835, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %850 = vector.load %alloc[%837, %785] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<1xf16>
            %851 = vector.extract %768[0] : f16 from vector<1xf16>
            %852 = vector.extract %770[0] : f16 from vector<1xf16>
            %853 = vector.extract %771[0] : f16 from vector<1xf16>
            %854 = vector.extract %773[0] : f16 from vector<1xf16>
            %855 = vector.from_elements %851, %852, %853, %854 : vector<4xf16>
            %856 = vector.extract %776[0] : f16 from vector<1xf16>
            %857 = vector.extract %777[0] : f16 from vector<1xf16>
            %858 = vector.extract %778[0] : f16 from vector<1xf16>
            %859 = vector.extract %779[0] : f16 from vector<1xf16>
            %860 = vector.from_elements %856, %857, %858, %859 : vector<4xf16>
            %861 = vector.extract %781[0] : f16 from vector<1xf16>
            %862 = vector.extract %782[0] : f16 from vector<1xf16>
            %863 = vector.extract %783[0] : f16 from vector<1xf16>
            %864 = vector.extract %784[0] : f16 from vector<1xf16>
            %865 = vector.from_elements %861, %862, %863, %864 : vector<4xf16>
            %866 = vector.extract %786[0] : f16 from vector<1xf16>
            %867 = vector.extract %787[0] : f16 from vector<1xf16>
            %868 = vector.extract %788[0] : f16 from vector<1xf16>
            %869 = vector.extract %789[0] : f16 from vector<1xf16>
            %870 = vector.from_elements %866, %867, %868, %869 : vector<4xf16>
            %871 = vector.extract %792[0] : f16 from vector<1xf16>
            %872 = vector.extract %794[0] : f16 from vector<1xf16>
            %873 = vector.extract %796[0] : f16 from vector<1xf16>
            %874 = vector.extract %798[0] : f16 from vector<1xf16>
            %875 = vector.from_elements %871, %872, %873, %874 : vector<4xf16>
            %876 = vector.extract %799[0] : f16 from vector<1xf16>
            %877 = vector.extract %800[0] : f16 from vector<1xf16>
            %878 = vector.extract %801[0] : f16 from vector<1xf16>
            %879 = vector.extract %802[0] : f16 from vector<1xf16>
            %880 = vector.from_elements %876, %877, %878, %879 : vector<4xf16>
            %881 = vector.extract %803[0] : f16 from vector<1xf16>
            %882 = vector.extract %804[0] : f16 from vector<1xf16>
            %883 = vector.extract %805[0] : f16 from vector<1xf16>
            %884 = vector.extract %806[0] : f16 from vector<1xf16>
            %885 = vector.from_elements %881, %882, %883, %884 : vector<4xf16>
            %886 = vector.extract %807[0] : f16 from vector<1xf16>
            %887 = vector.extract %808[0] : f16 from vector<1xf16>
            %888 = vector.extract %809[0] : f16 from vector<1xf16>
            %889 = vector.extract %810[0] : f16 from vector<1xf16>
            %890 = vector.from_elements %886, %887, %888, %889 : vector<4xf16>
            %891 = vector.extract %812[0] : f16 from vector<1xf16>
            %892 = vector.extract %814[0] : f16 from vector<1xf16>
            %893 = vector.extract %816[0] : f16 from vector<1xf16>
            %894 = vector.extract %818[0] : f16 from vector<1xf16>
            %895 = vector.from_elements %891, %892, %893, %894 : vector<4xf16>
            %896 = vector.extract %819[0] : f16 from vector<1xf16>
            %897 = vector.extract %820[0] : f16 from vector<1xf16>
            %898 = vector.extract %821[0] : f16 from vector<1xf16>
            %899 = vector.extract %822[0] : f16 from vector<1xf16>
            %900 = vector.from_elements %896, %897, %898, %899 : vector<4xf16>
            %901 = vector.extract %823[0] : f16 from vector<1xf16>
            %902 = vector.extract %824[0] : f16 from vector<1xf16>
            %903 = vector.extract %825[0] : f16 from vector<1xf16>
            %904 = vector.extract %826[0] : f16 from vector<1xf16>
            %905 = vector.from_elements %901, %902, %903, %904 : vector<4xf16>
            %906 = vector.extract %827[0] : f16 from vector<1xf16>
            %907 = vector.extract %828[0] : f16 from vector<1xf16>
            %908 = vector.extract %829[0] : f16 from vector<1xf16>
            %909 = vector.extract %830[0] : f16 from vector<1xf16>
            %910 = vector.from_elements %906, %907, %908, %909 : vector<4xf16>
            %911 = vector.extract %832[0] : f16 from vector<1xf16>
            %912 = vector.extract %834[0] : f16 from vector<1xf16>
            %913 = vector.extract %836[0] : f16 from vector<1xf16>
            %914 = vector.extract %838[0] : f16 from vector<1xf16>
            %915 = vector.from_elements %911, %912, %913, %914 : vector<4xf16>
            %916 = vector.extract %839[0] : f16 from vector<1xf16>
            %917 = vector.extract %840[0] : f16 from vector<1xf16>
            %918 = vector.extract %841[0] : f16 from vector<1xf16>
            %919 = vector.extract %842[0] : f16 from vector<1xf16>
            %920 = vector.from_elements %916, %917, %918, %919 : vector<4xf16>
            %921 = vector.extract %843[0] : f16 from vector<1xf16>
            %922 = vector.extract %844[0] : f16 from vector<1xf16>
            %923 = vector.extract %845[0] : f16 from vector<1xf16>
            %924 = vector.extract %846[0] : f16 from vector<1xf16>
            %925 = vector.from_elements %921, %922, %923, %924 : vector<4xf16>
            %926 = vector.extract %847[0] : f16 from vector<1xf16>
            %927 = vector.extract %848[0] : f16 from vector<1xf16>
            %928 = vector.extract %849[0] : f16 from vector<1xf16>
            %929 = vector.extract %850[0] : f16 from vector<1xf16>
            %930 = vector.from_elements %926, %927, %928, %929 : vector<4xf16>
            %931 = vector.extract_strided_slice %855 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %932 = vector.extract_strided_slice %855 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %933:2 = vector.to_elements %931 : vector<2xf16>
            %934:2 = vector.to_elements %932 : vector<2xf16>
            %935 = vector.from_elements %933#0, %933#1, %934#0, %934#1 : vector<2x2xf16>
            %936 = nvgpu.mma.sync(%716, %935, %752) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %937 = vector.extract_strided_slice %860 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %938 = vector.extract_strided_slice %860 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %939:2 = vector.to_elements %937 : vector<2xf16>
            %940:2 = vector.to_elements %938 : vector<2xf16>
            %941 = vector.from_elements %939#0, %939#1, %940#0, %940#1 : vector<2x2xf16>
            %942 = nvgpu.mma.sync(%716, %941, %757) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %943 = vector.extract_strided_slice %865 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %944 = vector.extract_strided_slice %865 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %945:2 = vector.to_elements %943 : vector<2xf16>
            %946:2 = vector.to_elements %944 : vector<2xf16>
            %947 = vector.from_elements %945#0, %945#1, %946#0, %946#1 : vector<2x2xf16>
            %948 = nvgpu.mma.sync(%716, %947, %762) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %949 = vector.extract_strided_slice %870 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %950 = vector.extract_strided_slice %870 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %951:2 = vector.to_elements %949 : vector<2xf16>
            %952:2 = vector.to_elements %950 : vector<2xf16>
            %953 = vector.from_elements %951#0, %951#1, %952#0, %952#1 : vector<2x2xf16>
            %954 = nvgpu.mma.sync(%716, %953, %767) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %955 = vector.extract_strided_slice %875 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %956 = vector.extract_strided_slice %875 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %957:2 = vector.to_elements %955 : vector<2xf16>
            %958:2 = vector.to_elements %956 : vector<2xf16>
            %959 = vector.from_elements %957#0, %957#1, %958#0, %958#1 : vector<2x2xf16>
            %960 = nvgpu.mma.sync(%725, %959, %936) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %961 = vector.extract_strided_slice %880 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %962 = vector.extract_strided_slice %880 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %963:2 = vector.to_elements %961 : vector<2xf16>
            %964:2 = vector.to_elements %962 : vector<2xf16>
            %965 = vector.from_elements %963#0, %963#1, %964#0, %964#1 : vector<2x2xf16>
            %966 = nvgpu.mma.sync(%725, %965, %942) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %967 = vector.extract_strided_slice %885 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %968 = vector.extract_strided_slice %885 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %969:2 = vector.to_elements %967 : vector<2xf16>
            %970:2 = vector.to_elements %968 : vector<2xf16>
            %971 = vector.from_elements %969#0, %969#1, %970#0, %970#1 : vector<2x2xf16>
            %972 = nvgpu.mma.sync(%725, %971, %948) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %973 = vector.extract_strided_slice %890 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %974 = vector.extract_strided_slice %890 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %975:2 = vector.to_elements %973 : vector<2xf16>
            %976:2 = vector.to_elements %974 : vector<2xf16>
            %977 = vector.from_elements %975#0, %975#1, %976#0, %976#1 : vector<2x2xf16>
            %978 = nvgpu.mma.sync(%725, %977, %954) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %979 = vector.extract_strided_slice %895 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %980 = vector.extract_strided_slice %895 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %981:2 = vector.to_elements %979 : vector<2xf16>
            %982:2 = vector.to_elements %980 : vector<2xf16>
            %983 = vector.from_elements %981#0, %981#1, %982#0, %982#1 : vector<2x2xf16>
            %984 = nvgpu.mma.sync(%734, %983, %960) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %985 = vector.extract_strided_slice %900 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %986 = vector.extract_strided_slice %900 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %987:2 = vector.to_elements %985 : vector<2xf16>
            %988:2 = vector.to_elements %986 : vector<2xf16>
            %989 = vector.from_elements %987#0, %987#1, %988#0, %988#1 : vector<2x2xf16>
            %990 = nvgpu.mma.sync(%734, %989, %966) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %991 = vector.extract_strided_slice %905 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %992 = vector.extract_strided_slice %905 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %993:2 = vector.to_elements %991 : vector<2xf16>
            %994:2 = vector.to_elements %992 : vector<2xf16>
            %995 = vector.from_elements %993#0, %993#1, %994#0, %994#1 : vector<2x2xf16>
            %996 = nvgpu.mma.sync(%734, %995, %972) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %997 = vector.extract_strided_slice %910 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %998 = vector.extract_strided_slice %910 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %999:2 = vector.to_elements %997 : vector<2xf16>
            %1000:2 = vector.to_elements %998 : vector<2xf16>
            %1001 = vector.from_elements %999#0, %999#1, %1000#0, %1000#1 : vector<2x2xf16>
            %1002 = nvgpu.mma.sync(%734, %1001, %978) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %1003 = vector.extract_strided_slice %915 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1004 = vector.extract_strided_slice %915 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1005:2 = vector.to_elements %1003 : vector<2xf16>
            %1006:2 = vector.to_elements %1004 : vector<2xf16>
            %1007 = vector.from_elements %1005#0, %1005#1, %1006#0, %1006#1 : vector<2x2xf16>
            %1008 = nvgpu.mma.sync(%743, %1007, %984) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %1009 = vector.extract %1008[0] : vector<2xf32> from vector<2x2xf32>
            %1010 = vector.extract %1008[1] : vector<2xf32> from vector<2x2xf32>
            %1011 = vector.extract_strided_slice %920 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1012 = vector.extract_strided_slice %920 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1013:2 = vector.to_elements %1011 : vector<2xf16>
            %1014:2 = vector.to_elements %1012 : vector<2xf16>
            %1015 = vector.from_elements %1013#0, %1013#1, %1014#0, %1014#1 : vector<2x2xf16>
            %1016 = nvgpu.mma.sync(%743, %1015, %990) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %1017 = vector.extract %1016[0] : vector<2xf32> from vector<2x2xf32>
            %1018 = vector.extract %1016[1] : vector<2xf32> from vector<2x2xf32>
            %1019 = vector.extract_strided_slice %925 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1020 = vector.extract_strided_slice %925 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1021:2 = vector.to_elements %1019 : vector<2xf16>
            %1022:2 = vector.to_elements %1020 : vector<2xf16>
            %1023 = vector.from_elements %1021#0, %1021#1, %1022#0, %1022#1 : vector<2x2xf16>
            %1024 = nvgpu.mma.sync(%743, %1023, %996) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %1025 = vector.extract %1024[0] : vector<2xf32> from vector<2x2xf32>
            %1026 = vector.extract %1024[1] : vector<2xf32> from vector<2x2xf32>
            %1027 = vector.extract_strided_slice %930 offsets = [0], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1028 = vector.extract_strided_slice %930 offsets = [2], sizes = [2], strides = [1] : vector<4xf16> to vector<2xf16>
            %1029:2 = vector.to_elements %1027 : vector<2xf16>
            %1030:2 = vector.to_elements %1028 : vector<2xf16>
            %1031 = vector.from_elements %1029#0, %1029#1, %1030#0, %1030#1 : vector<2x2xf16>
            %1032 = nvgpu.mma.sync(%743, %1031, %1002) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %1033 = vector.extract %1032[0] : vector<2xf32> from vector<2x2xf32>
            %1034 = vector.extract %1032[1] : vector<2xf32> from vector<2x2xf32>
            scf.yield %1009, %1010, %1017, %1018, %1025, %1026, %1033, %1034, %706, %707, %636, %637 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<1xf32>, vector<1xf32>, vector<1xf32>, vector<1xf32>
          }
          %156 = arith.divf %cst_4, %155#8 : vector<1xf32>
          %157 = arith.divf %cst_4, %155#9 : vector<1xf32>
          %158 = vector.to_elements %156 : vector<1xf32>
          %159 = vector.to_elements %157 : vector<1xf32>
          %160 = vector.from_elements %158, %158 : vector<2xf32>
          %161 = vector.from_elements %159, %159 : vector<2xf32>
          %162 = arith.mulf %160, %155#0 : vector<2xf32>
          %163 = arith.mulf %161, %155#1 : vector<2xf32>
          %164 = arith.mulf %160, %155#2 : vector<2xf32>
          %165 = arith.mulf %161, %155#3 : vector<2xf32>
          %166 = arith.mulf %160, %155#4 : vector<2xf32>
          %167 = arith.mulf %161, %155#5 : vector<2xf32>
          %168 = arith.mulf %160, %155#6 : vector<2xf32>
          %169 = arith.mulf %161, %155#7 : vector<2xf32>
          %170 = arith.truncf %162 : vector<2xf32> to vector<2xf16>
          %171 = arith.truncf %163 : vector<2xf32> to vector<2xf16>
          %172 = arith.truncf %164 : vector<2xf32> to vector<2xf16>
          %173 = arith.truncf %165 : vector<2xf32> to vector<2xf16>
          %174 = arith.truncf %166 : vector<2xf32> to vector<2xf16>
          %175 = arith.truncf %167 : vector<2xf32> to vector<2xf16>
          %176 = arith.truncf %168 : vector<2xf32> to vector<2xf16>
          %177 = arith.truncf %169 : vector<2xf32> to vector<2xf16>
          scf.if %28 {
            %178 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 32)>()[%32, %6#1]
            %179 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%31, %6#0]
            vector.store %170, %assume_align_10[%179, %178] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
            %180 = arith.addi %179, %c8 overflow<nsw> : index
            vector.store %171, %assume_align_10[%180, %178] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
            %181 = affine.linearize_index disjoint [%c0, %30#2, %c0] by (4, 4, 2) : index
            %182 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 32)>()[%181, %6#1]
            %183 = arith.addi %182, %c8 overflow<nsw> : index
            vector.store %172, %assume_align_10[%179, %183] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
            vector.store %173, %assume_align_10[%180, %183] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
            %184 = arith.addi %182, %c16 overflow<nsw> : index
            vector.store %174, %assume_align_10[%179, %184] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
            vector.store %175, %assume_align_10[%180, %184] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
            %185 = arith.addi %182, %c24 overflow<nsw> : index
            vector.store %176, %assume_align_10[%179, %185] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
            vector.store %177, %assume_align_10[%180, %185] : memref<1024x128xf16, #gpu.address_space<global>>, vector<2xf16>
          }
          memref.dealloc %alloc_7 : memref<64x128xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc_6 : memref<64x128xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
          return
        }
        iree_codegen.dispatch_config @attn_dispatch_0_attention_1024x128x128x1024 workgroup_size = [128, 1, 1] subgroup_size = 32 {
        ^bb0(%arg0: !hal.device):
          %c64 = arith.constant 64 : index
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c64, %c1, %c1 : index, index, index
        }
      }
    }
  }
}


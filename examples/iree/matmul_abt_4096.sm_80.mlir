// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints ('func.func' operation: @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32) //----- //
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #hal.device.target<"cuda", [#hal.executable.target<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>]> : !hal.device
  hal.executable public @mm_dispatch_0 {
    hal.executable.variant public @cuda_nvptx_fb target(<"cuda", "cuda-nvptx-fb", {iree_codegen.target_info = #iree_gpu.target<arch = "sm_80", features = "+ptx76", wgp = <compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, mma = [<NV_MMA_SYNC_F32_16x8x16_F16>, <NV_MMA_SYNC_F16_16x8x16_F16>, <NV_MMA_SYNC_F32_16x8x16_BF16>, <NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>], subgroup_size_choices = [32], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 166912, max_workgroup_counts = [2147483647, 65535, 65535]>>}>) {
      hal.executable.export public @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [128, 1, 1] subgroup_size = 32>, gpu.known_block_size = array<i32: 128, 1, 1>} {
          %c56 = arith.constant 56 : index
          %c48 = arith.constant 48 : index
          %c40 = arith.constant 40 : index
          %c32 = arith.constant 32 : index
          %c24 = arith.constant 24 : index
          %c16 = arith.constant 16 : index
          %c8 = arith.constant 8 : index
          %c384 = arith.constant 384 : index
          %c128 = arith.constant 128 : index
          %c2 = arith.constant 2 : index
          %c256 = arith.constant 256 : index
          %c0 = arith.constant 0 : index
          %cst = arith.constant dense<0.000000e+00> : vector<2xf32>
          %alloc = memref.alloc() : memref<64x32xf16, #gpu.address_space<workgroup>>
          %alloc_0 = memref.alloc() : memref<128x32xf16, #gpu.address_space<workgroup>>
          %thread_id_x = gpu.thread_id x upper_bound 128
          %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4096x4096xf16, #gpu.address_space<global>>
          %assume_align = memref.assume_alignment %0, 64 : memref<4096x4096xf16, #gpu.address_space<global>>
          %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4096x4096xf16, #gpu.address_space<global>>
          %assume_align_1 = memref.assume_alignment %1, 64 : memref<4096x4096xf16, #gpu.address_space<global>>
          %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<4096x4096xf32, #gpu.address_space<global>>
          %assume_align_2 = memref.assume_alignment %2, 64 : memref<4096x4096xf32, #gpu.address_space<global>>
          %3:3 = affine.delinearize_index %thread_id_x into (2, 2, 32) : index, index, index
          %4:3 = affine.delinearize_index %3#2 into (8, 4) : index, index, index
          %5 = affine.linearize_index disjoint [%4#2, %c0] by (4, 2) : index
          %6:2 = affine.delinearize_index %thread_id_x into (128, 4) : index, index
          %7 = arith.addi %thread_id_x, %c128 overflow<nsw> : index
          %8:2 = affine.delinearize_index %7 into (128, 4) : index, index
          %9 = arith.addi %thread_id_x, %c256 overflow<nsw> : index
          %10:2 = affine.delinearize_index %9 into (128, 4) : index, index
          %11 = arith.addi %thread_id_x, %c384 overflow<nsw> : index
          %12:2 = affine.delinearize_index %11 into (128, 4) : index, index
          %13:2 = affine.delinearize_index %thread_id_x into (64, 4) : index, index
          %14:2 = affine.delinearize_index %7 into (64, 4) : index, index
          %15 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%6#1]
          %16 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%8#1]
          %17 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%10#1]
          %18 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%12#1]
          %19 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%13#1]
          %20 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%14#1]
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %21:2 = affine.delinearize_index %workgroup_id_x into (32, 64) : index, index
          %22 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%6#0, %21#0]
          %23 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%8#0, %21#0]
          %24 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%10#0, %21#0]
          %25 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 128)>()[%12#0, %21#0]
          %26 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%13#0, %21#1]
          %27 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%14#0, %21#1]
          %28:32 = scf.for %arg0 = %c0 to %c256 step %c2 iter_args(%arg1 = %cst, %arg2 = %cst, %arg3 = %cst, %arg4 = %cst, %arg5 = %cst, %arg6 = %cst, %arg7 = %cst, %arg8 = %cst, %arg9 = %cst, %arg10 = %cst, %arg11 = %cst, %arg12 = %cst, %arg13 = %cst, %arg14 = %cst, %arg15 = %cst, %arg16 = %cst, %arg17 = %cst, %arg18 = %cst, %arg19 = %cst, %arg20 = %cst, %arg21 = %cst, %arg22 = %cst, %arg23 = %cst, %arg24 = %cst, %arg25 = %cst, %arg26 = %cst, %arg27 = %cst, %arg28 = %cst, %arg29 = %cst, %arg30 = %cst, %arg31 = %cst, %arg32 = %cst) -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>) {
            %43:2 = vector.to_elements %arg31 : vector<2xf32>
            %44:2 = vector.to_elements %arg32 : vector<2xf32>
            %45 = vector.from_elements %43#0, %43#1, %44#0, %44#1 : vector<2x2xf32>
            %46:2 = vector.to_elements %arg29 : vector<2xf32>
            %47:2 = vector.to_elements %arg30 : vector<2xf32>
            %48 = vector.from_elements %46#0, %46#1, %47#0, %47#1 : vector<2x2xf32>
            %49:2 = vector.to_elements %arg27 : vector<2xf32>
            %50:2 = vector.to_elements %arg28 : vector<2xf32>
            %51 = vector.from_elements %49#0, %49#1, %50#0, %50#1 : vector<2x2xf32>
            %52:2 = vector.to_elements %arg25 : vector<2xf32>
            %53:2 = vector.to_elements %arg26 : vector<2xf32>
            %54 = vector.from_elements %52#0, %52#1, %53#0, %53#1 : vector<2x2xf32>
            %55:2 = vector.to_elements %arg23 : vector<2xf32>
            %56:2 = vector.to_elements %arg24 : vector<2xf32>
            %57 = vector.from_elements %55#0, %55#1, %56#0, %56#1 : vector<2x2xf32>
            %58:2 = vector.to_elements %arg21 : vector<2xf32>
            %59:2 = vector.to_elements %arg22 : vector<2xf32>
            %60 = vector.from_elements %58#0, %58#1, %59#0, %59#1 : vector<2x2xf32>
            %61:2 = vector.to_elements %arg19 : vector<2xf32>
            %62:2 = vector.to_elements %arg20 : vector<2xf32>
            %63 = vector.from_elements %61#0, %61#1, %62#0, %62#1 : vector<2x2xf32>
            %64:2 = vector.to_elements %arg17 : vector<2xf32>
            %65:2 = vector.to_elements %arg18 : vector<2xf32>
            %66 = vector.from_elements %64#0, %64#1, %65#0, %65#1 : vector<2x2xf32>
            %67:2 = vector.to_elements %arg15 : vector<2xf32>
            %68:2 = vector.to_elements %arg16 : vector<2xf32>
            %69 = vector.from_elements %67#0, %67#1, %68#0, %68#1 : vector<2x2xf32>
            %70:2 = vector.to_elements %arg13 : vector<2xf32>
            %71:2 = vector.to_elements %arg14 : vector<2xf32>
            %72 = vector.from_elements %70#0, %70#1, %71#0, %71#1 : vector<2x2xf32>
            %73:2 = vector.to_elements %arg11 : vector<2xf32>
            %74:2 = vector.to_elements %arg12 : vector<2xf32>
            %75 = vector.from_elements %73#0, %73#1, %74#0, %74#1 : vector<2x2xf32>
            %76:2 = vector.to_elements %arg9 : vector<2xf32>
            %77:2 = vector.to_elements %arg10 : vector<2xf32>
            %78 = vector.from_elements %76#0, %76#1, %77#0, %77#1 : vector<2x2xf32>
            %79:2 = vector.to_elements %arg7 : vector<2xf32>
            %80:2 = vector.to_elements %arg8 : vector<2xf32>
            %81 = vector.from_elements %79#0, %79#1, %80#0, %80#1 : vector<2x2xf32>
            %82:2 = vector.to_elements %arg5 : vector<2xf32>
            %83:2 = vector.to_elements %arg6 : vector<2xf32>
            %84 = vector.from_elements %82#0, %82#1, %83#0, %83#1 : vector<2x2xf32>
            %85:2 = vector.to_elements %arg3 : vector<2xf32>
            %86:2 = vector.to_elements %arg4 : vector<2xf32>
            %87 = vector.from_elements %85#0, %85#1, %86#0, %86#1 : vector<2x2xf32>
            %88:2 = vector.to_elements %arg1 : vector<2xf32>
            %89:2 = vector.to_elements %arg2 : vector<2xf32>
            %90 = vector.from_elements %88#0, %88#1, %89#0, %89#1 : vector<2x2xf32>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %91 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%6#1]
            %92 = vector.load %assume_align[%22, %91] : memref<4096x4096xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %92, %alloc_0[%6#0, %15] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %93 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%8#1]
            %94 = vector.load %assume_align[%23, %93] : memref<4096x4096xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %94, %alloc_0[%8#0, %16] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %95 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%10#1]
            %96 = vector.load %assume_align[%24, %95] : memref<4096x4096xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %96, %alloc_0[%10#0, %17] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %97 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%12#1]
            %98 = vector.load %assume_align[%25, %97] : memref<4096x4096xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %98, %alloc_0[%12#0, %18] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %99 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%13#1]
            %100 = vector.load %assume_align_1[%26, %99] : memref<4096x4096xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %100, %alloc[%13#0, %19] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            %101 = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 * 8)>(%arg0)[%14#1]
            %102 = vector.load %assume_align_1[%27, %101] : memref<4096x4096xf16, #gpu.address_space<global>>, vector<8xf16>
            vector.store %102, %alloc[%14#0, %20] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
            gpu.barrier memfence [#gpu.address_space<workgroup>]
            %103 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%3#0]
            %104 = affine.linearize_index disjoint [%103, %c0, %4#1] by (8, 2, 8) : index
            %105 = vector.load %alloc_0[%104, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %106 = affine.linearize_index disjoint [%c0, %5] by (2, 8) : index
            %107 = arith.addi %106, %c8 overflow<nsw> : index
            %108 = vector.load %alloc_0[%104, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %109 = affine.linearize_index disjoint [%c0, %c0, %5] by (2, 2, 8) : index
            %110 = arith.addi %109, %c16 overflow<nsw> : index
            %111 = vector.load %alloc_0[%104, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %112 = arith.addi %109, %c24 overflow<nsw> : index
            %113 = vector.load %alloc_0[%104, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %114 = arith.addi %104, %c8 overflow<nsw> : index
            %115 = vector.load %alloc_0[%114, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %116 = vector.load %alloc_0[%114, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %117:2 = vector.to_elements %105 : vector<2xf16>
            %118:2 = vector.to_elements %115 : vector<2xf16>
            %119:2 = vector.to_elements %108 : vector<2xf16>
            %120:2 = vector.to_elements %116 : vector<2xf16>
            %121 = vector.from_elements %117#0, %117#1, %118#0, %118#1, %119#0, %119#1, %120#0, %120#1 : vector<4x2xf16>
            %122 = vector.load %alloc_0[%114, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %123 = vector.load %alloc_0[%114, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %124:2 = vector.to_elements %111 : vector<2xf16>
            %125:2 = vector.to_elements %122 : vector<2xf16>
            %126:2 = vector.to_elements %113 : vector<2xf16>
            %127:2 = vector.to_elements %123 : vector<2xf16>
            %128 = vector.from_elements %124#0, %124#1, %125#0, %125#1, %126#0, %126#1, %127#0, %127#1 : vector<4x2xf16>
            %129 = arith.addi %104, %c16 overflow<nsw> : index
            %130 = vector.load %alloc_0[%129, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %131 = vector.load %alloc_0[%129, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %132 = vector.load %alloc_0[%129, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %133 = vector.load %alloc_0[%129, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %134 = arith.addi %104, %c24 overflow<nsw> : index
            %135 = vector.load %alloc_0[%134, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %136 = vector.load %alloc_0[%134, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %137:2 = vector.to_elements %130 : vector<2xf16>
            %138:2 = vector.to_elements %135 : vector<2xf16>
            %139:2 = vector.to_elements %131 : vector<2xf16>
            %140:2 = vector.to_elements %136 : vector<2xf16>
            %141 = vector.from_elements %137#0, %137#1, %138#0, %138#1, %139#0, %139#1, %140#0, %140#1 : vector<4x2xf16>
            %142 = vector.load %alloc_0[%134, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %143 = vector.load %alloc_0[%134, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %144:2 = vector.to_elements %132 : vector<2xf16>
            %145:2 = vector.to_elements %142 : vector<2xf16>
            %146:2 = vector.to_elements %133 : vector<2xf16>
            %147:2 = vector.to_elements %143 : vector<2xf16>
            %148 = vector.from_elements %144#0, %144#1, %145#0, %145#1, %146#0, %146#1, %147#0, %147#1 : vector<4x2xf16>
            %149 = arith.addi %104, %c32 overflow<nsw> : index
            %150 = vector.load %alloc_0[%149, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %151 = vector.load %alloc_0[%149, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %152 = vector.load %alloc_0[%149, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %153 = vector.load %alloc_0[%149, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %154 = arith.addi %104, %c40 overflow<nsw> : index
            %155 = vector.load %alloc_0[%154, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %156 = vector.load %alloc_0[%154, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %157:2 = vector.to_elements %150 : vector<2xf16>
            %158:2 = vector.to_elements %155 : vector<2xf16>
            %159:2 = vector.to_elements %151 : vector<2xf16>
            %160:2 = vector.to_elements %156 : vector<2xf16>
            %161 = vector.from_elements %157#0, %157#1, %158#0, %158#1, %159#0, %159#1, %160#0, %160#1 : vector<4x2xf16>
            %162 = vector.load %alloc_0[%154, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %163 = vector.load %alloc_0[%154, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %164:2 = vector.to_elements %152 : vector<2xf16>
            %165:2 = vector.to_elements %162 : vector<2xf16>
            %166:2 = vector.to_elements %153 : vector<2xf16>
            %167:2 = vector.to_elements %163 : vector<2xf16>
            %168 = vector.from_elements %164#0, %164#1, %165#0, %165#1, %166#0, %166#1, %167#0, %167#1 : vector<4x2xf16>
            %169 = arith.addi %104, %c48 overflow<nsw> : index
            %170 = vector.load %alloc_0[%169, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %171 = vector.load %alloc_0[%169, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %172 = vector.load %alloc_0[%169, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %173 = vector.load %alloc_0[%169, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %174 = arith.addi %104, %c56 overflow<nsw> : index
            %175 = vector.load %alloc_0[%174, %5] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %176 = vector.load %alloc_0[%174, %107] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %177:2 = vector.to_elements %170 : vector<2xf16>
            %178:2 = vector.to_elements %175 : vector<2xf16>
            %179:2 = vector.to_elements %171 : vector<2xf16>
            %180:2 = vector.to_elements %176 : vector<2xf16>
            %181 = vector.from_elements %177#0, %177#1, %178#0, %178#1, %179#0, %179#1, %180#0, %180#1 : vector<4x2xf16>
            %182 = vector.load %alloc_0[%174, %110] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %183 = vector.load %alloc_0[%174, %112] : memref<128x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %184:2 = vector.to_elements %172 : vector<2xf16>
            %185:2 = vector.to_elements %182 : vector<2xf16>
            %186:2 = vector.to_elements %173 : vector<2xf16>
            %187:2 = vector.to_elements %183 : vector<2xf16>
            %188 = vector.from_elements %184#0, %184#1, %185#0, %185#1, %186#0, %186#1, %187#0, %187#1 : vector<4x2xf16>
            %189 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%3#1]
            %190 = affine.linearize_index disjoint [%189, %4#1] by (8, 8) : index
            %191 = vector.load %alloc[%190, %5] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %192 = vector.load %alloc[%190, %107] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %193:2 = vector.to_elements %191 : vector<2xf16>
            %194:2 = vector.to_elements %192 : vector<2xf16>
            %195 = vector.from_elements %193#0, %193#1, %194#0, %194#1 : vector<2x2xf16>
            %196 = vector.load %alloc[%190, %110] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %197 = vector.load %alloc[%190, %112] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %198:2 = vector.to_elements %196 : vector<2xf16>
            %199:2 = vector.to_elements %197 : vector<2xf16>
            %200 = vector.from_elements %198#0, %198#1, %199#0, %199#1 : vector<2x2xf16>
            %201 = arith.addi %190, %c8 overflow<nsw> : index
            %202 = vector.load %alloc[%201, %5] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %203 = vector.load %alloc[%201, %107] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %204:2 = vector.to_elements %202 : vector<2xf16>
            %205:2 = vector.to_elements %203 : vector<2xf16>
            %206 = vector.from_elements %204#0, %204#1, %205#0, %205#1 : vector<2x2xf16>
            %207 = vector.load %alloc[%201, %110] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %208 = vector.load %alloc[%201, %112] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %209:2 = vector.to_elements %207 : vector<2xf16>
            %210:2 = vector.to_elements %208 : vector<2xf16>
            %211 = vector.from_elements %209#0, %209#1, %210#0, %210#1 : vector<2x2xf16>
            %212 = arith.addi %190, %c16 overflow<nsw> : index
            %213 = vector.load %alloc[%212, %5] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %214 = vector.load %alloc[%212, %107] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %215:2 = vector.to_elements %213 : vector<2xf16>
            %216:2 = vector.to_elements %214 : vector<2xf16>
            %217 = vector.from_elements %215#0, %215#1, %216#0, %216#1 : vector<2x2xf16>
            %218 = vector.load %alloc[%212, %110] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %219 = vector.load %alloc[%212, %112] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %220:2 = vector.to_elements %218 : vector<2xf16>
            %221:2 = vector.to_elements %219 : vector<2xf16>
            %222 = vector.from_elements %220#0, %220#1, %221#0, %221#1 : vector<2x2xf16>
            %223 = arith.addi %190, %c24 overflow<nsw> : index
            %224 = vector.load %alloc[%223, %5] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %225 = vector.load %alloc[%223, %107] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %226:2 = vector.to_elements %224 : vector<2xf16>
            %227:2 = vector.to_elements %225 : vector<2xf16>
            %228 = vector.from_elements %226#0, %226#1, %227#0, %227#1 : vector<2x2xf16>
            %229 = vector.load %alloc[%223, %110] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %230 = vector.load %alloc[%223, %112] : memref<64x32xf16, #gpu.address_space<workgroup>>, vector<2xf16>
            %231:2 = vector.to_elements %229 : vector<2xf16>
            %232:2 = vector.to_elements %230 : vector<2xf16>
            %233 = vector.from_elements %231#0, %231#1, %232#0, %232#1 : vector<2x2xf16>
            %234 = nvgpu.mma.sync(%121, %195, %45) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %235 = nvgpu.mma.sync(%121, %206, %48) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %236 = nvgpu.mma.sync(%121, %217, %51) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %237 = nvgpu.mma.sync(%121, %228, %54) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %238 = nvgpu.mma.sync(%141, %195, %57) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %239 = nvgpu.mma.sync(%141, %206, %60) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %240 = nvgpu.mma.sync(%141, %217, %63) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %241 = nvgpu.mma.sync(%141, %228, %66) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %242 = nvgpu.mma.sync(%161, %195, %69) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %243 = nvgpu.mma.sync(%161, %206, %72) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %244 = nvgpu.mma.sync(%161, %217, %75) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %245 = nvgpu.mma.sync(%161, %228, %78) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %246 = nvgpu.mma.sync(%181, %195, %81) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %247 = nvgpu.mma.sync(%181, %206, %84) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %248 = nvgpu.mma.sync(%181, %217, %87) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %249 = nvgpu.mma.sync(%181, %228, %90) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %250 = nvgpu.mma.sync(%128, %200, %234) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %251 = vector.extract %250[0] : vector<2xf32> from vector<2x2xf32>
            %252 = vector.extract %250[1] : vector<2xf32> from vector<2x2xf32>
            %253 = nvgpu.mma.sync(%128, %211, %235) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %254 = vector.extract %253[0] : vector<2xf32> from vector<2x2xf32>
            %255 = vector.extract %253[1] : vector<2xf32> from vector<2x2xf32>
            %256 = nvgpu.mma.sync(%128, %222, %236) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %257 = vector.extract %256[0] : vector<2xf32> from vector<2x2xf32>
            %258 = vector.extract %256[1] : vector<2xf32> from vector<2x2xf32>
            %259 = nvgpu.mma.sync(%128, %233, %237) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %260 = vector.extract %259[0] : vector<2xf32> from vector<2x2xf32>
            %261 = vector.extract %259[1] : vector<2xf32> from vector<2x2xf32>
            %262 = nvgpu.mma.sync(%148, %200, %238) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %263 = vector.extract %262[0] : vector<2xf32> from vector<2x2xf32>
            %264 = vector.extract %262[1] : vector<2xf32> from vector<2x2xf32>
            %265 = nvgpu.mma.sync(%148, %211, %239) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %266 = vector.extract %265[0] : vector<2xf32> from vector<2x2xf32>
            %267 = vector.extract %265[1] : vector<2xf32> from vector<2x2xf32>
            %268 = nvgpu.mma.sync(%148, %222, %240) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %269 = vector.extract %268[0] : vector<2xf32> from vector<2x2xf32>
            %270 = vector.extract %268[1] : vector<2xf32> from vector<2x2xf32>
            %271 = nvgpu.mma.sync(%148, %233, %241) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %272 = vector.extract %271[0] : vector<2xf32> from vector<2x2xf32>
            %273 = vector.extract %271[1] : vector<2xf32> from vector<2x2xf32>
            %274 = nvgpu.mma.sync(%168, %200, %242) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %275 = vector.extract %274[0] : vector<2xf32> from vector<2x2xf32>
            %276 = vector.extract %274[1] : vector<2xf32> from vector<2x2xf32>
            %277 = nvgpu.mma.sync(%168, %211, %243) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %278 = vector.extract %277[0] : vector<2xf32> from vector<2x2xf32>
            %279 = vector.extract %277[1] : vector<2xf32> from vector<2x2xf32>
            %280 = nvgpu.mma.sync(%168, %222, %244) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %281 = vector.extract %280[0] : vector<2xf32> from vector<2x2xf32>
            %282 = vector.extract %280[1] : vector<2xf32> from vector<2x2xf32>
            %283 = nvgpu.mma.sync(%168, %233, %245) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %284 = vector.extract %283[0] : vector<2xf32> from vector<2x2xf32>
            %285 = vector.extract %283[1] : vector<2xf32> from vector<2x2xf32>
            %286 = nvgpu.mma.sync(%188, %200, %246) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %287 = vector.extract %286[0] : vector<2xf32> from vector<2x2xf32>
            %288 = vector.extract %286[1] : vector<2xf32> from vector<2x2xf32>
            %289 = nvgpu.mma.sync(%188, %211, %247) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %290 = vector.extract %289[0] : vector<2xf32> from vector<2x2xf32>
            %291 = vector.extract %289[1] : vector<2xf32> from vector<2x2xf32>
            %292 = nvgpu.mma.sync(%188, %222, %248) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %293 = vector.extract %292[0] : vector<2xf32> from vector<2x2xf32>
            %294 = vector.extract %292[1] : vector<2xf32> from vector<2x2xf32>
            %295 = nvgpu.mma.sync(%188, %233, %249) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
            %296 = vector.extract %295[0] : vector<2xf32> from vector<2x2xf32>
            %297 = vector.extract %295[1] : vector<2xf32> from vector<2x2xf32>
            scf.yield %296, %297, %293, %294, %290, %291, %287, %288, %284, %285, %281, %282, %278, %279, %275, %276, %272, %273, %269, %270, %266, %267, %263, %264, %260, %261, %257, %258, %254, %255, %251, %252 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>
          }
          %29 = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1 * 8)>()[%3#0, %21#0]
          %30 = affine.apply affine_map<()[s0, s1] -> (s0 * 4 + s1 * 8)>()[%3#1, %21#1]
          %31 = affine.linearize_index disjoint [%29, %c0, %4#1] by (256, 2, 8) : index
          %32 = affine.linearize_index disjoint [%30, %5] by (512, 8) : index
          vector.store %28#30, %assume_align_2[%31, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %33 = arith.addi %32, %c8 overflow<nsw> : index
          vector.store %28#28, %assume_align_2[%31, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %34 = arith.addi %32, %c16 overflow<nsw> : index
          vector.store %28#26, %assume_align_2[%31, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %35 = arith.addi %32, %c24 overflow<nsw> : index
          vector.store %28#24, %assume_align_2[%31, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %36 = arith.addi %31, %c8 overflow<nsw> : index
          vector.store %28#31, %assume_align_2[%36, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#29, %assume_align_2[%36, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#27, %assume_align_2[%36, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#25, %assume_align_2[%36, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %37 = arith.addi %31, %c16 overflow<nsw> : index
          vector.store %28#22, %assume_align_2[%37, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#20, %assume_align_2[%37, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#18, %assume_align_2[%37, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#16, %assume_align_2[%37, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %38 = arith.addi %31, %c24 overflow<nsw> : index
          vector.store %28#23, %assume_align_2[%38, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#21, %assume_align_2[%38, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#19, %assume_align_2[%38, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#17, %assume_align_2[%38, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %39 = arith.addi %31, %c32 overflow<nsw> : index
          vector.store %28#14, %assume_align_2[%39, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#12, %assume_align_2[%39, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#10, %assume_align_2[%39, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#8, %assume_align_2[%39, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %40 = arith.addi %31, %c40 overflow<nsw> : index
          vector.store %28#15, %assume_align_2[%40, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#13, %assume_align_2[%40, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#11, %assume_align_2[%40, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#9, %assume_align_2[%40, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %41 = arith.addi %31, %c48 overflow<nsw> : index
          vector.store %28#6, %assume_align_2[%41, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#4, %assume_align_2[%41, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#2, %assume_align_2[%41, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#0, %assume_align_2[%41, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          %42 = arith.addi %31, %c56 overflow<nsw> : index
          vector.store %28#7, %assume_align_2[%42, %32] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#5, %assume_align_2[%42, %33] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#3, %assume_align_2[%42, %34] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          vector.store %28#1, %assume_align_2[%42, %35] : memref<4096x4096xf32, #gpu.address_space<global>>, vector<2xf32>
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          memref.dealloc %alloc_0 : memref<128x32xf16, #gpu.address_space<workgroup>>
          memref.dealloc %alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
          return
        }
        iree_codegen.dispatch_config @mm_dispatch_0_matmul_4096x4096x4096_f16xf16xf32 workgroup_size = [128, 1, 1] subgroup_size = 32 {
        ^bb0(%arg0: !hal.device):
          %c2048 = arith.constant 2048 : index
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c2048, %c1, %c1 : index, index, index
        }
      }
    }
  }
}


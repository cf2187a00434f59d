// iree-base-compiler 3.10.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-hip-target=gfx942 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-after=iree-codegen-reconcile-translation-info
// -----// IR Dump After ReconcileTranslationInfoPass (iree-codegen-reconcile-translation-info) //----- //
hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.encoding.resolver = #iree_gpu.gpu_encoding_resolver<>, iree_codegen.default_tuning_spec = #rocm.builtin.tuning_module<"iree_default_tuning_spec_gfx942.mlir">, iree_codegen.target_info = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute =  fp64|fp32|fp16|int64|int32|int16|int8, storage =  b64|b32|b16|b8, subgroup =  shuffle|arithmetic, dot =  dp4xi8toi32, mma = [<MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2FNUZ>, <MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384, dma_sizes = [32]>>, ukernels = "none"}>) {
  hal.executable.export public @mm_dispatch_0_matmul_64x64x64_f16xf16xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
    %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
    hal.return %x, %y, %z : index, index, index
  } attributes {subgroup_size = 64 : index, workgroup_size = [256 : index, 1 : index, 1 : index]}
  builtin.module {
    func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() {
      %0 = ub.poison : f16
      %c0 = arith.constant 0 : index
      %cst = arith.constant dense<0.000000e+00> : vector<4x1x4x1xf32>
      %cst_0 = arith.constant dense<0.000000e+00> : vector<4xf32>
      %alloc = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
      %alloc_1 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
      %thread_id_x = gpu.thread_id  x upper_bound 256
      %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %assume_align = memref.assume_alignment %1, 64 : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %2 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<64x64xf16, #hal.descriptor_type<storage_buffer>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
      %3 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %assume_align_2 = memref.assume_alignment %3, 64 : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %4 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<64x64xf16, #hal.descriptor_type<storage_buffer>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
      %5 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf32, #hal.descriptor_type<storage_buffer>>
      %assume_align_3 = memref.assume_alignment %5, 64 : memref<64x64xf32, #hal.descriptor_type<storage_buffer>>
      %6 = amdgpu.fat_raw_buffer_cast %assume_align_3 resetOffset : memref<64x64xf32, #hal.descriptor_type<storage_buffer>> to memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
      %subview = memref.subview %alloc_1[0, 0] [64, 64] [1, 1] : memref<64x68xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
      %subview_4 = memref.subview %alloc[0, 0] [64, 64] [1, 1] : memref<64x68xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
      %expand_shape = memref.expand_shape %6 [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>> into memref<4x16x4x16xf32, #amdgpu.address_space<fat_raw_buffer>>
      %7:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
      %8:2 = affine.delinearize_index %thread_id_x into (64, 8) : index, index
      %9 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%8#1]
      %10 = affine.apply affine_map<()[s0] -> (s0 + 256)>()[%thread_id_x]
      %11:2 = affine.delinearize_index %10 into (64, 8) : index, index
      %12 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%11#1]
      %13:3 = affine.delinearize_index %7#1 into (4, 16) : index, index, index
      %14 = affine.linearize_index disjoint [%13#1, %c0] by (4, 4) : index
      %expand_shape_5 = memref.expand_shape %subview [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> into memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>
      %expand_shape_6 = memref.expand_shape %subview_4 [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> into memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>
      %workgroup_id_x = hal.interface.workgroup.id[0] : index
      %workgroup_count_x = hal.interface.workgroup.count[0] : index
      gpu.barrier
      %15 = vector.transfer_read %2[%8#0, %9], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
      vector.transfer_write %15, %alloc[%8#0, %9] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      %16 = vector.transfer_read %2[%11#0, %12], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
      vector.transfer_write %16, %alloc[%11#0, %12] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      %17 = vector.transfer_read %4[%8#0, %9], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
      vector.transfer_write %17, %alloc_1[%8#0, %9] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      %18 = vector.transfer_read %4[%11#0, %12], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
      vector.transfer_write %18, %alloc_1[%11#0, %12] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      gpu.barrier
      %19 = vector.transfer_read %expand_shape_6[%c0, %13#2, %c0, %14], %0 {in_bounds = [true, true, true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<4x1x4x4xf16>
      %20 = vector.transpose %19, [0, 2, 1, 3] : vector<4x1x4x4xf16> to vector<4x4x1x4xf16>
      %21 = vector.transfer_read %expand_shape_5[%7#0, %13#2, %c0, %14], %0 {in_bounds = [true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<4x4xf16>
      %22 = vector.broadcast %21 : vector<4x4xf16> to vector<1x1x4x4xf16>
      %23 = vector.transpose %22, [0, 2, 1, 3] : vector<1x1x4x4xf16> to vector<1x4x1x4xf16>
      %24 = vector.extract %20[0, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %25 = vector.extract %23[0, 0] : vector<1x4xf16> from vector<1x4x1x4xf16>
      %26 = vector.shape_cast %24 : vector<1x4xf16> to vector<4xf16>
      %27 = vector.shape_cast %25 : vector<1x4xf16> to vector<4xf16>
      %28 = amdgpu.mfma 16x16x16 %26 * %27 + %cst_0 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %29 = vector.extract %20[1, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %30 = vector.shape_cast %29 : vector<1x4xf16> to vector<4xf16>
      %31 = amdgpu.mfma 16x16x16 %30 * %27 + %cst_0 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %32 = vector.extract %20[2, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %33 = vector.shape_cast %32 : vector<1x4xf16> to vector<4xf16>
      %34 = amdgpu.mfma 16x16x16 %33 * %27 + %cst_0 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %35 = vector.extract %20[3, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %36 = vector.shape_cast %35 : vector<1x4xf16> to vector<4xf16>
      %37 = amdgpu.mfma 16x16x16 %36 * %27 + %cst_0 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %38 = vector.extract %20[0, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %39 = vector.extract %23[0, 1] : vector<1x4xf16> from vector<1x4x1x4xf16>
      %40 = vector.shape_cast %38 : vector<1x4xf16> to vector<4xf16>
      %41 = vector.shape_cast %39 : vector<1x4xf16> to vector<4xf16>
      %42 = amdgpu.mfma 16x16x16 %40 * %41 + %28 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %43 = vector.extract %20[1, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %44 = vector.shape_cast %43 : vector<1x4xf16> to vector<4xf16>
      %45 = amdgpu.mfma 16x16x16 %44 * %41 + %31 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %46 = vector.extract %20[2, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %47 = vector.shape_cast %46 : vector<1x4xf16> to vector<4xf16>
      %48 = amdgpu.mfma 16x16x16 %47 * %41 + %34 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %49 = vector.extract %20[3, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %50 = vector.shape_cast %49 : vector<1x4xf16> to vector<4xf16>
      %51 = amdgpu.mfma 16x16x16 %50 * %41 + %37 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %52 = vector.extract %20[0, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %53 = vector.extract %23[0, 2] : vector<1x4xf16> from vector<1x4x1x4xf16>
      %54 = vector.shape_cast %52 : vector<1x4xf16> to vector<4xf16>
      %55 = vector.shape_cast %53 : vector<1x4xf16> to vector<4xf16>
      %56 = amdgpu.mfma 16x16x16 %54 * %55 + %42 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %57 = vector.extract %20[1, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %58 = vector.shape_cast %57 : vector<1x4xf16> to vector<4xf16>
      %59 = amdgpu.mfma 16x16x16 %58 * %55 + %45 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %60 = vector.extract %20[2, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %61 = vector.shape_cast %60 : vector<1x4xf16> to vector<4xf16>
      %62 = amdgpu.mfma 16x16x16 %61 * %55 + %48 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %63 = vector.extract %20[3, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %64 = vector.shape_cast %63 : vector<1x4xf16> to vector<4xf16>
      %65 = amdgpu.mfma 16x16x16 %64 * %55 + %51 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %66 = vector.extract %20[0, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %67 = vector.extract %23[0, 3] : vector<1x4xf16> from vector<1x4x1x4xf16>
      %68 = vector.shape_cast %66 : vector<1x4xf16> to vector<4xf16>
      %69 = vector.shape_cast %67 : vector<1x4xf16> to vector<4xf16>
      %70 = amdgpu.mfma 16x16x16 %68 * %69 + %56 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %71 = vector.shape_cast %70 : vector<4xf32> to vector<4x1xf32>
      %72 = vector.extract %20[1, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %73 = vector.shape_cast %72 : vector<1x4xf16> to vector<4xf16>
      %74 = amdgpu.mfma 16x16x16 %73 * %69 + %59 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %75 = vector.shape_cast %74 : vector<4xf32> to vector<4x1xf32>
      %76 = vector.extract %20[2, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %77 = vector.shape_cast %76 : vector<1x4xf16> to vector<4xf16>
      %78 = amdgpu.mfma 16x16x16 %77 * %69 + %62 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %79 = vector.shape_cast %78 : vector<4xf32> to vector<4x1xf32>
      %80 = vector.extract %20[3, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
      %81 = vector.shape_cast %80 : vector<1x4xf16> to vector<4xf16>
      %82 = amdgpu.mfma 16x16x16 %81 * %69 + %65 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %83 = vector.shape_cast %82 : vector<4xf32> to vector<4x1xf32>
      %84 = vector.insert_strided_slice %71, %cst {offsets = [0, 0, 0, 0], strides = [1, 1]} : vector<4x1xf32> into vector<4x1x4x1xf32>
      %85 = vector.insert_strided_slice %75, %84 {offsets = [1, 0, 0, 0], strides = [1, 1]} : vector<4x1xf32> into vector<4x1x4x1xf32>
      %86 = vector.insert_strided_slice %79, %85 {offsets = [2, 0, 0, 0], strides = [1, 1]} : vector<4x1xf32> into vector<4x1x4x1xf32>
      %87 = vector.insert_strided_slice %83, %86 {offsets = [3, 0, 0, 0], strides = [1, 1]} : vector<4x1xf32> into vector<4x1x4x1xf32>
      %88 = vector.transpose %87, [0, 2, 1, 3] : vector<4x1x4x1xf32> to vector<4x4x1x1xf32>
      vector.transfer_write %88, %expand_shape[%c0, %14, %7#0, %13#2] {in_bounds = [true, true, true, true]} : vector<4x4x1x1xf32>, memref<4x16x4x16xf32, #amdgpu.address_space<fat_raw_buffer>>
      gpu.barrier
      iree_codegen.workgroup_count_hint(1)
      memref.dealloc %alloc_1 : memref<64x68xf16, #gpu.address_space<workgroup>>
      memref.dealloc %alloc : memref<64x68xf16, #gpu.address_space<workgroup>>
      return
    }
  }
}


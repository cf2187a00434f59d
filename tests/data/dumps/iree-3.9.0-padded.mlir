// iree-base-compiler 3.9.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-hip-target=gfx942 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-after=iree-codegen-gpu-reduce-bank-conflicts
// -----// IR Dump After GPUReduceBankConflictsPass (iree-codegen-gpu-reduce-bank-conflicts) //----- //
func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUTileAndFuse workgroup_size = [256, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_shared_memory = true, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
  %cst_0 = arith.constant dense<0.000000e+00> : vector<4x1x4x1xf32>
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %0 = ub.poison : f16
  %thread_id_x = gpu.thread_id  x upper_bound 256
  %1 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
  %assume_align = memref.assume_alignment %1, 64 : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
  %2 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<64x64xf16, #hal.descriptor_type<storage_buffer>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %3 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
  %assume_align_1 = memref.assume_alignment %3, 64 : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
  %4 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<64x64xf16, #hal.descriptor_type<storage_buffer>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %5 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf32, #hal.descriptor_type<storage_buffer>>
  %assume_align_2 = memref.assume_alignment %5, 64 : memref<64x64xf32, #hal.descriptor_type<storage_buffer>>
  %6 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<64x64xf32, #hal.descriptor_type<storage_buffer>> to memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
  scf.forall (%arg0) in (1) {
    %alloc = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
    %subview = memref.subview %alloc[0, 0] [64, 64] [1, 1] : memref<64x68xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
    %alloc_3 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
    %subview_4 = memref.subview %alloc_3[0, 0] [64, 64] [1, 1] : memref<64x68xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
    %expand_shape = memref.expand_shape %6 [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>> into memref<4x16x4x16xf32, #amdgpu.address_space<fat_raw_buffer>>
    gpu.barrier
    %7:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
    gpu.barrier
    %8 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%c0)[%thread_id_x]
    %9:2 = affine.delinearize_index %8 into (64, 8) : index, index
    %10 = affine.apply affine_map<(d0) -> (d0 * 8)>(%9#1)
    %subview_5 = memref.subview %2[%9#0, %10] [1, 8] [1, 1] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>> to memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    %subview_6 = memref.subview %subview_4[%9#0, %10] [1, 8] [1, 1] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> to memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    %11 = vector.transfer_read %subview_5[%c0, %c0], %0 {in_bounds = [true, true]} : memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
    vector.transfer_write %11, %subview_6[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    %12 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%c256)[%thread_id_x]
    %13:2 = affine.delinearize_index %12 into (64, 8) : index, index
    %14 = affine.apply affine_map<(d0) -> (d0 * 8)>(%13#1)
    %subview_7 = memref.subview %2[%13#0, %14] [1, 8] [1, 1] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>> to memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    %subview_8 = memref.subview %subview_4[%13#0, %14] [1, 8] [1, 1] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> to memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    %15 = vector.transfer_read %subview_7[%c0, %c0], %0 {in_bounds = [true, true]} : memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
    vector.transfer_write %15, %subview_8[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    %16 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%c0)[%thread_id_x]
    %17:2 = affine.delinearize_index %16 into (64, 8) : index, index
    %18 = affine.apply affine_map<(d0) -> (d0 * 8)>(%17#1)
    %subview_9 = memref.subview %4[%17#0, %18] [1, 8] [1, 1] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>> to memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    %subview_10 = memref.subview %subview[%17#0, %18] [1, 8] [1, 1] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> to memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    %19 = vector.transfer_read %subview_9[%c0, %c0], %0 {in_bounds = [true, true]} : memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
    vector.transfer_write %19, %subview_10[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    %20 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%c256)[%thread_id_x]
    %21:2 = affine.delinearize_index %20 into (64, 8) : index, index
    %22 = affine.apply affine_map<(d0) -> (d0 * 8)>(%21#1)
    %subview_11 = memref.subview %4[%21#0, %22] [1, 8] [1, 1] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>> to memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    %subview_12 = memref.subview %subview[%21#0, %22] [1, 8] [1, 1] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> to memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    %23 = vector.transfer_read %subview_11[%c0, %c0], %0 {in_bounds = [true, true]} : memref<1x8xf16, strided<[64, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
    vector.transfer_write %23, %subview_12[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[68, 1], offset: ?>, #gpu.address_space<workgroup>>
    gpu.barrier
    %24:3 = affine.delinearize_index %7#1 into (4, 16) : index, index, index
    %25 = affine.linearize_index disjoint [%24#1, %c0] by (4, 4) : index
    %subview_13 = memref.subview %expand_shape[0, %25, %7#0, %24#2] [4, 4, 1, 1] [1, 1, 1, 1] : memref<4x16x4x16xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<4x4x1x1xf32, strided<[1024, 64, 16, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    %expand_shape_14 = memref.expand_shape %subview [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> into memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>
    %expand_shape_15 = memref.expand_shape %subview_4 [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> into memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>
    %26 = vector.transfer_read %expand_shape_15[%c0, %24#2, %c0, %25], %0 {in_bounds = [true, true, true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<4x1x4x4xf16>
    %27 = vector.transpose %26, [0, 2, 1, 3] : vector<4x1x4x4xf16> to vector<4x4x1x4xf16>
    %28 = vector.transfer_read %expand_shape_14[%7#0, %24#2, %c0, %25], %0 {in_bounds = [true, true, true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<1x1x4x4xf16>
    %29 = vector.transpose %28, [0, 2, 1, 3] : vector<1x1x4x4xf16> to vector<1x4x1x4xf16>
    %30 = vector.extract %27[0, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %31 = vector.extract %29[0, 0] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %32 = vector.shape_cast %30 : vector<1x4xf16> to vector<4xf16>
    %33 = vector.shape_cast %31 : vector<1x4xf16> to vector<4xf16>
    %34 = amdgpu.mfma 16x16x16 %32 * %33 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %35 = vector.extract %27[1, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %36 = vector.shape_cast %35 : vector<1x4xf16> to vector<4xf16>
    %37 = vector.shape_cast %31 : vector<1x4xf16> to vector<4xf16>
    %38 = amdgpu.mfma 16x16x16 %36 * %37 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %39 = vector.extract %27[2, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %40 = vector.shape_cast %39 : vector<1x4xf16> to vector<4xf16>
    %41 = vector.shape_cast %31 : vector<1x4xf16> to vector<4xf16>
    %42 = amdgpu.mfma 16x16x16 %40 * %41 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %43 = vector.extract %27[3, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %44 = vector.shape_cast %43 : vector<1x4xf16> to vector<4xf16>
    %45 = vector.shape_cast %31 : vector<1x4xf16> to vector<4xf16>
    %46 = amdgpu.mfma 16x16x16 %44 * %45 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %47 = vector.extract %27[0, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %48 = vector.extract %29[0, 1] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %49 = vector.shape_cast %47 : vector<1x4xf16> to vector<4xf16>
    %50 = vector.shape_cast %48 : vector<1x4xf16> to vector<4xf16>
    %51 = amdgpu.mfma 16x16x16 %49 * %50 + %34 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %52 = vector.extract %27[1, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %53 = vector.shape_cast %52 : vector<1x4xf16> to vector<4xf16>
    %54 = vector.shape_cast %48 : vector<1x4xf16> to vector<4xf16>
    %55 = amdgpu.mfma 16x16x16 %53 * %54 + %38 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %56 = vector.extract %27[2, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %57 = vector.shape_cast %56 : vector<1x4xf16> to vector<4xf16>
    %58 = vector.shape_cast %48 : vector<1x4xf16> to vector<4xf16>
    %59 = amdgpu.mfma 16x16x16 %57 * %58 + %42 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %60 = vector.extract %27[3, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %61 = vector.shape_cast %60 : vector<1x4xf16> to vector<4xf16>
    %62 = vector.shape_cast %48 : vector<1x4xf16> to vector<4xf16>
    %63 = amdgpu.mfma 16x16x16 %61 * %62 + %46 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %64 = vector.extract %27[0, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %65 = vector.extract %29[0, 2] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %66 = vector.shape_cast %64 : vector<1x4xf16> to vector<4xf16>
    %67 = vector.shape_cast %65 : vector<1x4xf16> to vector<4xf16>
    %68 = amdgpu.mfma 16x16x16 %66 * %67 + %51 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %69 = vector.extract %27[1, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %70 = vector.shape_cast %69 : vector<1x4xf16> to vector<4xf16>
    %71 = vector.shape_cast %65 : vector<1x4xf16> to vector<4xf16>
    %72 = amdgpu.mfma 16x16x16 %70 * %71 + %55 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %73 = vector.extract %27[2, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %74 = vector.shape_cast %73 : vector<1x4xf16> to vector<4xf16>
    %75 = vector.shape_cast %65 : vector<1x4xf16> to vector<4xf16>
    %76 = amdgpu.mfma 16x16x16 %74 * %75 + %59 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %77 = vector.extract %27[3, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %78 = vector.shape_cast %77 : vector<1x4xf16> to vector<4xf16>
    %79 = vector.shape_cast %65 : vector<1x4xf16> to vector<4xf16>
    %80 = amdgpu.mfma 16x16x16 %78 * %79 + %63 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %81 = vector.extract %27[0, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %82 = vector.extract %29[0, 3] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %83 = vector.shape_cast %81 : vector<1x4xf16> to vector<4xf16>
    %84 = vector.shape_cast %82 : vector<1x4xf16> to vector<4xf16>
    %85 = amdgpu.mfma 16x16x16 %83 * %84 + %68 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %86 = vector.shape_cast %85 : vector<4xf32> to vector<4x1xf32>
    %87 = vector.broadcast %86 : vector<4x1xf32> to vector<1x1x4x1xf32>
    %88 = vector.extract %27[1, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %89 = vector.shape_cast %88 : vector<1x4xf16> to vector<4xf16>
    %90 = vector.shape_cast %82 : vector<1x4xf16> to vector<4xf16>
    %91 = amdgpu.mfma 16x16x16 %89 * %90 + %72 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %92 = vector.shape_cast %91 : vector<4xf32> to vector<4x1xf32>
    %93 = vector.broadcast %92 : vector<4x1xf32> to vector<1x1x4x1xf32>
    %94 = vector.extract %27[2, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %95 = vector.shape_cast %94 : vector<1x4xf16> to vector<4xf16>
    %96 = vector.shape_cast %82 : vector<1x4xf16> to vector<4xf16>
    %97 = amdgpu.mfma 16x16x16 %95 * %96 + %76 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %98 = vector.shape_cast %97 : vector<4xf32> to vector<4x1xf32>
    %99 = vector.broadcast %98 : vector<4x1xf32> to vector<1x1x4x1xf32>
    %100 = vector.extract %27[3, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %101 = vector.shape_cast %100 : vector<1x4xf16> to vector<4xf16>
    %102 = vector.shape_cast %82 : vector<1x4xf16> to vector<4xf16>
    %103 = amdgpu.mfma 16x16x16 %101 * %102 + %80 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %104 = vector.shape_cast %103 : vector<4xf32> to vector<4x1xf32>
    %105 = vector.broadcast %104 : vector<4x1xf32> to vector<1x1x4x1xf32>
    %106 = vector.insert_strided_slice %87, %cst_0 {offsets = [0, 0, 0, 0], strides = [1, 1, 1, 1]} : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %107 = vector.insert_strided_slice %93, %106 {offsets = [1, 0, 0, 0], strides = [1, 1, 1, 1]} : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %108 = vector.insert_strided_slice %99, %107 {offsets = [2, 0, 0, 0], strides = [1, 1, 1, 1]} : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %109 = vector.insert_strided_slice %105, %108 {offsets = [3, 0, 0, 0], strides = [1, 1, 1, 1]} : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %110 = vector.transpose %109, [0, 2, 1, 3] : vector<4x1x4x1xf32> to vector<4x4x1x1xf32>
    vector.transfer_write %110, %subview_13[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<4x4x1x1xf32>, memref<4x4x1x1xf32, strided<[1024, 64, 16, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    gpu.barrier
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  return
}


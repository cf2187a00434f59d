// iree-base-compiler 3.13.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-after=iree-codegen-gpu-reduce-bank-conflicts
// -----// IR Dump After GPUReduceBankConflictsPass: iree-codegen-gpu-reduce-bank-conflicts{padding-bits=64} //----- //
func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [256, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = false>}>} {
  %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %0 = ub.poison : f16
  %cst_0 = arith.constant dense<0.000000e+00> : vector<4x1x4x1xf32>
  %thread_id_x = gpu.thread_id x upper_bound 256
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
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %7:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
    gpu.barrier memfence [#gpu.address_space<workgroup>]
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
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %24:3 = affine.delinearize_index %7#1 into (4, 16) : index, index, index
    %25 = iree_codegen.index_hint %24#1(#iree_gpu.lane_constant<16>) : index
    %26 = iree_codegen.index_hint %24#2(#iree_gpu.lane_increment<16, aligned>) : index
    %27 = affine.linearize_index disjoint [%25, %c0] by (4, 4) : index
    %subview_13 = memref.subview %expand_shape[0, %27, %7#0, %26] [4, 4, 1, 1] [1, 1, 1, 1] : memref<4x16x4x16xf32, #amdgpu.address_space<fat_raw_buffer>> to memref<4x4x1x1xf32, strided<[1024, 64, 16, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    %expand_shape_14 = memref.expand_shape %subview [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> into memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>
    %expand_shape_15 = memref.expand_shape %subview_4 [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>> into memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>
    %28 = vector.transfer_read %expand_shape_15[%c0, %26, %c0, %27], %0 {in_bounds = [true, true, true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<4x1x4x4xf16>
    %29 = vector.transpose %28, [0, 2, 1, 3] : vector<4x1x4x4xf16> to vector<4x4x1x4xf16>
    %30 = vector.transfer_read %expand_shape_14[%7#0, %26, %c0, %27], %0 {in_bounds = [true, true, true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<1x1x4x4xf16>
    %31 = vector.transpose %30, [0, 2, 1, 3] : vector<1x1x4x4xf16> to vector<1x4x1x4xf16>
    %32 = vector.extract %29[0, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %33 = vector.extract %31[0, 0] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %34 = vector.shape_cast %32 : vector<1x4xf16> to vector<4xf16>
    %35 = vector.shape_cast %33 : vector<1x4xf16> to vector<4xf16>
    %36 = amdgpu.mfma 16x16x16 %34 * %35 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %37 = vector.extract %29[1, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %38 = vector.shape_cast %37 : vector<1x4xf16> to vector<4xf16>
    %39 = vector.shape_cast %33 : vector<1x4xf16> to vector<4xf16>
    %40 = amdgpu.mfma 16x16x16 %38 * %39 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %41 = vector.extract %29[2, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %42 = vector.shape_cast %41 : vector<1x4xf16> to vector<4xf16>
    %43 = vector.shape_cast %33 : vector<1x4xf16> to vector<4xf16>
    %44 = amdgpu.mfma 16x16x16 %42 * %43 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %45 = vector.extract %29[3, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %46 = vector.shape_cast %45 : vector<1x4xf16> to vector<4xf16>
    %47 = vector.shape_cast %33 : vector<1x4xf16> to vector<4xf16>
    %48 = amdgpu.mfma 16x16x16 %46 * %47 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %49 = vector.extract %29[0, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %50 = vector.extract %31[0, 1] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %51 = vector.shape_cast %49 : vector<1x4xf16> to vector<4xf16>
    %52 = vector.shape_cast %50 : vector<1x4xf16> to vector<4xf16>
    %53 = amdgpu.mfma 16x16x16 %51 * %52 + %36 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %54 = vector.extract %29[1, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %55 = vector.shape_cast %54 : vector<1x4xf16> to vector<4xf16>
    %56 = vector.shape_cast %50 : vector<1x4xf16> to vector<4xf16>
    %57 = amdgpu.mfma 16x16x16 %55 * %56 + %40 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %58 = vector.extract %29[2, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %59 = vector.shape_cast %58 : vector<1x4xf16> to vector<4xf16>
    %60 = vector.shape_cast %50 : vector<1x4xf16> to vector<4xf16>
    %61 = amdgpu.mfma 16x16x16 %59 * %60 + %44 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %62 = vector.extract %29[3, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %63 = vector.shape_cast %62 : vector<1x4xf16> to vector<4xf16>
    %64 = vector.shape_cast %50 : vector<1x4xf16> to vector<4xf16>
    %65 = amdgpu.mfma 16x16x16 %63 * %64 + %48 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %66 = vector.extract %29[0, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %67 = vector.extract %31[0, 2] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %68 = vector.shape_cast %66 : vector<1x4xf16> to vector<4xf16>
    %69 = vector.shape_cast %67 : vector<1x4xf16> to vector<4xf16>
    %70 = amdgpu.mfma 16x16x16 %68 * %69 + %53 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %71 = vector.extract %29[1, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %72 = vector.shape_cast %71 : vector<1x4xf16> to vector<4xf16>
    %73 = vector.shape_cast %67 : vector<1x4xf16> to vector<4xf16>
    %74 = amdgpu.mfma 16x16x16 %72 * %73 + %57 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %75 = vector.extract %29[2, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %76 = vector.shape_cast %75 : vector<1x4xf16> to vector<4xf16>
    %77 = vector.shape_cast %67 : vector<1x4xf16> to vector<4xf16>
    %78 = amdgpu.mfma 16x16x16 %76 * %77 + %61 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %79 = vector.extract %29[3, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %80 = vector.shape_cast %79 : vector<1x4xf16> to vector<4xf16>
    %81 = vector.shape_cast %67 : vector<1x4xf16> to vector<4xf16>
    %82 = amdgpu.mfma 16x16x16 %80 * %81 + %65 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %83 = vector.extract %29[0, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %84 = vector.extract %31[0, 3] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %85 = vector.shape_cast %83 : vector<1x4xf16> to vector<4xf16>
    %86 = vector.shape_cast %84 : vector<1x4xf16> to vector<4xf16>
    %87 = amdgpu.mfma 16x16x16 %85 * %86 + %70 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %88 = vector.shape_cast %87 : vector<4xf32> to vector<1x1x4x1xf32>
    %89 = vector.extract %29[1, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %90 = vector.shape_cast %89 : vector<1x4xf16> to vector<4xf16>
    %91 = vector.shape_cast %84 : vector<1x4xf16> to vector<4xf16>
    %92 = amdgpu.mfma 16x16x16 %90 * %91 + %74 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %93 = vector.shape_cast %92 : vector<4xf32> to vector<1x1x4x1xf32>
    %94 = vector.extract %29[2, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %95 = vector.shape_cast %94 : vector<1x4xf16> to vector<4xf16>
    %96 = vector.shape_cast %84 : vector<1x4xf16> to vector<4xf16>
    %97 = amdgpu.mfma 16x16x16 %95 * %96 + %78 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %98 = vector.shape_cast %97 : vector<4xf32> to vector<1x1x4x1xf32>
    %99 = vector.extract %29[3, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %100 = vector.shape_cast %99 : vector<1x4xf16> to vector<4xf16>
    %101 = vector.shape_cast %84 : vector<1x4xf16> to vector<4xf16>
    %102 = amdgpu.mfma 16x16x16 %100 * %101 + %82 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %103 = vector.shape_cast %102 : vector<4xf32> to vector<1x1x4x1xf32>
    %104 = vector.insert_strided_slice %88, %cst_0 offsets = [0, 0, 0, 0], strides = [1, 1, 1, 1] : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %105 = vector.insert_strided_slice %93, %104 offsets = [1, 0, 0, 0], strides = [1, 1, 1, 1] : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %106 = vector.insert_strided_slice %98, %105 offsets = [2, 0, 0, 0], strides = [1, 1, 1, 1] : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %107 = vector.insert_strided_slice %103, %106 offsets = [3, 0, 0, 0], strides = [1, 1, 1, 1] : vector<1x1x4x1xf32> into vector<4x1x4x1xf32>
    %108 = vector.transpose %107, [0, 2, 1, 3] : vector<4x1x4x1xf32> to vector<4x4x1x1xf32>
    vector.transfer_write %108, %subview_13[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<4x4x1x1xf32>, memref<4x4x1x1xf32, strided<[1024, 64, 16, 1], offset: ?>, #amdgpu.address_space<fat_raw_buffer>>
    gpu.barrier memfence [#gpu.address_space<workgroup>]
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  return
}


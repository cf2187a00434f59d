// iree-base-compiler 3.12.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-after=iree-codegen-reconcile-translation-info
// -----// IR Dump After ReconcileTranslationInfoPass: iree-codegen-reconcile-translation-info{distribute-along=x} //----- //
module {
  func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
    %cst = arith.constant dense<0.000000e+00> : vector<4x1x4x1xf32>
    %0 = ub.poison : f16
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant dense<0.000000e+00> : vector<4xf32>
    %alloc = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
    %alloc_1 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
    %thread_id_x = gpu.thread_id x upper_bound 256
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
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %15 = vector.transfer_read %2[%8#0, %9], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    vector.transfer_write %15, %alloc[%8#0, %9] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
    %16 = vector.transfer_read %2[%11#0, %12], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    vector.transfer_write %16, %alloc[%11#0, %12] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
    %17 = vector.transfer_read %4[%8#0, %9], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    vector.transfer_write %17, %alloc_1[%8#0, %9] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
    %18 = vector.transfer_read %4[%11#0, %12], %0 {in_bounds = [true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    vector.transfer_write %18, %alloc_1[%11#0, %12] {in_bounds = [true]} : vector<8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %19 = vector.transfer_read %expand_shape_6[%c0, %13#2, %c0, %14], %0 {in_bounds = [true, true, true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<4x1x4x4xf16>
    %20 = vector.transpose %19, [0, 2, 1, 3] : vector<4x1x4x4xf16> to vector<4x4x1x4xf16>
    %21 = vector.transfer_read %expand_shape_5[%7#0, %13#2, %c0, %14], %0 {in_bounds = [true, true]} : memref<4x16x4x16xf16, strided<[1088, 68, 16, 1]>, #gpu.address_space<workgroup>>, vector<4x4xf16>
    %22 = vector.shape_cast %21 : vector<4x4xf16> to vector<1x4x1x4xf16>
    %23 = vector.extract %20[0, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %24 = vector.extract %22[0, 0] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %25 = vector.shape_cast %23 : vector<1x4xf16> to vector<4xf16>
    %26 = vector.shape_cast %24 : vector<1x4xf16> to vector<4xf16>
    %27 = amdgpu.mfma 16x16x16 %25 * %26 + %cst_0 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %28 = vector.extract %20[1, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %29 = vector.shape_cast %28 : vector<1x4xf16> to vector<4xf16>
    %30 = amdgpu.mfma 16x16x16 %29 * %26 + %cst_0 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %31 = vector.extract %20[2, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %32 = vector.shape_cast %31 : vector<1x4xf16> to vector<4xf16>
    %33 = amdgpu.mfma 16x16x16 %32 * %26 + %cst_0 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %34 = vector.extract %20[3, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %35 = vector.shape_cast %34 : vector<1x4xf16> to vector<4xf16>
    %36 = amdgpu.mfma 16x16x16 %35 * %26 + %cst_0 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %37 = vector.extract %20[0, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %38 = vector.extract %22[0, 1] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %39 = vector.shape_cast %37 : vector<1x4xf16> to vector<4xf16>
    %40 = vector.shape_cast %38 : vector<1x4xf16> to vector<4xf16>
    %41 = amdgpu.mfma 16x16x16 %39 * %40 + %27 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %42 = vector.extract %20[1, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %43 = vector.shape_cast %42 : vector<1x4xf16> to vector<4xf16>
    %44 = amdgpu.mfma 16x16x16 %43 * %40 + %30 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %45 = vector.extract %20[2, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %46 = vector.shape_cast %45 : vector<1x4xf16> to vector<4xf16>
    %47 = amdgpu.mfma 16x16x16 %46 * %40 + %33 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %48 = vector.extract %20[3, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %49 = vector.shape_cast %48 : vector<1x4xf16> to vector<4xf16>
    %50 = amdgpu.mfma 16x16x16 %49 * %40 + %36 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %51 = vector.extract %20[0, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %52 = vector.extract %22[0, 2] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %53 = vector.shape_cast %51 : vector<1x4xf16> to vector<4xf16>
    %54 = vector.shape_cast %52 : vector<1x4xf16> to vector<4xf16>
    %55 = amdgpu.mfma 16x16x16 %53 * %54 + %41 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %56 = vector.extract %20[1, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %57 = vector.shape_cast %56 : vector<1x4xf16> to vector<4xf16>
    %58 = amdgpu.mfma 16x16x16 %57 * %54 + %44 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %59 = vector.extract %20[2, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %60 = vector.shape_cast %59 : vector<1x4xf16> to vector<4xf16>
    %61 = amdgpu.mfma 16x16x16 %60 * %54 + %47 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %62 = vector.extract %20[3, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %63 = vector.shape_cast %62 : vector<1x4xf16> to vector<4xf16>
    %64 = amdgpu.mfma 16x16x16 %63 * %54 + %50 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %65 = vector.extract %20[0, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %66 = vector.extract %22[0, 3] : vector<1x4xf16> from vector<1x4x1x4xf16>
    %67 = vector.shape_cast %65 : vector<1x4xf16> to vector<4xf16>
    %68 = vector.shape_cast %66 : vector<1x4xf16> to vector<4xf16>
    %69 = amdgpu.mfma 16x16x16 %67 * %68 + %55 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %70 = vector.extract %20[1, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %71 = vector.shape_cast %70 : vector<1x4xf16> to vector<4xf16>
    %72 = amdgpu.mfma 16x16x16 %71 * %68 + %58 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %73 = vector.extract %20[2, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %74 = vector.shape_cast %73 : vector<1x4xf16> to vector<4xf16>
    %75 = amdgpu.mfma 16x16x16 %74 * %68 + %61 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %76 = vector.extract %20[3, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
    %77 = vector.shape_cast %76 : vector<1x4xf16> to vector<4xf16>
    %78 = amdgpu.mfma 16x16x16 %77 * %68 + %64 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %79 = vector.shape_cast %69 : vector<4xf32> to vector<4x1xf32>
    %80 = vector.insert_strided_slice %79, %cst offsets = [0, 0, 0, 0], strides = [1, 1] : vector<4x1xf32> into vector<4x1x4x1xf32>
    %81 = vector.shape_cast %72 : vector<4xf32> to vector<4x1xf32>
    %82 = vector.insert_strided_slice %81, %80 offsets = [1, 0, 0, 0], strides = [1, 1] : vector<4x1xf32> into vector<4x1x4x1xf32>
    %83 = vector.shape_cast %75 : vector<4xf32> to vector<4x1xf32>
    %84 = vector.insert_strided_slice %83, %82 offsets = [2, 0, 0, 0], strides = [1, 1] : vector<4x1xf32> into vector<4x1x4x1xf32>
    %85 = vector.shape_cast %78 : vector<4xf32> to vector<4x1xf32>
    %86 = vector.insert_strided_slice %85, %84 offsets = [3, 0, 0, 0], strides = [1, 1] : vector<4x1xf32> into vector<4x1x4x1xf32>
    %87 = vector.transpose %86, [0, 2, 1, 3] : vector<4x1x4x1xf32> to vector<4x4x1x1xf32>
    vector.transfer_write %87, %expand_shape[%c0, %14, %7#0, %13#2] {in_bounds = [true, true, true, true]} : vector<4x4x1x1xf32>, memref<4x16x4x16xf32, #amdgpu.address_space<fat_raw_buffer>>
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    iree_codegen.workgroup_count_hint(1)
    memref.dealloc %alloc_1 : memref<64x68xf16, #gpu.address_space<workgroup>>
    memref.dealloc %alloc : memref<64x68xf16, #gpu.address_space<workgroup>>
    return
  }
  iree_codegen.dispatch_config @mm_dispatch_0_matmul_64x64x64_f16xf16xf32 workgroup_size = [256, 1, 1] subgroup_size = 64 {
  ^bb0(%arg0: !hal.device):
    %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
    iree_codegen.yield %x, %y, %z : index, index, index
  }
}


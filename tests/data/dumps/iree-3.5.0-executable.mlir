// iree-base-compiler 3.5.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-hip-target=gfx942 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-after=iree-codegen-reconcile-translation-info
// -----// IR Dump After ReconcileTranslationInfoPass (iree-codegen-reconcile-translation-info) //----- //
hal.executable.variant public @rocm_hsaco_fb target(<"rocm", "rocm-hsaco-fb", {abi = "hip", iree.gpu.target = #iree_gpu.target<arch = "gfx942", features = "", wgp = <compute =  fp64|fp32|fp16|int64|int32|int16|int8, storage =  b64|b32|b16|b8, subgroup =  shuffle|arithmetic, dot =  dp4xi8toi32, mma = [<MFMA_F32_16x16x16_BF16>, <MFMA_F32_32x32x8_BF16>, <MFMA_F32_16x16x32_F8E5M2FNUZ>, <MFMA_F32_16x16x32_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ>, <MFMA_F32_16x16x32_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ>, <MFMA_F32_32x32x16_F8E5M2FNUZ_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ>, <MFMA_F32_32x32x16_F8E4M3FNUZ_F8E5M2FNUZ>, <MFMA_I32_16x16x32_I8>, <MFMA_I32_32x32x16_I8>, <MFMA_F64_16x16x4_F64>, <MFMA_F32_16x16x4_F32>, <MFMA_F32_16x16x16_F16>, <MFMA_F32_32x32x8_F16>], subgroup_size_choices = [64], max_workgroup_sizes = [1024, 1024, 1024], max_thread_count_per_workgroup = 1024, max_workgroup_memory_bytes = 65536, max_workgroup_counts = [2147483647, 2147483647, 2147483647], max_load_instruction_bits = 128, simds_per_wgp = 4, vgpr_space_bits = 16384>>, iree_codegen.default_tuning_spec = #rocm.builtin.tuning_module<"iree_default_tuning_spec_gfx942.mlir">, ukernels = "none"}>) {
  hal.executable.export public @mm_dispatch_0_matmul_64x64x64_f16xf16xf32 ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) count(%arg0: !hal.device) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    %c1_1 = arith.constant 1 : index
    hal.return %c1, %c1_0, %c1_1 : index, index, index
  } attributes {subgroup_size = 64 : index, workgroup_size = [256 : index, 1 : index, 1 : index]}
  builtin.module {
    func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() {
      %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
      %cst_0 = arith.constant dense<0.000000e+00> : vector<1x4x1x1x1x4xf16>
      %c3 = arith.constant 3 : index
      %c2 = arith.constant 2 : index
      %cst_1 = arith.constant dense<0.000000e+00> : vector<4x4x1x1x1x4xf16>
      %c1 = arith.constant 1 : index
      %cst_2 = arith.constant 0.000000e+00 : f16
      %c0 = arith.constant 0 : index
      %thread_id_x = gpu.thread_id  x
      gpu.barrier
      %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %assume_align = memref.assume_alignment %0, 64 : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<64x64xf16, #hal.descriptor_type<storage_buffer>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
      %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %assume_align_3 = memref.assume_alignment %2, 64 : memref<64x64xf16, #hal.descriptor_type<storage_buffer>>
      %3 = amdgpu.fat_raw_buffer_cast %assume_align_3 resetOffset : memref<64x64xf16, #hal.descriptor_type<storage_buffer>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
      %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<64x64xf32, #hal.descriptor_type<storage_buffer>>
      %assume_align_4 = memref.assume_alignment %4, 64 : memref<64x64xf32, #hal.descriptor_type<storage_buffer>>
      %5 = amdgpu.fat_raw_buffer_cast %assume_align_4 resetOffset : memref<64x64xf32, #hal.descriptor_type<storage_buffer>> to memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
      %6:3 = affine.delinearize_index %thread_id_x into (32, 8) : index, index, index
      %7 = affine.linearize_index disjoint [%6#2, %c0] by (8, 8) : index
      %8 = vector.transfer_read %1[%6#1, %7], %cst_2 {in_bounds = [true, true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
      %9 = affine.linearize_index disjoint [%c1, %6#1] by (2, 32) : index
      %10 = vector.transfer_read %1[%9, %7], %cst_2 {in_bounds = [true, true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
      %11 = vector.transfer_read %3[%6#1, %7], %cst_2 {in_bounds = [true, true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
      %12 = vector.transfer_read %3[%9, %7], %cst_2 {in_bounds = [true, true]} : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<1x8xf16>
      %alloc = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
      vector.transfer_write %8, %alloc[%6#1, %7] {in_bounds = [true, true]} : vector<1x8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      vector.transfer_write %10, %alloc[%9, %7] {in_bounds = [true, true]} : vector<1x8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      %alloc_5 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
      vector.transfer_write %11, %alloc_5[%6#1, %7] {in_bounds = [true, true]} : vector<1x8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      vector.transfer_write %12, %alloc_5[%9, %7] {in_bounds = [true, true]} : vector<1x8xf16>, memref<64x68xf16, #gpu.address_space<workgroup>>
      gpu.barrier
      %13:3 = affine.delinearize_index %thread_id_x into (4, 16) : index, index, index
      %14 = affine.linearize_index disjoint [%13#1, %c0] by (4, 4) : index
      %15 = vector.transfer_read %alloc[%13#2, %14], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %16 = vector.insert_strided_slice %15, %cst_1 {offsets = [0, 0, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %17 = affine.linearize_index disjoint [%c1, %13#1, %c0] by (4, 4, 4) : index
      %18 = vector.transfer_read %alloc[%13#2, %17], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %19 = vector.insert_strided_slice %18, %16 {offsets = [0, 1, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %20 = affine.linearize_index disjoint [%c2, %13#1, %c0] by (4, 4, 4) : index
      %21 = vector.transfer_read %alloc[%13#2, %20], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %22 = vector.insert_strided_slice %21, %19 {offsets = [0, 2, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %23 = affine.linearize_index disjoint [%c3, %13#1, %c0] by (4, 4, 4) : index
      %24 = vector.transfer_read %alloc[%13#2, %23], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %25 = vector.insert_strided_slice %24, %22 {offsets = [0, 3, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %26 = affine.linearize_index disjoint [%c1, %13#2] by (4, 16) : index
      %27 = vector.transfer_read %alloc[%26, %14], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %28 = vector.insert_strided_slice %27, %25 {offsets = [1, 0, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %29 = vector.transfer_read %alloc[%26, %17], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %30 = vector.insert_strided_slice %29, %28 {offsets = [1, 1, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %31 = vector.transfer_read %alloc[%26, %20], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %32 = vector.insert_strided_slice %31, %30 {offsets = [1, 2, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %33 = vector.transfer_read %alloc[%26, %23], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %34 = vector.insert_strided_slice %33, %32 {offsets = [1, 3, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %35 = affine.linearize_index disjoint [%c2, %13#2] by (4, 16) : index
      %36 = vector.transfer_read %alloc[%35, %14], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %37 = vector.insert_strided_slice %36, %34 {offsets = [2, 0, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %38 = vector.transfer_read %alloc[%35, %17], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %39 = vector.insert_strided_slice %38, %37 {offsets = [2, 1, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %40 = vector.transfer_read %alloc[%35, %20], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %41 = vector.insert_strided_slice %40, %39 {offsets = [2, 2, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %42 = vector.transfer_read %alloc[%35, %23], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %43 = vector.insert_strided_slice %42, %41 {offsets = [2, 3, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %44 = affine.linearize_index disjoint [%c3, %13#2] by (4, 16) : index
      %45 = vector.transfer_read %alloc[%44, %14], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %46 = vector.insert_strided_slice %45, %43 {offsets = [3, 0, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %47 = vector.transfer_read %alloc[%44, %17], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %48 = vector.insert_strided_slice %47, %46 {offsets = [3, 1, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %49 = vector.transfer_read %alloc[%44, %20], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %50 = vector.insert_strided_slice %49, %48 {offsets = [3, 2, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %51 = vector.transfer_read %alloc[%44, %23], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %52 = vector.insert_strided_slice %51, %50 {offsets = [3, 3, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<4x4x1x1x1x4xf16>
      %53:3 = affine.delinearize_index %thread_id_x into (4, 64) : index, index, index
      %54 = affine.linearize_index disjoint [%53#1, %13#2] by (4, 16) : index
      %55 = vector.transfer_read %alloc_5[%54, %14], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %56 = vector.insert_strided_slice %55, %cst_0 {offsets = [0, 0, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<1x4x1x1x1x4xf16>
      %57 = vector.transfer_read %alloc_5[%54, %17], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %58 = vector.insert_strided_slice %57, %56 {offsets = [0, 1, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<1x4x1x1x1x4xf16>
      %59 = vector.transfer_read %alloc_5[%54, %20], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %60 = vector.insert_strided_slice %59, %58 {offsets = [0, 2, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<1x4x1x1x1x4xf16>
      %61 = vector.transfer_read %alloc_5[%54, %23], %cst_2 {in_bounds = [true, true]} : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1x4xf16>
      %62 = vector.insert_strided_slice %61, %60 {offsets = [0, 3, 0, 0, 0, 0], strides = [1, 1]} : vector<1x4xf16> into vector<1x4x1x1x1x4xf16>
      %63 = vector.extract %52[0, 0] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %64 = vector.extract %62[0, 0] : vector<1x1x1x4xf16> from vector<1x4x1x1x1x4xf16>
      %65 = vector.shape_cast %63 : vector<1x1x1x4xf16> to vector<4xf16>
      %66 = vector.shape_cast %64 : vector<1x1x1x4xf16> to vector<4xf16>
      %67 = amdgpu.mfma %65 * %66 + %cst {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %68 = vector.extract %52[0, 1] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %69 = vector.extract %62[0, 1] : vector<1x1x1x4xf16> from vector<1x4x1x1x1x4xf16>
      %70 = vector.shape_cast %68 : vector<1x1x1x4xf16> to vector<4xf16>
      %71 = vector.shape_cast %69 : vector<1x1x1x4xf16> to vector<4xf16>
      %72 = amdgpu.mfma %70 * %71 + %67 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %73 = vector.extract %52[0, 2] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %74 = vector.extract %62[0, 2] : vector<1x1x1x4xf16> from vector<1x4x1x1x1x4xf16>
      %75 = vector.shape_cast %73 : vector<1x1x1x4xf16> to vector<4xf16>
      %76 = vector.shape_cast %74 : vector<1x1x1x4xf16> to vector<4xf16>
      %77 = amdgpu.mfma %75 * %76 + %72 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %78 = vector.extract %52[0, 3] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %79 = vector.extract %62[0, 3] : vector<1x1x1x4xf16> from vector<1x4x1x1x1x4xf16>
      %80 = vector.shape_cast %78 : vector<1x1x1x4xf16> to vector<4xf16>
      %81 = vector.shape_cast %79 : vector<1x1x1x4xf16> to vector<4xf16>
      %82 = amdgpu.mfma %80 * %81 + %77 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %83 = vector.extract %52[1, 0] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %84 = vector.shape_cast %83 : vector<1x1x1x4xf16> to vector<4xf16>
      %85 = amdgpu.mfma %84 * %66 + %cst {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %86 = vector.extract %52[1, 1] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %87 = vector.shape_cast %86 : vector<1x1x1x4xf16> to vector<4xf16>
      %88 = amdgpu.mfma %87 * %71 + %85 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %89 = vector.extract %52[1, 2] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %90 = vector.shape_cast %89 : vector<1x1x1x4xf16> to vector<4xf16>
      %91 = amdgpu.mfma %90 * %76 + %88 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %92 = vector.extract %52[1, 3] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %93 = vector.shape_cast %92 : vector<1x1x1x4xf16> to vector<4xf16>
      %94 = amdgpu.mfma %93 * %81 + %91 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %95 = vector.extract %52[2, 0] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %96 = vector.shape_cast %95 : vector<1x1x1x4xf16> to vector<4xf16>
      %97 = amdgpu.mfma %96 * %66 + %cst {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %98 = vector.extract %52[2, 1] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %99 = vector.shape_cast %98 : vector<1x1x1x4xf16> to vector<4xf16>
      %100 = amdgpu.mfma %99 * %71 + %97 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %101 = vector.extract %52[2, 2] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %102 = vector.shape_cast %101 : vector<1x1x1x4xf16> to vector<4xf16>
      %103 = amdgpu.mfma %102 * %76 + %100 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %104 = vector.extract %52[2, 3] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %105 = vector.shape_cast %104 : vector<1x1x1x4xf16> to vector<4xf16>
      %106 = amdgpu.mfma %105 * %81 + %103 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %107 = vector.extract %52[3, 0] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %108 = vector.shape_cast %107 : vector<1x1x1x4xf16> to vector<4xf16>
      %109 = amdgpu.mfma %108 * %66 + %cst {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %110 = vector.extract %52[3, 1] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %111 = vector.shape_cast %110 : vector<1x1x1x4xf16> to vector<4xf16>
      %112 = amdgpu.mfma %111 * %71 + %109 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %113 = vector.extract %52[3, 2] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %114 = vector.shape_cast %113 : vector<1x1x1x4xf16> to vector<4xf16>
      %115 = amdgpu.mfma %114 * %76 + %112 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %116 = vector.extract %52[3, 3] : vector<1x1x1x4xf16> from vector<4x4x1x1x1x4xf16>
      %117 = vector.shape_cast %116 : vector<1x1x1x4xf16> to vector<4xf16>
      %118 = amdgpu.mfma %117 * %81 + %115 {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
      %119 = vector.shape_cast %82 : vector<4xf32> to vector<4x1xf32>
      vector.transfer_write %119, %5[%14, %54] {in_bounds = [true, true]} : vector<4x1xf32>, memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
      %120 = vector.shape_cast %94 : vector<4xf32> to vector<4x1xf32>
      vector.transfer_write %120, %5[%17, %54] {in_bounds = [true, true]} : vector<4x1xf32>, memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
      %121 = vector.shape_cast %106 : vector<4xf32> to vector<4x1xf32>
      vector.transfer_write %121, %5[%20, %54] {in_bounds = [true, true]} : vector<4x1xf32>, memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
      %122 = vector.shape_cast %118 : vector<4xf32> to vector<4x1xf32>
      vector.transfer_write %122, %5[%23, %54] {in_bounds = [true, true]} : vector<4x1xf32>, memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
      return
    }
  }
}


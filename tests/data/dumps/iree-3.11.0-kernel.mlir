// iree-base-compiler 3.11.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints
// -----// IR Dump After ResolveSwizzleHintsPass (iree-codegen-resolve-swizzle-hints) //----- //
func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() {
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
  %c48 = arith.constant 48 : index
  %c32 = arith.constant 32 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %0 = ub.poison : vector<4x4xf16>
  %1 = ub.poison : vector<4x1x4x4xf16>
  %c0 = arith.constant 0 : index
  %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
  %alloc = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
  %alloc_0 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
  %thread_id_x = gpu.thread_id x upper_bound 256
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %2, 64 : memref<64x64xf16, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<64x64xf16, #gpu.address_space<global>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #gpu.address_space<global>>
  %assume_align_1 = memref.assume_alignment %4, 64 : memref<64x64xf16, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<64x64xf16, #gpu.address_space<global>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %6 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf32, #gpu.address_space<global>>
  %assume_align_2 = memref.assume_alignment %6, 64 : memref<64x64xf32, #gpu.address_space<global>>
  %7 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<64x64xf32, #gpu.address_space<global>> to memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
  %8:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
  %9:2 = affine.delinearize_index %thread_id_x into (64, 8) : index, index
  %10 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%9#1]
  %11 = arith.addi %thread_id_x, %c256 overflow<nsw> : index
  %12:2 = affine.delinearize_index %11 into (64, 8) : index, index
  %13 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%12#1]
  %14:3 = affine.delinearize_index %8#1 into (4, 16) : index, index, index
  %15 = affine.linearize_index disjoint [%14#1, %c0] by (4, 4) : index
  %16 = vector.load %3[%9#0, %10] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %16, %alloc[%9#0, %10] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %17 = vector.load %3[%12#0, %13] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %17, %alloc[%12#0, %13] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %18 = vector.load %5[%9#0, %10] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %18, %alloc_0[%9#0, %10] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %19 = vector.load %5[%12#0, %13] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %19, %alloc_0[%12#0, %13] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %20 = affine.linearize_index [%c0, %14#2] by (4, 16) : index
  %21 = affine.linearize_index [%c0, %15] by (4, 16) : index
  %22 = vector.load %alloc[%20, %21] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %23 = vector.insert %22, %1 [0, 0, 0] : vector<4xf16> into vector<4x1x4x4xf16>
  %24 = arith.addi %21, %c16 overflow<nsw> : index
  %25 = vector.load %alloc[%20, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %26 = vector.insert %25, %23 [0, 0, 1] : vector<4xf16> into vector<4x1x4x4xf16>
  %27 = arith.addi %21, %c32 overflow<nsw> : index
  %28 = vector.load %alloc[%20, %27] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %29 = vector.insert %28, %26 [0, 0, 2] : vector<4xf16> into vector<4x1x4x4xf16>
  %30 = arith.addi %21, %c48 overflow<nsw> : index
  %31 = vector.load %alloc[%20, %30] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %32 = vector.insert %31, %29 [0, 0, 3] : vector<4xf16> into vector<4x1x4x4xf16>
  %33 = arith.addi %20, %c16 overflow<nsw> : index
  %34 = vector.load %alloc[%33, %21] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %35 = vector.insert %34, %32 [1, 0, 0] : vector<4xf16> into vector<4x1x4x4xf16>
  %36 = vector.load %alloc[%33, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %37 = vector.insert %36, %35 [1, 0, 1] : vector<4xf16> into vector<4x1x4x4xf16>
  %38 = vector.load %alloc[%33, %27] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %39 = vector.insert %38, %37 [1, 0, 2] : vector<4xf16> into vector<4x1x4x4xf16>
  %40 = vector.load %alloc[%33, %30] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %41 = vector.insert %40, %39 [1, 0, 3] : vector<4xf16> into vector<4x1x4x4xf16>
  %42 = arith.addi %20, %c32 overflow<nsw> : index
  %43 = vector.load %alloc[%42, %21] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %44 = vector.insert %43, %41 [2, 0, 0] : vector<4xf16> into vector<4x1x4x4xf16>
  %45 = vector.load %alloc[%42, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %46 = vector.insert %45, %44 [2, 0, 1] : vector<4xf16> into vector<4x1x4x4xf16>
  %47 = vector.load %alloc[%42, %27] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %48 = vector.insert %47, %46 [2, 0, 2] : vector<4xf16> into vector<4x1x4x4xf16>
  %49 = vector.load %alloc[%42, %30] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %50 = vector.insert %49, %48 [2, 0, 3] : vector<4xf16> into vector<4x1x4x4xf16>
  %51 = arith.addi %20, %c48 overflow<nsw> : index
  %52 = vector.load %alloc[%51, %21] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %53 = vector.insert %52, %50 [3, 0, 0] : vector<4xf16> into vector<4x1x4x4xf16>
  %54 = vector.load %alloc[%51, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %55 = vector.insert %54, %53 [3, 0, 1] : vector<4xf16> into vector<4x1x4x4xf16>
  %56 = vector.load %alloc[%51, %27] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %57 = vector.insert %56, %55 [3, 0, 2] : vector<4xf16> into vector<4x1x4x4xf16>
  %58 = vector.load %alloc[%51, %30] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %59 = vector.insert %58, %57 [3, 0, 3] : vector<4xf16> into vector<4x1x4x4xf16>
  %60 = vector.transpose %59, [0, 2, 1, 3] : vector<4x1x4x4xf16> to vector<4x4x1x4xf16>
  %61 = affine.linearize_index [%8#0, %14#2] by (4, 16) : index
  %62 = vector.load %alloc_0[%61, %21] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %63 = vector.insert %62, %0 [0] : vector<4xf16> into vector<4x4xf16>
  %64 = vector.load %alloc_0[%61, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %65 = vector.insert %64, %63 [1] : vector<4xf16> into vector<4x4xf16>
  %66 = vector.load %alloc_0[%61, %27] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %67 = vector.insert %66, %65 [2] : vector<4xf16> into vector<4x4xf16>
  %68 = vector.load %alloc_0[%61, %30] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %69 = vector.insert %68, %67 [3] : vector<4xf16> into vector<4x4xf16>
  %70 = vector.shape_cast %69 : vector<4x4xf16> to vector<1x4x1x4xf16>
  %71 = vector.extract %60[0, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %72 = vector.extract %70[0, 0] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %73 = vector.shape_cast %71 : vector<1x4xf16> to vector<4xf16>
  %74 = vector.shape_cast %72 : vector<1x4xf16> to vector<4xf16>
  %75 = amdgpu.mfma 16x16x16 %73 * %74 + %cst blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %76 = vector.extract %60[1, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %77 = vector.shape_cast %76 : vector<1x4xf16> to vector<4xf16>
  %78 = amdgpu.mfma 16x16x16 %77 * %74 + %cst blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %79 = vector.extract %60[2, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %80 = vector.shape_cast %79 : vector<1x4xf16> to vector<4xf16>
  %81 = amdgpu.mfma 16x16x16 %80 * %74 + %cst blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %82 = vector.extract %60[3, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %83 = vector.shape_cast %82 : vector<1x4xf16> to vector<4xf16>
  %84 = amdgpu.mfma 16x16x16 %83 * %74 + %cst blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %85 = vector.extract %60[0, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %86 = vector.extract %70[0, 1] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %87 = vector.shape_cast %85 : vector<1x4xf16> to vector<4xf16>
  %88 = vector.shape_cast %86 : vector<1x4xf16> to vector<4xf16>
  %89 = amdgpu.mfma 16x16x16 %87 * %88 + %75 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %90 = vector.extract %60[1, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %91 = vector.shape_cast %90 : vector<1x4xf16> to vector<4xf16>
  %92 = amdgpu.mfma 16x16x16 %91 * %88 + %78 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %93 = vector.extract %60[2, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %94 = vector.shape_cast %93 : vector<1x4xf16> to vector<4xf16>
  %95 = amdgpu.mfma 16x16x16 %94 * %88 + %81 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %96 = vector.extract %60[3, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %97 = vector.shape_cast %96 : vector<1x4xf16> to vector<4xf16>
  %98 = amdgpu.mfma 16x16x16 %97 * %88 + %84 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %99 = vector.extract %60[0, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %100 = vector.extract %70[0, 2] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %101 = vector.shape_cast %99 : vector<1x4xf16> to vector<4xf16>
  %102 = vector.shape_cast %100 : vector<1x4xf16> to vector<4xf16>
  %103 = amdgpu.mfma 16x16x16 %101 * %102 + %89 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %104 = vector.extract %60[1, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %105 = vector.shape_cast %104 : vector<1x4xf16> to vector<4xf16>
  %106 = amdgpu.mfma 16x16x16 %105 * %102 + %92 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %107 = vector.extract %60[2, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %108 = vector.shape_cast %107 : vector<1x4xf16> to vector<4xf16>
  %109 = amdgpu.mfma 16x16x16 %108 * %102 + %95 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %110 = vector.extract %60[3, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %111 = vector.shape_cast %110 : vector<1x4xf16> to vector<4xf16>
  %112 = amdgpu.mfma 16x16x16 %111 * %102 + %98 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %113 = vector.extract %60[0, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %114 = vector.extract %70[0, 3] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %115 = vector.shape_cast %113 : vector<1x4xf16> to vector<4xf16>
  %116 = vector.shape_cast %114 : vector<1x4xf16> to vector<4xf16>
  %117 = amdgpu.mfma 16x16x16 %115 * %116 + %103 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %118 = vector.extract %60[1, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %119 = vector.shape_cast %118 : vector<1x4xf16> to vector<4xf16>
  %120 = amdgpu.mfma 16x16x16 %119 * %116 + %106 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %121 = vector.extract %60[2, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %122 = vector.shape_cast %121 : vector<1x4xf16> to vector<4xf16>
  %123 = amdgpu.mfma 16x16x16 %122 * %116 + %109 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %124 = vector.extract %60[3, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %125 = vector.shape_cast %124 : vector<1x4xf16> to vector<4xf16>
  %126 = amdgpu.mfma 16x16x16 %125 * %116 + %112 blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %127 = vector.shape_cast %117 : vector<4xf32> to vector<4x1xf32>
  %128 = vector.shape_cast %120 : vector<4xf32> to vector<4x1xf32>
  %129 = vector.shape_cast %123 : vector<4xf32> to vector<4x1xf32>
  %130 = vector.shape_cast %126 : vector<4xf32> to vector<4x1xf32>
  %131 = vector.extract %127[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %131, %7[%21, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %132 = vector.extract %127[1] : vector<1xf32> from vector<4x1xf32>
  %133 = arith.addi %21, %c1 overflow<nsw> : index
  vector.store %132, %7[%133, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %134 = vector.extract %127[2] : vector<1xf32> from vector<4x1xf32>
  %135 = arith.addi %21, %c2 overflow<nsw> : index
  vector.store %134, %7[%135, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %136 = vector.extract %127[3] : vector<1xf32> from vector<4x1xf32>
  %137 = arith.addi %21, %c3 overflow<nsw> : index
  vector.store %136, %7[%137, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %138 = vector.extract %128[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %138, %7[%24, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %139 = vector.extract %128[1] : vector<1xf32> from vector<4x1xf32>
  %140 = arith.addi %21, %c17 overflow<nsw> : index
  vector.store %139, %7[%140, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %141 = vector.extract %128[2] : vector<1xf32> from vector<4x1xf32>
  %142 = arith.addi %21, %c18 overflow<nsw> : index
  vector.store %141, %7[%142, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %143 = vector.extract %128[3] : vector<1xf32> from vector<4x1xf32>
  %144 = arith.addi %21, %c19 overflow<nsw> : index
  vector.store %143, %7[%144, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %145 = vector.extract %129[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %145, %7[%27, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %146 = vector.extract %129[1] : vector<1xf32> from vector<4x1xf32>
  %147 = arith.addi %21, %c33 overflow<nsw> : index
  vector.store %146, %7[%147, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %148 = vector.extract %129[2] : vector<1xf32> from vector<4x1xf32>
  %149 = arith.addi %21, %c34 overflow<nsw> : index
  vector.store %148, %7[%149, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %150 = vector.extract %129[3] : vector<1xf32> from vector<4x1xf32>
  %151 = arith.addi %21, %c35 overflow<nsw> : index
  vector.store %150, %7[%151, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %152 = vector.extract %130[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %152, %7[%30, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %153 = vector.extract %130[1] : vector<1xf32> from vector<4x1xf32>
  %154 = arith.addi %21, %c49 overflow<nsw> : index
  vector.store %153, %7[%154, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %155 = vector.extract %130[2] : vector<1xf32> from vector<4x1xf32>
  %156 = arith.addi %21, %c50 overflow<nsw> : index
  vector.store %155, %7[%156, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %157 = vector.extract %130[3] : vector<1xf32> from vector<4x1xf32>
  %158 = arith.addi %21, %c51 overflow<nsw> : index
  vector.store %157, %7[%158, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  memref.dealloc %alloc_0 : memref<64x68xf16, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<64x68xf16, #gpu.address_space<workgroup>>
  return
}


// iree-base-compiler 3.9.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-hip-target=gfx942 --mlir-disable-threading
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
  %thread_id_x = gpu.thread_id  x upper_bound 256
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
  gpu.barrier
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
  %70 = vector.broadcast %69 : vector<4x4xf16> to vector<1x1x4x4xf16>
  %71 = vector.transpose %70, [0, 2, 1, 3] : vector<1x1x4x4xf16> to vector<1x4x1x4xf16>
  %72 = vector.extract %60[0, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %73 = vector.extract %71[0, 0] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %74 = vector.shape_cast %72 : vector<1x4xf16> to vector<4xf16>
  %75 = vector.shape_cast %73 : vector<1x4xf16> to vector<4xf16>
  %76 = amdgpu.mfma 16x16x16 %74 * %75 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %77 = vector.extract %60[1, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %78 = vector.shape_cast %77 : vector<1x4xf16> to vector<4xf16>
  %79 = amdgpu.mfma 16x16x16 %78 * %75 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %80 = vector.extract %60[2, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %81 = vector.shape_cast %80 : vector<1x4xf16> to vector<4xf16>
  %82 = amdgpu.mfma 16x16x16 %81 * %75 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %83 = vector.extract %60[3, 0] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %84 = vector.shape_cast %83 : vector<1x4xf16> to vector<4xf16>
  %85 = amdgpu.mfma 16x16x16 %84 * %75 + %cst blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %86 = vector.extract %60[0, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %87 = vector.extract %71[0, 1] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %88 = vector.shape_cast %86 : vector<1x4xf16> to vector<4xf16>
  %89 = vector.shape_cast %87 : vector<1x4xf16> to vector<4xf16>
  %90 = amdgpu.mfma 16x16x16 %88 * %89 + %76 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %91 = vector.extract %60[1, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %92 = vector.shape_cast %91 : vector<1x4xf16> to vector<4xf16>
  %93 = amdgpu.mfma 16x16x16 %92 * %89 + %79 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %94 = vector.extract %60[2, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %95 = vector.shape_cast %94 : vector<1x4xf16> to vector<4xf16>
  %96 = amdgpu.mfma 16x16x16 %95 * %89 + %82 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %97 = vector.extract %60[3, 1] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %98 = vector.shape_cast %97 : vector<1x4xf16> to vector<4xf16>
  %99 = amdgpu.mfma 16x16x16 %98 * %89 + %85 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %100 = vector.extract %60[0, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %101 = vector.extract %71[0, 2] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %102 = vector.shape_cast %100 : vector<1x4xf16> to vector<4xf16>
  %103 = vector.shape_cast %101 : vector<1x4xf16> to vector<4xf16>
  %104 = amdgpu.mfma 16x16x16 %102 * %103 + %90 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %105 = vector.extract %60[1, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %106 = vector.shape_cast %105 : vector<1x4xf16> to vector<4xf16>
  %107 = amdgpu.mfma 16x16x16 %106 * %103 + %93 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %108 = vector.extract %60[2, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %109 = vector.shape_cast %108 : vector<1x4xf16> to vector<4xf16>
  %110 = amdgpu.mfma 16x16x16 %109 * %103 + %96 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %111 = vector.extract %60[3, 2] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %112 = vector.shape_cast %111 : vector<1x4xf16> to vector<4xf16>
  %113 = amdgpu.mfma 16x16x16 %112 * %103 + %99 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %114 = vector.extract %60[0, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %115 = vector.extract %71[0, 3] : vector<1x4xf16> from vector<1x4x1x4xf16>
  %116 = vector.shape_cast %114 : vector<1x4xf16> to vector<4xf16>
  %117 = vector.shape_cast %115 : vector<1x4xf16> to vector<4xf16>
  %118 = amdgpu.mfma 16x16x16 %116 * %117 + %104 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %119 = vector.shape_cast %118 : vector<4xf32> to vector<4x1xf32>
  %120 = vector.extract %60[1, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %121 = vector.shape_cast %120 : vector<1x4xf16> to vector<4xf16>
  %122 = amdgpu.mfma 16x16x16 %121 * %117 + %107 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %123 = vector.shape_cast %122 : vector<4xf32> to vector<4x1xf32>
  %124 = vector.extract %60[2, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %125 = vector.shape_cast %124 : vector<1x4xf16> to vector<4xf16>
  %126 = amdgpu.mfma 16x16x16 %125 * %117 + %110 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %127 = vector.shape_cast %126 : vector<4xf32> to vector<4x1xf32>
  %128 = vector.extract %60[3, 3] : vector<1x4xf16> from vector<4x4x1x4xf16>
  %129 = vector.shape_cast %128 : vector<1x4xf16> to vector<4xf16>
  %130 = amdgpu.mfma 16x16x16 %129 * %117 + %113 blgp =  none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %131 = vector.shape_cast %130 : vector<4xf32> to vector<4x1xf32>
  %132 = vector.extract %119[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %132, %7[%21, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %133 = vector.extract %119[1] : vector<1xf32> from vector<4x1xf32>
  %134 = arith.addi %21, %c1 overflow<nsw> : index
  vector.store %133, %7[%134, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %135 = vector.extract %119[2] : vector<1xf32> from vector<4x1xf32>
  %136 = arith.addi %21, %c2 overflow<nsw> : index
  vector.store %135, %7[%136, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %137 = vector.extract %119[3] : vector<1xf32> from vector<4x1xf32>
  %138 = arith.addi %21, %c3 overflow<nsw> : index
  vector.store %137, %7[%138, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %139 = vector.extract %123[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %139, %7[%24, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %140 = vector.extract %123[1] : vector<1xf32> from vector<4x1xf32>
  %141 = arith.addi %21, %c17 overflow<nsw> : index
  vector.store %140, %7[%141, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %142 = vector.extract %123[2] : vector<1xf32> from vector<4x1xf32>
  %143 = arith.addi %21, %c18 overflow<nsw> : index
  vector.store %142, %7[%143, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %144 = vector.extract %123[3] : vector<1xf32> from vector<4x1xf32>
  %145 = arith.addi %21, %c19 overflow<nsw> : index
  vector.store %144, %7[%145, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %146 = vector.extract %127[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %146, %7[%27, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %147 = vector.extract %127[1] : vector<1xf32> from vector<4x1xf32>
  %148 = arith.addi %21, %c33 overflow<nsw> : index
  vector.store %147, %7[%148, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %149 = vector.extract %127[2] : vector<1xf32> from vector<4x1xf32>
  %150 = arith.addi %21, %c34 overflow<nsw> : index
  vector.store %149, %7[%150, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %151 = vector.extract %127[3] : vector<1xf32> from vector<4x1xf32>
  %152 = arith.addi %21, %c35 overflow<nsw> : index
  vector.store %151, %7[%152, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %153 = vector.extract %131[0] : vector<1xf32> from vector<4x1xf32>
  vector.store %153, %7[%30, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %154 = vector.extract %131[1] : vector<1xf32> from vector<4x1xf32>
  %155 = arith.addi %21, %c49 overflow<nsw> : index
  vector.store %154, %7[%155, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %156 = vector.extract %131[2] : vector<1xf32> from vector<4x1xf32>
  %157 = arith.addi %21, %c50 overflow<nsw> : index
  vector.store %156, %7[%157, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %158 = vector.extract %131[3] : vector<1xf32> from vector<4x1xf32>
  %159 = arith.addi %21, %c51 overflow<nsw> : index
  vector.store %158, %7[%159, %61] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  gpu.barrier
  memref.dealloc %alloc_0 : memref<64x68xf16, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<64x68xf16, #gpu.address_space<workgroup>>
  return
}


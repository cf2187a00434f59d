// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @mm(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
//     %z = arith.constant 0.0 : f32
//     %e = tensor.empty() : tensor<64x64xf32>
//     %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
//     %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
//     return %r : tensor<64x64xf32>
//   }
func.func @mm_dispatch_0_matmul_64x64x64_bf16xbf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
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
  %c0 = arith.constant 0 : index
  %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
  %alloc = memref.alloc() : memref<64x68xbf16, #gpu.address_space<workgroup>>
  %alloc_0 = memref.alloc() : memref<64x68xbf16, #gpu.address_space<workgroup>>
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xbf16, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<64x64xbf16, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<64x64xbf16, #gpu.address_space<global>> to memref<64x64xbf16, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xbf16, #gpu.address_space<global>>
  %assume_align_1 = memref.assume_alignment %2, 64 : memref<64x64xbf16, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<64x64xbf16, #gpu.address_space<global>> to memref<64x64xbf16, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf32, #gpu.address_space<global>>
  %assume_align_2 = memref.assume_alignment %4, 64 : memref<64x64xf32, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<64x64xf32, #gpu.address_space<global>> to memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>
  %6:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
  %7:2 = affine.delinearize_index %thread_id_x into (64, 8) : index, index
  %8 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%7#1]
  %9 = arith.addi %thread_id_x, %c256 overflow<nsw> : index
  %10:2 = affine.delinearize_index %9 into (64, 8) : index, index
  %11 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%10#1]
  %12:3 = affine.delinearize_index %6#1 into (4, 16) : index, index, index
  %13 = affine.linearize_index disjoint [%12#1, %c0] by (4, 4) : index
  %14 = vector.load %1[%7#0, %8] : memref<64x64xbf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xbf16>
  vector.store %14, %alloc[%7#0, %8] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
  %15 = vector.load %1[%10#0, %11] : memref<64x64xbf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xbf16>
  vector.store %15, %alloc[%10#0, %11] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
  %16 = vector.load %3[%7#0, %8] : memref<64x64xbf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xbf16>
  vector.store %16, %alloc_0[%7#0, %8] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
  %17 = vector.load %3[%10#0, %11] : memref<64x64xbf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xbf16>
  vector.store %17, %alloc_0[%10#0, %11] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %18 = vector.load %alloc[%12#2, %13] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %19 = affine.linearize_index disjoint [%c0, %13] by (4, 16) : index
  %20 = arith.addi %19, %c16 overflow<nsw> : index
  %21 = vector.load %alloc[%12#2, %20] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %22 = arith.addi %19, %c32 overflow<nsw> : index
  %23 = vector.load %alloc[%12#2, %22] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %24 = arith.addi %19, %c48 overflow<nsw> : index
  %25 = vector.load %alloc[%12#2, %24] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %26 = affine.linearize_index disjoint [%c0, %12#2] by (4, 16) : index
  %27 = arith.addi %26, %c16 overflow<nsw> : index
  %28 = vector.load %alloc[%27, %13] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %29 = vector.load %alloc[%27, %20] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %30 = vector.load %alloc[%27, %22] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %31 = vector.load %alloc[%27, %24] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %32 = arith.addi %26, %c32 overflow<nsw> : index
  %33 = vector.load %alloc[%32, %13] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %34 = vector.load %alloc[%32, %20] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %35 = vector.load %alloc[%32, %22] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %36 = vector.load %alloc[%32, %24] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %37 = arith.addi %26, %c48 overflow<nsw> : index
  %38 = vector.load %alloc[%37, %13] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %39 = vector.load %alloc[%37, %20] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %40 = vector.load %alloc[%37, %22] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %41 = vector.load %alloc[%37, %24] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<4xbf16>
  %42 = affine.linearize_index disjoint [%6#0, %12#2] by (4, 16) : index
  %43 = vector.load %alloc_0[%13, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %44 = arith.addi %13, %c1 overflow<nsw> : index
  %45 = vector.load %alloc_0[%44, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %46 = arith.addi %13, %c2 overflow<nsw> : index
  %47 = vector.load %alloc_0[%46, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %48 = arith.addi %13, %c3 overflow<nsw> : index
  %49 = vector.load %alloc_0[%48, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %50 = vector.load %alloc_0[%20, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %51 = arith.addi %19, %c17 overflow<nsw> : index
  %52 = vector.load %alloc_0[%51, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %53 = arith.addi %19, %c18 overflow<nsw> : index
  %54 = vector.load %alloc_0[%53, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %55 = arith.addi %19, %c19 overflow<nsw> : index
  %56 = vector.load %alloc_0[%55, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %57 = vector.load %alloc_0[%22, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %58 = arith.addi %19, %c33 overflow<nsw> : index
  %59 = vector.load %alloc_0[%58, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %60 = arith.addi %19, %c34 overflow<nsw> : index
  %61 = vector.load %alloc_0[%60, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %62 = arith.addi %19, %c35 overflow<nsw> : index
  %63 = vector.load %alloc_0[%62, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %64 = vector.load %alloc_0[%24, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %65 = arith.addi %19, %c49 overflow<nsw> : index
  %66 = vector.load %alloc_0[%65, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %67 = arith.addi %19, %c50 overflow<nsw> : index
  %68 = vector.load %alloc_0[%67, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %69 = arith.addi %19, %c51 overflow<nsw> : index
  %70 = vector.load %alloc_0[%69, %42] : memref<64x68xbf16, #gpu.address_space<workgroup>>, vector<1xbf16>
  %71 = vector.to_elements %43 : vector<1xbf16>
  %72 = vector.to_elements %45 : vector<1xbf16>
  %73 = vector.to_elements %47 : vector<1xbf16>
  %74 = vector.to_elements %49 : vector<1xbf16>
  %75 = vector.to_elements %50 : vector<1xbf16>
  %76 = vector.to_elements %52 : vector<1xbf16>
  %77 = vector.to_elements %54 : vector<1xbf16>
  %78 = vector.to_elements %56 : vector<1xbf16>
  %79 = vector.to_elements %57 : vector<1xbf16>
  %80 = vector.to_elements %59 : vector<1xbf16>
  %81 = vector.to_elements %61 : vector<1xbf16>
  %82 = vector.to_elements %63 : vector<1xbf16>
  %83 = vector.to_elements %64 : vector<1xbf16>
  %84 = vector.to_elements %66 : vector<1xbf16>
  %85 = vector.to_elements %68 : vector<1xbf16>
  %86 = vector.to_elements %70 : vector<1xbf16>
  %87 = vector.from_elements %71, %72, %73, %74 : vector<4xbf16>
  %88 = vector.from_elements %75, %76, %77, %78 : vector<4xbf16>
  %89 = vector.from_elements %79, %80, %81, %82 : vector<4xbf16>
  %90 = vector.from_elements %83, %84, %85, %86 : vector<4xbf16>
  %91 = amdgpu.mfma 16x16x16 %18 * %87 + %cst : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %92 = amdgpu.mfma 16x16x16 %28 * %87 + %cst : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %93 = amdgpu.mfma 16x16x16 %33 * %87 + %cst : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %94 = amdgpu.mfma 16x16x16 %38 * %87 + %cst : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %95 = amdgpu.mfma 16x16x16 %21 * %88 + %91 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %96 = amdgpu.mfma 16x16x16 %29 * %88 + %92 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %97 = amdgpu.mfma 16x16x16 %34 * %88 + %93 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %98 = amdgpu.mfma 16x16x16 %39 * %88 + %94 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %99 = amdgpu.mfma 16x16x16 %23 * %89 + %95 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %100 = amdgpu.mfma 16x16x16 %30 * %89 + %96 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %101 = amdgpu.mfma 16x16x16 %35 * %89 + %97 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %102 = amdgpu.mfma 16x16x16 %40 * %89 + %98 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %103 = amdgpu.mfma 16x16x16 %25 * %90 + %99 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %104 = amdgpu.mfma 16x16x16 %31 * %90 + %100 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %105 = amdgpu.mfma 16x16x16 %36 * %90 + %101 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %106 = amdgpu.mfma 16x16x16 %41 * %90 + %102 : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
  %107 = vector.extract %103[0] : f32 from vector<4xf32>
  %108 = vector.broadcast %107 : f32 to vector<1xf32>
  %109 = vector.extract %103[1] : f32 from vector<4xf32>
  %110 = vector.broadcast %109 : f32 to vector<1xf32>
  %111 = vector.extract %103[2] : f32 from vector<4xf32>
  %112 = vector.broadcast %111 : f32 to vector<1xf32>
  %113 = vector.extract %103[3] : f32 from vector<4xf32>
  %114 = vector.broadcast %113 : f32 to vector<1xf32>
  %115 = vector.extract %104[0] : f32 from vector<4xf32>
  %116 = vector.broadcast %115 : f32 to vector<1xf32>
  %117 = vector.extract %104[1] : f32 from vector<4xf32>
  %118 = vector.broadcast %117 : f32 to vector<1xf32>
  %119 = vector.extract %104[2] : f32 from vector<4xf32>
  %120 = vector.broadcast %119 : f32 to vector<1xf32>
  %121 = vector.extract %104[3] : f32 from vector<4xf32>
  %122 = vector.broadcast %121 : f32 to vector<1xf32>
  %123 = vector.extract %105[0] : f32 from vector<4xf32>
  %124 = vector.broadcast %123 : f32 to vector<1xf32>
  %125 = vector.extract %105[1] : f32 from vector<4xf32>
  %126 = vector.broadcast %125 : f32 to vector<1xf32>
  %127 = vector.extract %105[2] : f32 from vector<4xf32>
  %128 = vector.broadcast %127 : f32 to vector<1xf32>
  %129 = vector.extract %105[3] : f32 from vector<4xf32>
  %130 = vector.broadcast %129 : f32 to vector<1xf32>
  %131 = vector.extract %106[0] : f32 from vector<4xf32>
  %132 = vector.broadcast %131 : f32 to vector<1xf32>
  %133 = vector.extract %106[1] : f32 from vector<4xf32>
  %134 = vector.broadcast %133 : f32 to vector<1xf32>
  %135 = vector.extract %106[2] : f32 from vector<4xf32>
  %136 = vector.broadcast %135 : f32 to vector<1xf32>
  %137 = vector.extract %106[3] : f32 from vector<4xf32>
  %138 = vector.broadcast %137 : f32 to vector<1xf32>
  vector.store %108, %5[%13, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %110, %5[%44, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %112, %5[%46, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %114, %5[%48, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %116, %5[%20, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %118, %5[%51, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %120, %5[%53, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %122, %5[%55, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %124, %5[%22, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %126, %5[%58, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %128, %5[%60, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %130, %5[%62, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %132, %5[%24, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %134, %5[%65, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %136, %5[%67, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %138, %5[%69, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  memref.dealloc %alloc_0 : memref<64x68xbf16, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<64x68xbf16, #gpu.address_space<workgroup>>
  return
}

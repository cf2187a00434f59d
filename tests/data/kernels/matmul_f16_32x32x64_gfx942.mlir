// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @mm(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf32> {
//     %z = arith.constant 0.0 : f32
//     %e = tensor.empty() : tensor<32x32xf32>
//     %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
//     %r = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x32xf16>) outs(%i : tensor<32x32xf32>) -> tensor<32x32xf32>
//     return %r : tensor<32x32xf32>
//   }
func.func @mm_dispatch_0_matmul_32x32x64_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
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
  %c0 = arith.constant 0 : index
  %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
  %alloc = memref.alloc() : memref<64x36xf16, #gpu.address_space<workgroup>>
  %alloc_0 = memref.alloc() : memref<32x68xf16, #gpu.address_space<workgroup>>
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x64xf16, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<32x64xf16, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<32x64xf16, #gpu.address_space<global>> to memref<32x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x32xf16, #gpu.address_space<global>>
  %assume_align_1 = memref.assume_alignment %2, 64 : memref<64x32xf16, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<64x32xf16, #gpu.address_space<global>> to memref<64x32xf16, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf32, #gpu.address_space<global>>
  %assume_align_2 = memref.assume_alignment %4, 64 : memref<32x32xf32, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<32x32xf32, #gpu.address_space<global>> to memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %6:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
  %7:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
  %8:2 = affine.delinearize_index %thread_id_x into (64, 4) : index, index
  %9 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%7#1]
  %10 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%8#1]
  %11:3 = affine.delinearize_index %6#2 into (4, 16) : index, index, index
  %12 = affine.linearize_index disjoint [%11#1, %c0] by (4, 4) : index
  %13 = affine.linearize_index disjoint [%6#0, %12] by (2, 16) : index
  %14 = affine.linearize_index disjoint [%6#1, %11#2] by (2, 16) : index
  %15 = vector.load %1[%7#0, %9] : memref<32x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %15, %alloc_0[%7#0, %9] : memref<32x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %16 = vector.load %3[%8#0, %10] : memref<64x32xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %16, %alloc[%8#0, %10] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %17 = affine.linearize_index disjoint [%6#0, %11#2] by (2, 16) : index
  %18 = vector.load %alloc_0[%17, %12] : memref<32x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %19 = affine.linearize_index disjoint [%c0, %12] by (4, 16) : index
  %20 = arith.addi %19, %c16 overflow<nsw> : index
  %21 = vector.load %alloc_0[%17, %20] : memref<32x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %22 = arith.addi %19, %c32 overflow<nsw> : index
  %23 = vector.load %alloc_0[%17, %22] : memref<32x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %24 = arith.addi %19, %c48 overflow<nsw> : index
  %25 = vector.load %alloc_0[%17, %24] : memref<32x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %26 = vector.load %alloc[%12, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %27 = arith.addi %12, %c1 overflow<nsw> : index
  %28 = vector.load %alloc[%27, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %29 = arith.addi %12, %c2 overflow<nsw> : index
  %30 = vector.load %alloc[%29, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %31 = arith.addi %12, %c3 overflow<nsw> : index
  %32 = vector.load %alloc[%31, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %33 = vector.load %alloc[%20, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %34 = arith.addi %19, %c17 overflow<nsw> : index
  %35 = vector.load %alloc[%34, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %36 = arith.addi %19, %c18 overflow<nsw> : index
  %37 = vector.load %alloc[%36, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %38 = arith.addi %19, %c19 overflow<nsw> : index
  %39 = vector.load %alloc[%38, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %40 = vector.load %alloc[%22, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %41 = arith.addi %19, %c33 overflow<nsw> : index
  %42 = vector.load %alloc[%41, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %43 = arith.addi %19, %c34 overflow<nsw> : index
  %44 = vector.load %alloc[%43, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %45 = arith.addi %19, %c35 overflow<nsw> : index
  %46 = vector.load %alloc[%45, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %47 = vector.load %alloc[%24, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %48 = arith.addi %19, %c49 overflow<nsw> : index
  %49 = vector.load %alloc[%48, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %50 = arith.addi %19, %c50 overflow<nsw> : index
  %51 = vector.load %alloc[%50, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %52 = arith.addi %19, %c51 overflow<nsw> : index
  %53 = vector.load %alloc[%52, %14] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<1xf16>
  %54 = vector.to_elements %26 : vector<1xf16>
  %55 = vector.to_elements %28 : vector<1xf16>
  %56 = vector.to_elements %30 : vector<1xf16>
  %57 = vector.to_elements %32 : vector<1xf16>
  %58 = vector.to_elements %33 : vector<1xf16>
  %59 = vector.to_elements %35 : vector<1xf16>
  %60 = vector.to_elements %37 : vector<1xf16>
  %61 = vector.to_elements %39 : vector<1xf16>
  %62 = vector.to_elements %40 : vector<1xf16>
  %63 = vector.to_elements %42 : vector<1xf16>
  %64 = vector.to_elements %44 : vector<1xf16>
  %65 = vector.to_elements %46 : vector<1xf16>
  %66 = vector.to_elements %47 : vector<1xf16>
  %67 = vector.to_elements %49 : vector<1xf16>
  %68 = vector.to_elements %51 : vector<1xf16>
  %69 = vector.to_elements %53 : vector<1xf16>
  %70 = vector.from_elements %54, %55, %56, %57 : vector<4xf16>
  %71 = vector.from_elements %58, %59, %60, %61 : vector<4xf16>
  %72 = vector.from_elements %62, %63, %64, %65 : vector<4xf16>
  %73 = vector.from_elements %66, %67, %68, %69 : vector<4xf16>
  %74 = amdgpu.mfma 16x16x16 %18 * %70 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %75 = amdgpu.mfma 16x16x16 %21 * %71 + %74 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %76 = amdgpu.mfma 16x16x16 %23 * %72 + %75 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %77 = amdgpu.mfma 16x16x16 %25 * %73 + %76 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %78 = vector.extract %77[0] : f32 from vector<4xf32>
  %79 = vector.broadcast %78 : f32 to vector<1xf32>
  %80 = vector.extract %77[1] : f32 from vector<4xf32>
  %81 = vector.broadcast %80 : f32 to vector<1xf32>
  %82 = vector.extract %77[2] : f32 from vector<4xf32>
  %83 = vector.broadcast %82 : f32 to vector<1xf32>
  %84 = vector.extract %77[3] : f32 from vector<4xf32>
  %85 = vector.broadcast %84 : f32 to vector<1xf32>
  vector.store %79, %5[%13, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %86 = arith.addi %13, %c1 overflow<nsw> : index
  vector.store %81, %5[%86, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %87 = arith.addi %13, %c2 overflow<nsw> : index
  vector.store %83, %5[%87, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %88 = arith.addi %13, %c3 overflow<nsw> : index
  vector.store %85, %5[%88, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %89 = memref.load %5[%13, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %90 = vector.broadcast %89 : f32 to vector<1xf32>
  %91 = memref.load %5[%86, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %92 = vector.broadcast %91 : f32 to vector<1xf32>
  %93 = memref.load %5[%87, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %94 = vector.broadcast %93 : f32 to vector<1xf32>
  %95 = memref.load %5[%88, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %96 = vector.broadcast %95 : f32 to vector<1xf32>
  vector.store %90, %5[%13, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %92, %5[%86, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %94, %5[%87, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %96, %5[%88, %14] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  memref.dealloc %alloc_0 : memref<32x68xf16, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<64x36xf16, #gpu.address_space<workgroup>>
  return
}

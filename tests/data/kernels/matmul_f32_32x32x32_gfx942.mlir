// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @mm(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
//     %z = arith.constant 0.0 : f32
//     %e = tensor.empty() : tensor<32x32xf32>
//     %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
//     %r = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%i : tensor<32x32xf32>) -> tensor<32x32xf32>
//     return %r : tensor<32x32xf32>
//   }
func.func @mm_dispatch_0_matmul_32x32x32_f32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c28 = arith.constant 28 : index
  %c24 = arith.constant 24 : index
  %c20 = arith.constant 20 : index
  %c16 = arith.constant 16 : index
  %c12 = arith.constant 12 : index
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %cst = arith.constant dense<0.000000e+00> : vector<4xf32>
  %c0 = arith.constant 0 : index
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf32, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<32x32xf32, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<32x32xf32, #gpu.address_space<global>> to memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf32, #gpu.address_space<global>>
  %assume_align_0 = memref.assume_alignment %2, 64 : memref<32x32xf32, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_0 resetOffset : memref<32x32xf32, #gpu.address_space<global>> to memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf32, #gpu.address_space<global>>
  %assume_align_1 = memref.assume_alignment %4, 64 : memref<32x32xf32, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<32x32xf32, #gpu.address_space<global>> to memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %alloc = memref.alloc() : memref<32x34xf32, #gpu.address_space<workgroup>>
  %alloc_2 = memref.alloc() : memref<32x34xf32, #gpu.address_space<workgroup>>
  %6:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
  %7:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
  %8 = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%7#1]
  %9:3 = affine.delinearize_index %6#2 into (4, 16) : index, index, index
  %10 = affine.linearize_index disjoint [%9#1, %c0] by (4, 4) : index
  %11 = affine.linearize_index disjoint [%6#0, %10] by (2, 16) : index
  %12 = affine.linearize_index disjoint [%6#1, %9#2] by (2, 16) : index
  %13 = vector.load %1[%7#0, %8] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf32>
  vector.store %13, %alloc_2[%7#0, %8] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  %14 = vector.load %3[%7#0, %8] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf32>
  vector.store %14, %alloc[%7#0, %8] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %15 = affine.linearize_index disjoint [%6#0, %9#2] by (2, 16) : index
  %16 = vector.load %alloc_2[%15, %9#1] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %17 = affine.linearize_index disjoint [%c0, %9#1] by (8, 4) : index
  %18 = arith.addi %17, %c4 overflow<nsw> : index
  %19 = vector.load %alloc_2[%15, %18] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %20 = arith.addi %17, %c8 overflow<nsw> : index
  %21 = vector.load %alloc_2[%15, %20] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %22 = arith.addi %17, %c12 overflow<nsw> : index
  %23 = vector.load %alloc_2[%15, %22] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %24 = arith.addi %17, %c16 overflow<nsw> : index
  %25 = vector.load %alloc_2[%15, %24] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %26 = arith.addi %17, %c20 overflow<nsw> : index
  %27 = vector.load %alloc_2[%15, %26] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %28 = arith.addi %17, %c24 overflow<nsw> : index
  %29 = vector.load %alloc_2[%15, %28] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %30 = arith.addi %17, %c28 overflow<nsw> : index
  %31 = vector.load %alloc_2[%15, %30] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %32 = vector.load %alloc[%9#1, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %33 = vector.load %alloc[%18, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %34 = vector.load %alloc[%20, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %35 = vector.load %alloc[%22, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %36 = vector.load %alloc[%24, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %37 = vector.load %alloc[%26, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %38 = vector.load %alloc[%28, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %39 = vector.load %alloc[%30, %12] : memref<32x34xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %40 = vector.extract %16[0] : f32 from vector<1xf32>
  %41 = vector.extract %32[0] : f32 from vector<1xf32>
  %42 = amdgpu.mfma 16x16x4 %40 * %41 + %cst : f32, f32, vector<4xf32>
  %43 = vector.extract %19[0] : f32 from vector<1xf32>
  %44 = vector.extract %33[0] : f32 from vector<1xf32>
  %45 = amdgpu.mfma 16x16x4 %43 * %44 + %42 : f32, f32, vector<4xf32>
  %46 = vector.extract %21[0] : f32 from vector<1xf32>
  %47 = vector.extract %34[0] : f32 from vector<1xf32>
  %48 = amdgpu.mfma 16x16x4 %46 * %47 + %45 : f32, f32, vector<4xf32>
  %49 = vector.extract %23[0] : f32 from vector<1xf32>
  %50 = vector.extract %35[0] : f32 from vector<1xf32>
  %51 = amdgpu.mfma 16x16x4 %49 * %50 + %48 : f32, f32, vector<4xf32>
  %52 = vector.extract %25[0] : f32 from vector<1xf32>
  %53 = vector.extract %36[0] : f32 from vector<1xf32>
  %54 = amdgpu.mfma 16x16x4 %52 * %53 + %51 : f32, f32, vector<4xf32>
  %55 = vector.extract %27[0] : f32 from vector<1xf32>
  %56 = vector.extract %37[0] : f32 from vector<1xf32>
  %57 = amdgpu.mfma 16x16x4 %55 * %56 + %54 : f32, f32, vector<4xf32>
  %58 = vector.extract %29[0] : f32 from vector<1xf32>
  %59 = vector.extract %38[0] : f32 from vector<1xf32>
  %60 = amdgpu.mfma 16x16x4 %58 * %59 + %57 : f32, f32, vector<4xf32>
  %61 = vector.extract %31[0] : f32 from vector<1xf32>
  %62 = vector.extract %39[0] : f32 from vector<1xf32>
  %63 = amdgpu.mfma 16x16x4 %61 * %62 + %60 : f32, f32, vector<4xf32>
  %64 = vector.extract %63[0] : f32 from vector<4xf32>
  %65 = vector.broadcast %64 : f32 to vector<1xf32>
  %66 = vector.extract %63[1] : f32 from vector<4xf32>
  %67 = vector.broadcast %66 : f32 to vector<1xf32>
  %68 = vector.extract %63[2] : f32 from vector<4xf32>
  %69 = vector.broadcast %68 : f32 to vector<1xf32>
  %70 = vector.extract %63[3] : f32 from vector<4xf32>
  %71 = vector.broadcast %70 : f32 to vector<1xf32>
  vector.store %65, %5[%11, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %72 = arith.addi %11, %c1 overflow<nsw> : index
  vector.store %67, %5[%72, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %73 = arith.addi %11, %c2 overflow<nsw> : index
  vector.store %69, %5[%73, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %74 = arith.addi %11, %c3 overflow<nsw> : index
  vector.store %71, %5[%74, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %75 = memref.load %5[%11, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %76 = vector.broadcast %75 : f32 to vector<1xf32>
  %77 = memref.load %5[%72, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %78 = vector.broadcast %77 : f32 to vector<1xf32>
  %79 = memref.load %5[%73, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %80 = vector.broadcast %79 : f32 to vector<1xf32>
  %81 = memref.load %5[%74, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %82 = vector.broadcast %81 : f32 to vector<1xf32>
  vector.store %76, %5[%11, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %78, %5[%72, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %80, %5[%73, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %82, %5[%74, %12] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  return
}

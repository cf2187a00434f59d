// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @mm(%a: tensor<32x32xf64>, %b: tensor<32x32xf64>) -> tensor<32x32xf64> {
//     %z = arith.constant 0.0 : f64
//     %e = tensor.empty() : tensor<32x32xf64>
//     %i = linalg.fill ins(%z : f64) outs(%e : tensor<32x32xf64>) -> tensor<32x32xf64>
//     %r = linalg.matmul ins(%a, %b : tensor<32x32xf64>, tensor<32x32xf64>) outs(%i : tensor<32x32xf64>) -> tensor<32x32xf64>
//     return %r : tensor<32x32xf64>
//   }
func.func @mm_dispatch_0_matmul_32x32x32_f64() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c28 = arith.constant 28 : index
  %c24 = arith.constant 24 : index
  %c20 = arith.constant 20 : index
  %c16 = arith.constant 16 : index
  %c12 = arith.constant 12 : index
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %cst = arith.constant dense<0.000000e+00> : vector<4xf64>
  %c0 = arith.constant 0 : index
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf64, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<32x32xf64, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<32x32xf64, #gpu.address_space<global>> to memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf64, #gpu.address_space<global>>
  %assume_align_0 = memref.assume_alignment %2, 64 : memref<32x32xf64, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_0 resetOffset : memref<32x32xf64, #gpu.address_space<global>> to memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf64, #gpu.address_space<global>>
  %assume_align_1 = memref.assume_alignment %4, 64 : memref<32x32xf64, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<32x32xf64, #gpu.address_space<global>> to memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>
  %alloc = memref.alloc() : memref<32x33xf64, #gpu.address_space<workgroup>>
  %alloc_2 = memref.alloc() : memref<32x33xf64, #gpu.address_space<workgroup>>
  %6:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
  %7:2 = affine.delinearize_index %thread_id_x into (32, 16) : index, index
  %8 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%7#1]
  %9 = arith.addi %thread_id_x, %c256 overflow<nsw> : index
  %10:2 = affine.delinearize_index %9 into (32, 16) : index, index
  %11 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%10#1]
  %12:3 = affine.delinearize_index %6#2 into (4, 16) : index, index, index
  %13 = vector.load %1[%7#0, %8] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<2xf64>
  vector.store %13, %alloc_2[%7#0, %8] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<2xf64>
  %14 = vector.load %1[%10#0, %11] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<2xf64>
  vector.store %14, %alloc_2[%10#0, %11] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<2xf64>
  %15 = vector.load %3[%7#0, %8] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<2xf64>
  vector.store %15, %alloc[%7#0, %8] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<2xf64>
  %16 = vector.load %3[%10#0, %11] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<2xf64>
  vector.store %16, %alloc[%10#0, %11] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<2xf64>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %17 = affine.linearize_index disjoint [%6#0, %12#2] by (2, 16) : index
  %18 = vector.load %alloc_2[%17, %12#1] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %19 = affine.linearize_index disjoint [%c0, %12#1] by (8, 4) : index
  %20 = arith.addi %19, %c4 overflow<nsw> : index
  %21 = vector.load %alloc_2[%17, %20] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %22 = arith.addi %19, %c8 overflow<nsw> : index
  %23 = vector.load %alloc_2[%17, %22] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %24 = arith.addi %19, %c12 overflow<nsw> : index
  %25 = vector.load %alloc_2[%17, %24] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %26 = arith.addi %19, %c16 overflow<nsw> : index
  %27 = vector.load %alloc_2[%17, %26] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %28 = arith.addi %19, %c20 overflow<nsw> : index
  %29 = vector.load %alloc_2[%17, %28] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %30 = arith.addi %19, %c24 overflow<nsw> : index
  %31 = vector.load %alloc_2[%17, %30] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %32 = arith.addi %19, %c28 overflow<nsw> : index
  %33 = vector.load %alloc_2[%17, %32] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %34 = affine.linearize_index disjoint [%6#1, %12#2] by (2, 16) : index
  %35 = vector.load %alloc[%12#1, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %36 = vector.load %alloc[%20, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %37 = vector.load %alloc[%22, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %38 = vector.load %alloc[%24, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %39 = vector.load %alloc[%26, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %40 = vector.load %alloc[%28, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %41 = vector.load %alloc[%30, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %42 = vector.load %alloc[%32, %34] : memref<32x33xf64, #gpu.address_space<workgroup>>, vector<1xf64>
  %43 = vector.extract %18[0] : f64 from vector<1xf64>
  %44 = vector.extract %35[0] : f64 from vector<1xf64>
  %45 = amdgpu.mfma 16x16x4 %43 * %44 + %cst : f64, f64, vector<4xf64>
  %46 = vector.extract %21[0] : f64 from vector<1xf64>
  %47 = vector.extract %36[0] : f64 from vector<1xf64>
  %48 = amdgpu.mfma 16x16x4 %46 * %47 + %45 : f64, f64, vector<4xf64>
  %49 = vector.extract %23[0] : f64 from vector<1xf64>
  %50 = vector.extract %37[0] : f64 from vector<1xf64>
  %51 = amdgpu.mfma 16x16x4 %49 * %50 + %48 : f64, f64, vector<4xf64>
  %52 = vector.extract %25[0] : f64 from vector<1xf64>
  %53 = vector.extract %38[0] : f64 from vector<1xf64>
  %54 = amdgpu.mfma 16x16x4 %52 * %53 + %51 : f64, f64, vector<4xf64>
  %55 = vector.extract %27[0] : f64 from vector<1xf64>
  %56 = vector.extract %39[0] : f64 from vector<1xf64>
  %57 = amdgpu.mfma 16x16x4 %55 * %56 + %54 : f64, f64, vector<4xf64>
  %58 = vector.extract %29[0] : f64 from vector<1xf64>
  %59 = vector.extract %40[0] : f64 from vector<1xf64>
  %60 = amdgpu.mfma 16x16x4 %58 * %59 + %57 : f64, f64, vector<4xf64>
  %61 = vector.extract %31[0] : f64 from vector<1xf64>
  %62 = vector.extract %41[0] : f64 from vector<1xf64>
  %63 = amdgpu.mfma 16x16x4 %61 * %62 + %60 : f64, f64, vector<4xf64>
  %64 = vector.extract %33[0] : f64 from vector<1xf64>
  %65 = vector.extract %42[0] : f64 from vector<1xf64>
  %66 = amdgpu.mfma 16x16x4 %64 * %65 + %63 : f64, f64, vector<4xf64>
  %67 = vector.extract %66[0] : f64 from vector<4xf64>
  %68 = vector.broadcast %67 : f64 to vector<1xf64>
  %69 = vector.extract %66[1] : f64 from vector<4xf64>
  %70 = vector.broadcast %69 : f64 to vector<1xf64>
  %71 = vector.extract %66[2] : f64 from vector<4xf64>
  %72 = vector.broadcast %71 : f64 to vector<1xf64>
  %73 = vector.extract %66[3] : f64 from vector<4xf64>
  %74 = vector.broadcast %73 : f64 to vector<1xf64>
  %75 = affine.linearize_index disjoint [%6#0, %c0, %12#1] by (2, 4, 4) : index
  vector.store %68, %5[%75, %34] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf64>
  %76 = arith.addi %75, %c4 overflow<nsw> : index
  vector.store %70, %5[%76, %34] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf64>
  %77 = arith.addi %75, %c8 overflow<nsw> : index
  vector.store %72, %5[%77, %34] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf64>
  %78 = arith.addi %75, %c12 overflow<nsw> : index
  vector.store %74, %5[%78, %34] : memref<32x32xf64, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf64>
  return
}

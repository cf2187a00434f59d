// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx950 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @mm(%a: tensor<32x128xf8E4M3FN>, %b: tensor<128x32xf8E4M3FN>) -> tensor<32x32xf32> {
//     %z = arith.constant 0.0 : f32
//     %e = tensor.empty() : tensor<32x32xf32>
//     %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
//     %r = linalg.matmul ins(%a, %b : tensor<32x128xf8E4M3FN>, tensor<128x32xf8E4M3FN>) outs(%i : tensor<32x32xf32>) -> tensor<32x32xf32>
//     return %r : tensor<32x32xf32>
//   }
func.func @mm_dispatch_0_matmul_32x32x128_f8E4M3FNxf8E4M3FNxf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %cst = arith.constant dense<0.000000e+00> : vector<32xf8E4M3FN>
  %cst_0 = arith.constant dense<0.000000e+00> : vector<4xf32>
  %alloc = memref.alloc() : memref<128x40xf8E4M3FN, #gpu.address_space<workgroup>>
  %alloc_1 = memref.alloc() : memref<32x136xf8E4M3FN, #gpu.address_space<workgroup>>
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x128xf8E4M3FN, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<32x128xf8E4M3FN, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<32x128xf8E4M3FN, #gpu.address_space<global>> to memref<32x128xf8E4M3FN, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<128x32xf8E4M3FN, #gpu.address_space<global>>
  %assume_align_2 = memref.assume_alignment %2, 64 : memref<128x32xf8E4M3FN, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<128x32xf8E4M3FN, #gpu.address_space<global>> to memref<128x32xf8E4M3FN, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf32, #gpu.address_space<global>>
  %assume_align_3 = memref.assume_alignment %4, 64 : memref<32x32xf32, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_3 resetOffset : memref<32x32xf32, #gpu.address_space<global>> to memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %6:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
  %7:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
  %8:2 = affine.delinearize_index %thread_id_x into (128, 2) : index, index
  %9 = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%7#1]
  %10 = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%8#1]
  %11:3 = affine.delinearize_index %6#2 into (4, 16) : index, index, index
  %12 = affine.linearize_index disjoint [%11#1, %c0] by (4, 32) : index
  %13 = gpu.lane_id upper_bound 64
  %14 = arith.remui %13, %c16 : index
  %15 = arith.divui %14, %c2 : index
  %16 = arith.subi %11#2, %14 : index
  %17 = arith.remui %14, %c2 : index
  %18 = arith.muli %17, %c8 : index
  %19 = arith.addi %16, %18 : index
  %20 = arith.addi %12, %15 : index
  %21 = affine.linearize_index disjoint [%6#1, %19] by (2, 16) : index
  %22 = arith.addi %15, %c8 : index
  %23 = arith.addi %12, %22 : index
  %24 = arith.addi %15, %c16 : index
  %25 = arith.addi %12, %24 : index
  %26 = arith.addi %15, %c24 : index
  %27 = arith.addi %12, %26 : index
  %28 = affine.linearize_index disjoint [%11#1, %c0] by (4, 4) : index
  %29 = affine.linearize_index disjoint [%6#0, %28] by (2, 16) : index
  %30 = affine.linearize_index disjoint [%6#1, %11#2] by (2, 16) : index
  %31 = vector.load %1[%7#0, %9] : memref<32x128xf8E4M3FN, #amdgpu.address_space<fat_raw_buffer>>, vector<16xf8E4M3FN>
  vector.store %31, %alloc_1[%7#0, %9] : memref<32x136xf8E4M3FN, #gpu.address_space<workgroup>>, vector<16xf8E4M3FN>
  %32 = vector.load %3[%8#0, %10] : memref<128x32xf8E4M3FN, #amdgpu.address_space<fat_raw_buffer>>, vector<16xf8E4M3FN>
  vector.store %32, %alloc[%8#0, %10] : memref<128x40xf8E4M3FN, #gpu.address_space<workgroup>>, vector<16xf8E4M3FN>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %33 = affine.linearize_index disjoint [%6#0, %11#2] by (2, 16) : index
  %34 = vector.load %alloc_1[%33, %12] : memref<32x136xf8E4M3FN, #gpu.address_space<workgroup>>, vector<32xf8E4M3FN>
  %35 = amdgpu.transpose_load %alloc[%20, %21] : memref<128x40xf8E4M3FN, #gpu.address_space<workgroup>> -> vector<8xf8E4M3FN>
  %36 = amdgpu.transpose_load %alloc[%23, %21] : memref<128x40xf8E4M3FN, #gpu.address_space<workgroup>> -> vector<8xf8E4M3FN>
  %37 = amdgpu.transpose_load %alloc[%25, %21] : memref<128x40xf8E4M3FN, #gpu.address_space<workgroup>> -> vector<8xf8E4M3FN>
  %38 = amdgpu.transpose_load %alloc[%27, %21] : memref<128x40xf8E4M3FN, #gpu.address_space<workgroup>> -> vector<8xf8E4M3FN>
  %39 = vector.insert_strided_slice %35, %cst offsets = [0], strides = [1] : vector<8xf8E4M3FN> into vector<32xf8E4M3FN>
  %40 = vector.insert_strided_slice %36, %39 offsets = [8], strides = [1] : vector<8xf8E4M3FN> into vector<32xf8E4M3FN>
  %41 = vector.insert_strided_slice %37, %40 offsets = [16], strides = [1] : vector<8xf8E4M3FN> into vector<32xf8E4M3FN>
  %42 = vector.insert_strided_slice %38, %41 offsets = [24], strides = [1] : vector<8xf8E4M3FN> into vector<32xf8E4M3FN>
  %43 = amdgpu.mfma 16x16x128 %34 * %42 + %cst_0 : vector<32xf8E4M3FN>, vector<32xf8E4M3FN>, vector<4xf32>
  %44 = vector.extract %43[0] : f32 from vector<4xf32>
  %45 = vector.broadcast %44 : f32 to vector<1xf32>
  %46 = vector.extract %43[1] : f32 from vector<4xf32>
  %47 = vector.broadcast %46 : f32 to vector<1xf32>
  %48 = vector.extract %43[2] : f32 from vector<4xf32>
  %49 = vector.broadcast %48 : f32 to vector<1xf32>
  %50 = vector.extract %43[3] : f32 from vector<4xf32>
  %51 = vector.broadcast %50 : f32 to vector<1xf32>
  vector.store %45, %5[%29, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %52 = arith.addi %29, %c1 overflow<nsw> : index
  vector.store %47, %5[%52, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %53 = arith.addi %29, %c2 overflow<nsw> : index
  vector.store %49, %5[%53, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %54 = arith.addi %29, %c3 overflow<nsw> : index
  vector.store %51, %5[%54, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %55 = memref.load %5[%29, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %56 = vector.broadcast %55 : f32 to vector<1xf32>
  %57 = memref.load %5[%52, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %58 = vector.broadcast %57 : f32 to vector<1xf32>
  %59 = memref.load %5[%53, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %60 = vector.broadcast %59 : f32 to vector<1xf32>
  %61 = memref.load %5[%54, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %62 = vector.broadcast %61 : f32 to vector<1xf32>
  vector.store %56, %5[%29, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %58, %5[%52, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %60, %5[%53, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %62, %5[%54, %30] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  memref.dealloc %alloc_1 : memref<32x136xf8E4M3FN, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<128x40xf8E4M3FN, #gpu.address_space<workgroup>>
  return
}

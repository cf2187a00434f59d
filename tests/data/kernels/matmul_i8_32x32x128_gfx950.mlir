// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx950 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @mm(%a: tensor<32x128xi8>, %b: tensor<128x32xi8>) -> tensor<32x32xi32> {
//     %z = arith.constant 0 : i32
//     %e = tensor.empty() : tensor<32x32xi32>
//     %i = linalg.fill ins(%z : i32) outs(%e : tensor<32x32xi32>) -> tensor<32x32xi32>
//     %r = linalg.matmul ins(%a, %b : tensor<32x128xi8>, tensor<128x32xi8>) outs(%i : tensor<32x32xi32>) -> tensor<32x32xi32>
//     return %r : tensor<32x32xi32>
//   }
func.func @mm_dispatch_0_matmul_32x32x128_i8xi8xi32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %cst = arith.constant dense<0> : vector<32xi8>
  %cst_0 = arith.constant dense<0> : vector<4xi32>
  %alloc = memref.alloc() : memref<128x40xi8, #gpu.address_space<workgroup>>
  %alloc_1 = memref.alloc() : memref<32x136xi8, #gpu.address_space<workgroup>>
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x128xi8, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<32x128xi8, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<32x128xi8, #gpu.address_space<global>> to memref<32x128xi8, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<128x32xi8, #gpu.address_space<global>>
  %assume_align_2 = memref.assume_alignment %2, 64 : memref<128x32xi8, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<128x32xi8, #gpu.address_space<global>> to memref<128x32xi8, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xi32, #gpu.address_space<global>>
  %assume_align_3 = memref.assume_alignment %4, 64 : memref<32x32xi32, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_3 resetOffset : memref<32x32xi32, #gpu.address_space<global>> to memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>
  %6:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
  %7:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
  %8:2 = affine.delinearize_index %thread_id_x into (128, 2) : index, index
  %9 = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%7#1]
  %10 = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%8#1]
  %11:3 = affine.delinearize_index %6#2 into (4, 16) : index, index, index
  %12 = affine.linearize_index disjoint [%11#1, %c0] by (4, 16) : index
  %13 = gpu.lane_id upper_bound 64
  %14 = arith.remui %13, %c16 : index
  %15 = arith.divui %14, %c2 : index
  %16 = arith.subi %11#2, %14 : index
  %17 = arith.remui %14, %c2 : index
  %18 = arith.muli %17, %c8 : index
  %19 = arith.addi %16, %18 : index
  %20:2 = affine.delinearize_index %15 into (2, 16) : index, index
  %21 = arith.addi %12, %20#1 : index
  %22 = affine.linearize_index disjoint [%20#0, %21] by (2, 64) : index
  %23 = affine.linearize_index disjoint [%6#1, %19] by (2, 16) : index
  %24 = arith.addi %15, %c8 : index
  %25:2 = affine.delinearize_index %24 into (2, 16) : index, index
  %26 = arith.addi %12, %25#1 : index
  %27 = affine.linearize_index disjoint [%25#0, %26] by (2, 64) : index
  %28 = arith.addi %15, %c16 : index
  %29:2 = affine.delinearize_index %28 into (2, 16) : index, index
  %30 = arith.addi %12, %29#1 : index
  %31 = affine.linearize_index disjoint [%29#0, %30] by (2, 64) : index
  %32 = arith.addi %15, %c24 : index
  %33:2 = affine.delinearize_index %32 into (2, 16) : index, index
  %34 = arith.addi %12, %33#1 : index
  %35 = affine.linearize_index disjoint [%33#0, %34] by (2, 64) : index
  %36 = affine.linearize_index disjoint [%11#1, %c0] by (4, 4) : index
  %37 = affine.linearize_index disjoint [%6#0, %36] by (2, 16) : index
  %38 = affine.linearize_index disjoint [%6#1, %11#2] by (2, 16) : index
  %39 = vector.load %1[%7#0, %9] : memref<32x128xi8, #amdgpu.address_space<fat_raw_buffer>>, vector<16xi8>
  vector.store %39, %alloc_1[%7#0, %9] : memref<32x136xi8, #gpu.address_space<workgroup>>, vector<16xi8>
  %40 = vector.load %3[%8#0, %10] : memref<128x32xi8, #amdgpu.address_space<fat_raw_buffer>>, vector<16xi8>
  vector.store %40, %alloc[%8#0, %10] : memref<128x40xi8, #gpu.address_space<workgroup>>, vector<16xi8>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %41 = affine.linearize_index disjoint [%6#0, %11#2] by (2, 16) : index
  %42 = vector.load %alloc_1[%41, %12] : memref<32x136xi8, #gpu.address_space<workgroup>>, vector<16xi8>
  %43 = affine.linearize_index disjoint [%c0, %12] by (2, 64) : index
  %44 = arith.addi %43, %c64 overflow<nsw> : index
  %45 = vector.load %alloc_1[%41, %44] : memref<32x136xi8, #gpu.address_space<workgroup>>, vector<16xi8>
  %46 = amdgpu.transpose_load %alloc[%22, %23] : memref<128x40xi8, #gpu.address_space<workgroup>> -> vector<8xi8>
  %47 = amdgpu.transpose_load %alloc[%27, %23] : memref<128x40xi8, #gpu.address_space<workgroup>> -> vector<8xi8>
  %48 = amdgpu.transpose_load %alloc[%31, %23] : memref<128x40xi8, #gpu.address_space<workgroup>> -> vector<8xi8>
  %49 = amdgpu.transpose_load %alloc[%35, %23] : memref<128x40xi8, #gpu.address_space<workgroup>> -> vector<8xi8>
  %50 = vector.insert_strided_slice %46, %cst offsets = [0], strides = [1] : vector<8xi8> into vector<32xi8>
  %51 = vector.insert_strided_slice %47, %50 offsets = [8], strides = [1] : vector<8xi8> into vector<32xi8>
  %52 = vector.insert_strided_slice %48, %51 offsets = [16], strides = [1] : vector<8xi8> into vector<32xi8>
  %53 = vector.insert_strided_slice %49, %52 offsets = [24], strides = [1] : vector<8xi8> into vector<32xi8>
  %54 = vector.extract_strided_slice %53 offsets = [0], sizes = [16], strides = [1] : vector<32xi8> to vector<16xi8>
  %55 = vector.extract_strided_slice %53 offsets = [16], sizes = [16], strides = [1] : vector<32xi8> to vector<16xi8>
  %56 = amdgpu.mfma 16x16x64 %42 * %54 + %cst_0 : vector<16xi8>, vector<16xi8>, vector<4xi32>
  %57 = amdgpu.mfma 16x16x64 %45 * %55 + %56 : vector<16xi8>, vector<16xi8>, vector<4xi32>
  %58 = vector.extract %57[0] : i32 from vector<4xi32>
  %59 = vector.broadcast %58 : i32 to vector<1xi32>
  %60 = vector.extract %57[1] : i32 from vector<4xi32>
  %61 = vector.broadcast %60 : i32 to vector<1xi32>
  %62 = vector.extract %57[2] : i32 from vector<4xi32>
  %63 = vector.broadcast %62 : i32 to vector<1xi32>
  %64 = vector.extract %57[3] : i32 from vector<4xi32>
  %65 = vector.broadcast %64 : i32 to vector<1xi32>
  vector.store %59, %5[%37, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  %66 = arith.addi %37, %c1 overflow<nsw> : index
  vector.store %61, %5[%66, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  %67 = arith.addi %37, %c2 overflow<nsw> : index
  vector.store %63, %5[%67, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  %68 = arith.addi %37, %c3 overflow<nsw> : index
  vector.store %65, %5[%68, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  %69 = memref.load %5[%37, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>
  %70 = vector.broadcast %69 : i32 to vector<1xi32>
  %71 = memref.load %5[%66, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>
  %72 = vector.broadcast %71 : i32 to vector<1xi32>
  %73 = memref.load %5[%67, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>
  %74 = vector.broadcast %73 : i32 to vector<1xi32>
  %75 = memref.load %5[%68, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>
  %76 = vector.broadcast %75 : i32 to vector<1xi32>
  vector.store %70, %5[%37, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  vector.store %72, %5[%66, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  vector.store %74, %5[%67, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  vector.store %76, %5[%68, %38] : memref<32x32xi32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xi32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  memref.dealloc %alloc_1 : memref<32x136xi8, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<128x40xi8, #gpu.address_space<workgroup>>
  return
}

// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx950 -o out.vmfb \
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
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c8 = arith.constant 8 : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %cst = arith.constant dense<0.000000e+00> : vector<16xf16>
  %cst_0 = arith.constant dense<0.000000e+00> : vector<4xf32>
  %alloc = memref.alloc() : memref<64x32xf16, #gpu.address_space<workgroup>>
  %alloc_1 = memref.alloc() : memref<2048xf16, #gpu.address_space<workgroup>>
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<32x64xf16, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<32x64xf16, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<32x64xf16, #gpu.address_space<global>> to memref<32x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x32xf16, #gpu.address_space<global>>
  %assume_align_2 = memref.assume_alignment %2, 64 : memref<64x32xf16, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_2 resetOffset : memref<64x32xf16, #gpu.address_space<global>> to memref<64x32xf16, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<32x32xf32, #gpu.address_space<global>>
  %assume_align_3 = memref.assume_alignment %4, 64 : memref<32x32xf32, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_3 resetOffset : memref<32x32xf32, #gpu.address_space<global>> to memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %6:3 = affine.delinearize_index %thread_id_x into (2, 2, 64) : index, index, index
  %7:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
  %8 = arith.muli %7#1, %c8 : index
  %9 = affine.apply affine_map<()[s0] -> (s0 * 512)>()[%7#0]
  %10 = arith.addi %9, %8 : index
  %11 = arith.remui %10, %c8 : index
  %12 = arith.subi %10, %11 : index
  %13 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%12]
  %14 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%12]
  %15 = arith.xori %14, %13 : index
  %16 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%12, %15]
  %17 = arith.subi %16, %12 : index
  %18 = arith.addi %10, %17 : index
  %19 = arith.subi %18, %9 : index
  %20:2 = affine.delinearize_index %19 into (8, 64) : index, index
  %21 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 8)>()[%20#0, %7#0]
  %22 = affine.apply affine_map<()[s0] -> (s0 * 8)>()[%7#0]
  %23 = affine.linearize_index disjoint [%22, %c0] by (32, 64) : index
  %24:2 = affine.delinearize_index %8 into (16, 32) : index, index
  %25 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 16)>()[%24#0, %7#0]
  %26 = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%7#0]
  %27:3 = affine.delinearize_index %6#2 into (4, 16) : index, index, index
  %28 = affine.linearize_index disjoint [%27#1, %c0] by (4, 8) : index
  %29 = gpu.lane_id upper_bound 64
  %30 = arith.remui %29, %c16 : index
  %31 = arith.divui %30, %c4 : index
  %32 = arith.subi %27#2, %30 : index
  %33 = arith.remui %30, %c4 : index
  %34 = arith.muli %33, %c4 : index
  %35 = arith.addi %32, %34 : index
  %36:2 = affine.delinearize_index %31 into (2, 8) : index, index
  %37 = arith.addi %28, %36#1 : index
  %38 = affine.linearize_index disjoint [%36#0, %37] by (2, 32) : index
  %39 = affine.linearize_index disjoint [%6#1, %35] by (2, 16) : index
  %40 = arith.addi %31, %c4 : index
  %41:2 = affine.delinearize_index %40 into (2, 8) : index, index
  %42 = arith.addi %28, %41#1 : index
  %43 = affine.linearize_index disjoint [%41#0, %42] by (2, 32) : index
  %44 = arith.addi %31, %c8 : index
  %45:2 = affine.delinearize_index %44 into (2, 8) : index, index
  %46 = arith.addi %28, %45#1 : index
  %47 = affine.linearize_index disjoint [%45#0, %46] by (2, 32) : index
  %48 = arith.addi %31, %c12 : index
  %49:2 = affine.delinearize_index %48 into (2, 8) : index, index
  %50 = arith.addi %28, %49#1 : index
  %51 = affine.linearize_index disjoint [%49#0, %50] by (2, 32) : index
  %52 = affine.linearize_index disjoint [%27#1, %c0] by (4, 4) : index
  %53 = affine.linearize_index disjoint [%6#0, %52] by (2, 16) : index
  %54 = affine.linearize_index disjoint [%6#1, %27#2] by (2, 16) : index
  amdgpu.gather_to_lds %1[%21, %20#1], %alloc_1[%23] : vector<8xf16>, memref<32x64xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<2048xf16, #gpu.address_space<workgroup>>
  amdgpu.gather_to_lds %3[%25, %24#1], %alloc[%26, %c0] : vector<8xf16>, memref<64x32xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<64x32xf16, #gpu.address_space<workgroup>>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %55 = affine.linearize_index disjoint [%6#0, %27#2, %c0, %28] by (2, 16, 2, 32) : index
  %cst_4 = arith.constant dense<0.000000e+00> : vector<8xf16>
  %c8_5 = arith.constant 8 : index
  %56 = arith.remui %55, %c8_5 : index
  %57 = arith.subi %55, %56 : index
  %c64 = arith.constant 64 : index
  %c1_6 = arith.constant 1 : index
  %c64_7 = arith.constant 64 : index
  %c8_8 = arith.constant 8 : index
  %58 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%57]
  %59 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%57]
  %60 = arith.xori %59, %58 : index
  %61 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%57, %60]
  %62 = arith.subi %61, %57 : index
  %63 = arith.addi %55, %62 : index
  %64 = vector.load %alloc_1[%63] : memref<2048xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %65 = vector.insert_strided_slice %64, %cst_4 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
  %66 = arith.addi %55, %c32 overflow<nsw> : index
  %cst_9 = arith.constant dense<0.000000e+00> : vector<8xf16>
  %c8_10 = arith.constant 8 : index
  %67 = arith.remui %66, %c8_10 : index
  %68 = arith.subi %66, %67 : index
  %c64_11 = arith.constant 64 : index
  %c1_12 = arith.constant 1 : index
  %c64_13 = arith.constant 64 : index
  %c8_14 = arith.constant 8 : index
  %69 = affine.apply affine_map<()[s0] -> ((s0 mod 64) floordiv 8)>()[%68]
  %70 = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) mod 8)>()[%68]
  %71 = arith.xori %70, %69 : index
  %72 = affine.apply affine_map<()[s0, s1] -> (s1 * 8 + (s0 floordiv 64) * 64)>()[%68, %71]
  %73 = arith.subi %72, %68 : index
  %74 = arith.addi %66, %73 : index
  %75 = vector.load %alloc_1[%74] : memref<2048xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %76 = vector.insert_strided_slice %75, %cst_9 offsets = [0], strides = [1] : vector<8xf16> into vector<8xf16>
  %77 = amdgpu.transpose_load %alloc[%38, %39] : memref<64x32xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
  %78 = amdgpu.transpose_load %alloc[%43, %39] : memref<64x32xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
  %79 = amdgpu.transpose_load %alloc[%47, %39] : memref<64x32xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
  %80 = amdgpu.transpose_load %alloc[%51, %39] : memref<64x32xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
  %81 = vector.insert_strided_slice %77, %cst offsets = [0], strides = [1] : vector<4xf16> into vector<16xf16>
  %82 = vector.insert_strided_slice %78, %81 offsets = [4], strides = [1] : vector<4xf16> into vector<16xf16>
  %83 = vector.insert_strided_slice %79, %82 offsets = [8], strides = [1] : vector<4xf16> into vector<16xf16>
  %84 = vector.insert_strided_slice %80, %83 offsets = [12], strides = [1] : vector<4xf16> into vector<16xf16>
  %85 = vector.extract_strided_slice %84 offsets = [0], sizes = [8], strides = [1] : vector<16xf16> to vector<8xf16>
  %86 = vector.extract_strided_slice %84 offsets = [8], sizes = [8], strides = [1] : vector<16xf16> to vector<8xf16>
  %87 = amdgpu.mfma 16x16x32 %65 * %85 + %cst_0 : vector<8xf16>, vector<8xf16>, vector<4xf32>
  %88 = amdgpu.mfma 16x16x32 %76 * %86 + %87 : vector<8xf16>, vector<8xf16>, vector<4xf32>
  %89 = vector.extract %88[0] : f32 from vector<4xf32>
  %90 = vector.broadcast %89 : f32 to vector<1xf32>
  %91 = vector.extract %88[1] : f32 from vector<4xf32>
  %92 = vector.broadcast %91 : f32 to vector<1xf32>
  %93 = vector.extract %88[2] : f32 from vector<4xf32>
  %94 = vector.broadcast %93 : f32 to vector<1xf32>
  %95 = vector.extract %88[3] : f32 from vector<4xf32>
  %96 = vector.broadcast %95 : f32 to vector<1xf32>
  vector.store %90, %5[%53, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %97 = arith.addi %53, %c1 overflow<nsw> : index
  vector.store %92, %5[%97, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %98 = arith.addi %53, %c2 overflow<nsw> : index
  vector.store %94, %5[%98, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %99 = arith.addi %53, %c3 overflow<nsw> : index
  vector.store %96, %5[%99, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %100 = memref.load %5[%53, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %101 = vector.broadcast %100 : f32 to vector<1xf32>
  %102 = memref.load %5[%97, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %103 = vector.broadcast %102 : f32 to vector<1xf32>
  %104 = memref.load %5[%98, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %105 = vector.broadcast %104 : f32 to vector<1xf32>
  %106 = memref.load %5[%99, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>
  %107 = vector.broadcast %106 : f32 to vector<1xf32>
  vector.store %101, %5[%53, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %103, %5[%97, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %105, %5[%98, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %107, %5[%99, %54] : memref<32x32xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  memref.dealloc %alloc_1 : memref<2048xf16, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
  return
}

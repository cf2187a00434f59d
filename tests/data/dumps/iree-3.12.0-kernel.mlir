// iree-base-compiler 3.12.0: iree-compile matmul.mlir -o matmul.vmfb
//   --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 --mlir-disable-threading
//   --mlir-print-local-scope --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints
// -----// IR Dump After ResolveSwizzleHintsPass: iree-codegen-resolve-swizzle-hints //----- //
func.func @mm_dispatch_0_matmul_64x64x64_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
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
  %alloc = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
  %alloc_0 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
  %thread_id_x = gpu.thread_id x upper_bound 256
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<64x64xf16, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<64x64xf16, #gpu.address_space<global>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<64x64xf16, #gpu.address_space<global>>
  %assume_align_1 = memref.assume_alignment %2, 64 : memref<64x64xf16, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_1 resetOffset : memref<64x64xf16, #gpu.address_space<global>> to memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>
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
  %14 = vector.load %1[%7#0, %8] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %14, %alloc[%7#0, %8] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %15 = vector.load %1[%10#0, %11] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %15, %alloc[%10#0, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %16 = vector.load %3[%7#0, %8] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %16, %alloc_0[%7#0, %8] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %17 = vector.load %3[%10#0, %11] : memref<64x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  vector.store %17, %alloc_0[%10#0, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %18 = vector.load %alloc[%12#2, %13] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %19 = affine.linearize_index disjoint [%c0, %13] by (4, 16) : index
  %20 = arith.addi %19, %c16 overflow<nsw> : index
  %21 = vector.load %alloc[%12#2, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %22 = arith.addi %19, %c32 overflow<nsw> : index
  %23 = vector.load %alloc[%12#2, %22] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %24 = arith.addi %19, %c48 overflow<nsw> : index
  %25 = vector.load %alloc[%12#2, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %26 = affine.linearize_index disjoint [%c0, %12#2] by (4, 16) : index
  %27 = arith.addi %26, %c16 overflow<nsw> : index
  %28 = vector.load %alloc[%27, %13] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %29 = vector.load %alloc[%27, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %30 = vector.load %alloc[%27, %22] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %31 = vector.load %alloc[%27, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %32 = arith.addi %26, %c32 overflow<nsw> : index
  %33 = vector.load %alloc[%32, %13] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %34 = vector.load %alloc[%32, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %35 = vector.load %alloc[%32, %22] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %36 = vector.load %alloc[%32, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %37 = arith.addi %26, %c48 overflow<nsw> : index
  %38 = vector.load %alloc[%37, %13] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %39 = vector.load %alloc[%37, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %40 = vector.load %alloc[%37, %22] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %41 = vector.load %alloc[%37, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %42 = affine.linearize_index disjoint [%6#0, %12#2] by (4, 16) : index
  %43 = vector.load %alloc_0[%42, %13] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %44 = vector.load %alloc_0[%42, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %45 = vector.load %alloc_0[%42, %22] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %46 = vector.load %alloc_0[%42, %24] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  %47 = amdgpu.mfma 16x16x16 %18 * %43 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %48 = amdgpu.mfma 16x16x16 %28 * %43 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %49 = amdgpu.mfma 16x16x16 %33 * %43 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %50 = amdgpu.mfma 16x16x16 %38 * %43 + %cst : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %51 = amdgpu.mfma 16x16x16 %21 * %44 + %47 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %52 = amdgpu.mfma 16x16x16 %29 * %44 + %48 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %53 = amdgpu.mfma 16x16x16 %34 * %44 + %49 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %54 = amdgpu.mfma 16x16x16 %39 * %44 + %50 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %55 = amdgpu.mfma 16x16x16 %23 * %45 + %51 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %56 = amdgpu.mfma 16x16x16 %30 * %45 + %52 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %57 = amdgpu.mfma 16x16x16 %35 * %45 + %53 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %58 = amdgpu.mfma 16x16x16 %40 * %45 + %54 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %59 = amdgpu.mfma 16x16x16 %25 * %46 + %55 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %60 = amdgpu.mfma 16x16x16 %31 * %46 + %56 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %61 = amdgpu.mfma 16x16x16 %36 * %46 + %57 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %62 = amdgpu.mfma 16x16x16 %41 * %46 + %58 : vector<4xf16>, vector<4xf16>, vector<4xf32>
  %63 = vector.extract %59[0] : f32 from vector<4xf32>
  %64 = vector.broadcast %63 : f32 to vector<1xf32>
  %65 = vector.extract %59[1] : f32 from vector<4xf32>
  %66 = vector.broadcast %65 : f32 to vector<1xf32>
  %67 = vector.extract %59[2] : f32 from vector<4xf32>
  %68 = vector.broadcast %67 : f32 to vector<1xf32>
  %69 = vector.extract %59[3] : f32 from vector<4xf32>
  %70 = vector.broadcast %69 : f32 to vector<1xf32>
  %71 = vector.extract %60[0] : f32 from vector<4xf32>
  %72 = vector.broadcast %71 : f32 to vector<1xf32>
  %73 = vector.extract %60[1] : f32 from vector<4xf32>
  %74 = vector.broadcast %73 : f32 to vector<1xf32>
  %75 = vector.extract %60[2] : f32 from vector<4xf32>
  %76 = vector.broadcast %75 : f32 to vector<1xf32>
  %77 = vector.extract %60[3] : f32 from vector<4xf32>
  %78 = vector.broadcast %77 : f32 to vector<1xf32>
  %79 = vector.extract %61[0] : f32 from vector<4xf32>
  %80 = vector.broadcast %79 : f32 to vector<1xf32>
  %81 = vector.extract %61[1] : f32 from vector<4xf32>
  %82 = vector.broadcast %81 : f32 to vector<1xf32>
  %83 = vector.extract %61[2] : f32 from vector<4xf32>
  %84 = vector.broadcast %83 : f32 to vector<1xf32>
  %85 = vector.extract %61[3] : f32 from vector<4xf32>
  %86 = vector.broadcast %85 : f32 to vector<1xf32>
  %87 = vector.extract %62[0] : f32 from vector<4xf32>
  %88 = vector.broadcast %87 : f32 to vector<1xf32>
  %89 = vector.extract %62[1] : f32 from vector<4xf32>
  %90 = vector.broadcast %89 : f32 to vector<1xf32>
  %91 = vector.extract %62[2] : f32 from vector<4xf32>
  %92 = vector.broadcast %91 : f32 to vector<1xf32>
  %93 = vector.extract %62[3] : f32 from vector<4xf32>
  %94 = vector.broadcast %93 : f32 to vector<1xf32>
  vector.store %64, %5[%13, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %95 = arith.addi %13, %c1 overflow<nsw> : index
  vector.store %66, %5[%95, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %96 = arith.addi %13, %c2 overflow<nsw> : index
  vector.store %68, %5[%96, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %97 = arith.addi %13, %c3 overflow<nsw> : index
  vector.store %70, %5[%97, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %72, %5[%20, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %98 = arith.addi %19, %c17 overflow<nsw> : index
  vector.store %74, %5[%98, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %99 = arith.addi %19, %c18 overflow<nsw> : index
  vector.store %76, %5[%99, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %100 = arith.addi %19, %c19 overflow<nsw> : index
  vector.store %78, %5[%100, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %80, %5[%22, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %101 = arith.addi %19, %c33 overflow<nsw> : index
  vector.store %82, %5[%101, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %102 = arith.addi %19, %c34 overflow<nsw> : index
  vector.store %84, %5[%102, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %103 = arith.addi %19, %c35 overflow<nsw> : index
  vector.store %86, %5[%103, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  vector.store %88, %5[%24, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %104 = arith.addi %19, %c49 overflow<nsw> : index
  vector.store %90, %5[%104, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %105 = arith.addi %19, %c50 overflow<nsw> : index
  vector.store %92, %5[%105, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  %106 = arith.addi %19, %c51 overflow<nsw> : index
  vector.store %94, %5[%106, %42] : memref<64x64xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<1xf32>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  memref.dealloc %alloc_0 : memref<64x68xf16, #gpu.address_space<workgroup>>
  memref.dealloc %alloc : memref<64x68xf16, #gpu.address_space<workgroup>>
  return
}


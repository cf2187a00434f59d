// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx950 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @attn(%q: tensor<1x128x64xf16>, %k: tensor<1x128x64xf16>, %v: tensor<1x128x64xf16>) -> tensor<1x128x64xf16> {
//     %s = arith.constant 0.125 : f16
//     %e = tensor.empty() : tensor<1x128x64xf16>
//     %r = iree_linalg_ext.attention <indexing_maps = [
//            affine_map<(b, m, n, k1, k2) -> (b, m, k1)>, affine_map<(b, m, n, k1, k2) -> (b, k2, k1)>, affine_map<(b, m, n, k1, k2) -> (b, k2, n)>,
//            affine_map<(b, m, n, k1, k2) -> ()>, affine_map<(b, m, n, k1, k2) -> (b, m, n)>]>
//          ins(%q, %k, %v, %s : tensor<1x128x64xf16>, tensor<1x128x64xf16>, tensor<1x128x64xf16>, f16)
//          outs(%e : tensor<1x128x64xf16>) { ^bb0(%x: f32): iree_linalg_ext.yield %x : f32 } -> tensor<1x128x64xf16>
//     return %r : tensor<1x128x64xf16>
//   }
func.func @attn_dispatch_0_attention_128x64x64x128() attributes {iree_codegen.denormal_fp_math_f32 = #iree_codegen.denormal_fp_math<"preserve-sign">} {
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
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant dense<0.000000e+00> : vector<1xf32>
  %c32_i32 = arith.constant 32 : i32
  %c64_i32 = arith.constant 64 : i32
  %c16_i32 = arith.constant 16 : i32
  %cst_2 = arith.constant dense<0.000000e+00> : vector<4xf32>
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %cst_3 = arith.constant dense<-3.40282347E+38> : vector<1xf32>
  %cst_4 = arith.constant dense<1.802980e-01> : vector<8xf16>
  %cst_5 = arith.constant dense<1.000000e+00> : vector<1xf32>
  %thread_id_y = gpu.thread_id y
  %thread_id_x = gpu.thread_id x
  %alloc = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
  %subview = memref.subview %alloc[0, 0] [64, 64] [1, 1] : memref<64x68xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
  %alloc_6 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
  %subview_7 = memref.subview %alloc_6[0, 0] [64, 64] [1, 1] : memref<64x68xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
  %alloc_8 = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
  %subview_9 = memref.subview %alloc_8[0, 0] [64, 64] [1, 1] : memref<64x68xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<128x64xf16, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<128x64xf16, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<128x64xf16, #gpu.address_space<global>> to memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<128x64xf16, #gpu.address_space<global>>
  %assume_align_10 = memref.assume_alignment %2, 64 : memref<128x64xf16, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_10 resetOffset : memref<128x64xf16, #gpu.address_space<global>> to memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<128x64xf16, #gpu.address_space<global>>
  %assume_align_11 = memref.assume_alignment %4, 64 : memref<128x64xf16, #gpu.address_space<global>>
  %5 = amdgpu.fat_raw_buffer_cast %assume_align_11 resetOffset : memref<128x64xf16, #gpu.address_space<global>> to memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %6 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(3) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<128x64xf16, #gpu.address_space<global>>
  %assume_align_12 = memref.assume_alignment %6, 64 : memref<128x64xf16, #gpu.address_space<global>>
  %7 = amdgpu.fat_raw_buffer_cast %assume_align_12 resetOffset : memref<128x64xf16, #gpu.address_space<global>> to memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>
  %workgroup_id_x = hal.interface.workgroup.id[0] : index
  %8 = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%workgroup_id_x]
  %9:2 = affine.delinearize_index %thread_id_x into (32, 8) : index, index
  %10 = affine.linearize_index [%9#0, %8] by (32, 1) : index
  %11 = affine.linearize_index disjoint [%9#1, %c0] by (8, 8) : index
  %12 = vector.load %1[%10, %11] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  %13 = affine.linearize_index [%c0, %9#0, %8] by (2, 32, 1) : index
  %14 = arith.addi %13, %c32 overflow<nsw> : index
  %15 = vector.load %1[%14, %11] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
  %16 = arith.cmpi eq, %thread_id_y, %c0 : index
  scf.if %16 {
    vector.store %12, %alloc_8[%9#0, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %39 = affine.linearize_index disjoint [%c0, %9#0] by (2, 32) : index
    %40 = arith.addi %39, %c32 overflow<nsw> : index
    vector.store %15, %alloc_8[%40, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  }
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %17:2 = affine.delinearize_index %thread_id_x into (4, 64) : index, index
  %18:3 = affine.delinearize_index %thread_id_x into (4, 16) : index, index, index
  %19 = affine.linearize_index disjoint [%17#0, %18#2] by (4, 16) : index
  %20 = affine.linearize_index disjoint [%18#1, %c0] by (4, 8) : index
  %21 = vector.load %alloc_8[%19, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %22 = affine.linearize_index disjoint [%c0, %18#1, %c0] by (2, 4, 8) : index
  %23 = arith.addi %22, %c32 overflow<nsw> : index
  %24 = vector.load %alloc_8[%19, %23] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  %25 = arith.mulf %21, %cst_4 : vector<8xf16>
  %26 = arith.mulf %24, %cst_4 : vector<8xf16>
  %27:6 = scf.for %arg0 = %c0 to %c128 step %c64 iter_args(%arg1 = %cst_2, %arg2 = %cst_2, %arg3 = %cst_2, %arg4 = %cst_2, %arg5 = %cst_1, %arg6 = %cst_3) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<1xf32>, vector<1xf32>) {
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %39 = affine.linearize_index [%9#0, %arg0] by (32, 1) : index
    %40 = vector.load %3[%39, %11] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    %41 = affine.linearize_index [%c0, %9#0, %arg0] by (2, 32, 1) : index
    %42 = arith.addi %41, %c32 overflow<nsw> : index
    %43 = vector.load %3[%42, %11] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    scf.if %16 {
      vector.store %40, %alloc_6[%9#0, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %286 = affine.linearize_index disjoint [%c0, %9#0] by (2, 32) : index
      %287 = arith.addi %286, %c32 overflow<nsw> : index
      vector.store %43, %alloc_6[%287, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    }
    %44 = vector.load %5[%39, %11] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    %45 = vector.load %5[%42, %11] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf16>
    scf.if %16 {
      vector.store %44, %alloc[%9#0, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %286 = affine.linearize_index disjoint [%c0, %9#0] by (2, 32) : index
      %287 = arith.addi %286, %c32 overflow<nsw> : index
      vector.store %45, %alloc[%287, %11] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    }
    gpu.barrier memfence [#gpu.address_space<workgroup>]
    %46 = vector.load %alloc_6[%18#2, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %47 = vector.load %alloc_6[%18#2, %23] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %48 = affine.linearize_index disjoint [%c0, %18#2] by (4, 16) : index
    %49 = arith.addi %48, %c16 overflow<nsw> : index
    %50 = vector.load %alloc_6[%49, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %51 = vector.load %alloc_6[%49, %23] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %52 = arith.addi %48, %c32 overflow<nsw> : index
    %53 = vector.load %alloc_6[%52, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %54 = vector.load %alloc_6[%52, %23] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %55 = arith.addi %48, %c48 overflow<nsw> : index
    %56 = vector.load %alloc_6[%55, %20] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %57 = vector.load %alloc_6[%55, %23] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %58 = amdgpu.mfma 16x16x32 %46 * %25 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %59 = amdgpu.mfma 16x16x32 %50 * %25 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %60 = amdgpu.mfma 16x16x32 %53 * %25 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %61 = amdgpu.mfma 16x16x32 %56 * %25 + %cst_2 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %62 = amdgpu.mfma 16x16x32 %47 * %26 + %58 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %63 = amdgpu.mfma 16x16x32 %51 * %26 + %59 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %64 = amdgpu.mfma 16x16x32 %54 * %26 + %60 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %65 = amdgpu.mfma 16x16x32 %57 * %26 + %61 : vector<8xf16>, vector<8xf16>, vector<4xf32>
    %66:4 = vector.to_elements %62 : vector<4xf32>
    %67:4 = vector.to_elements %63 : vector<4xf32>
    %68:4 = vector.to_elements %64 : vector<4xf32>
    %69:4 = vector.to_elements %65 : vector<4xf32>
    %70 = vector.from_elements %66#0, %66#1, %66#2, %66#3, %67#0, %67#1, %67#2, %67#3, %68#0, %68#1, %68#2, %68#3, %69#0, %69#1, %69#2, %69#3 : vector<16xf32>
    %71 = vector.reduction <maximumf>, %70, %cst_0 : vector<16xf32> into f32
    %shuffleResult, %valid = gpu.shuffle xor %71, %c16_i32, %c64_i32 : f32
    %72 = arith.maximumf %71, %shuffleResult : f32
    %shuffleResult_13, %valid_14 = gpu.shuffle xor %72, %c32_i32, %c64_i32 : f32
    %73 = arith.maximumf %72, %shuffleResult_13 : f32
    %74 = vector.broadcast %73 : f32 to vector<1xf32>
    %75 = arith.maximumf %74, %arg6 : vector<1xf32>
    %76 = arith.subf %arg6, %75 : vector<1xf32>
    %77 = math.exp2 %76 : vector<1xf32>
    %78 = arith.mulf %77, %arg5 : vector<1xf32>
    %79 = vector.extract %75[0] : f32 from vector<1xf32>
    %80 = vector.broadcast %79 : f32 to vector<4xf32>
    %81 = arith.subf %62, %80 : vector<4xf32>
    %82 = arith.subf %63, %80 : vector<4xf32>
    %83 = arith.subf %64, %80 : vector<4xf32>
    %84 = arith.subf %65, %80 : vector<4xf32>
    %85 = math.exp2 %81 : vector<4xf32>
    %86 = math.exp2 %82 : vector<4xf32>
    %87 = math.exp2 %83 : vector<4xf32>
    %88 = math.exp2 %84 : vector<4xf32>
    %89:4 = vector.to_elements %85 : vector<4xf32>
    %90:4 = vector.to_elements %86 : vector<4xf32>
    %91:4 = vector.to_elements %87 : vector<4xf32>
    %92:4 = vector.to_elements %88 : vector<4xf32>
    %93 = vector.from_elements %89#0, %89#1, %89#2, %89#3, %90#0, %90#1, %90#2, %90#3, %91#0, %91#1, %91#2, %91#3, %92#0, %92#1, %92#2, %92#3 : vector<16xf32>
    %94 = vector.reduction <add>, %93, %cst : vector<16xf32> into f32
    %shuffleResult_15, %valid_16 = gpu.shuffle xor %94, %c16_i32, %c64_i32 : f32
    %95 = arith.addf %94, %shuffleResult_15 : f32
    %shuffleResult_17, %valid_18 = gpu.shuffle xor %95, %c32_i32, %c64_i32 : f32
    %96 = arith.addf %95, %shuffleResult_17 : f32
    %97 = vector.broadcast %96 : f32 to vector<1xf32>
    %98 = arith.addf %97, %78 : vector<1xf32>
    %99 = arith.truncf %85 : vector<4xf32> to vector<4xf16>
    %100 = arith.truncf %86 : vector<4xf32> to vector<4xf16>
    %101 = arith.truncf %87 : vector<4xf32> to vector<4xf16>
    %102 = arith.truncf %88 : vector<4xf32> to vector<4xf16>
    %103 = vector.extract %77[0] : f32 from vector<1xf32>
    %104 = vector.broadcast %103 : f32 to vector<4xf32>
    %105 = arith.mulf %104, %arg1 : vector<4xf32>
    %106 = arith.mulf %104, %arg2 : vector<4xf32>
    %107 = arith.mulf %104, %arg3 : vector<4xf32>
    %108 = arith.mulf %104, %arg4 : vector<4xf32>
    %109 = affine.linearize_index disjoint [%18#1, %c0] by (4, 4) : index
    %110 = vector.load %alloc[%109, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %111 = arith.addi %109, %c1 overflow<nsw> : index
    %112 = vector.load %alloc[%111, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %113 = arith.addi %109, %c2 overflow<nsw> : index
    %114 = vector.load %alloc[%113, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %115 = arith.addi %109, %c3 overflow<nsw> : index
    %116 = vector.load %alloc[%115, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %117 = vector.load %alloc[%109, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %118 = vector.load %alloc[%111, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %119 = vector.load %alloc[%113, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %120 = vector.load %alloc[%115, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %121 = vector.load %alloc[%109, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %122 = vector.load %alloc[%111, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %123 = vector.load %alloc[%113, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %124 = vector.load %alloc[%115, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %125 = vector.load %alloc[%109, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %126 = vector.load %alloc[%111, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %127 = vector.load %alloc[%113, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %128 = vector.load %alloc[%115, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %129 = affine.linearize_index disjoint [%c0, %18#1, %c0] by (4, 4, 4) : index
    %130 = arith.addi %129, %c16 overflow<nsw> : index
    %131 = vector.load %alloc[%130, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %132 = arith.addi %129, %c17 overflow<nsw> : index
    %133 = vector.load %alloc[%132, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %134 = arith.addi %129, %c18 overflow<nsw> : index
    %135 = vector.load %alloc[%134, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %136 = arith.addi %129, %c19 overflow<nsw> : index
    %137 = vector.load %alloc[%136, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %138 = vector.load %alloc[%130, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %139 = vector.load %alloc[%132, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %140 = vector.load %alloc[%134, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %141 = vector.load %alloc[%136, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %142 = vector.load %alloc[%130, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %143 = vector.load %alloc[%132, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %144 = vector.load %alloc[%134, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %145 = vector.load %alloc[%136, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %146 = vector.load %alloc[%130, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %147 = vector.load %alloc[%132, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %148 = vector.load %alloc[%134, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %149 = vector.load %alloc[%136, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %150 = arith.addi %129, %c32 overflow<nsw> : index
    %151 = vector.load %alloc[%150, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %152 = arith.addi %129, %c33 overflow<nsw> : index
    %153 = vector.load %alloc[%152, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %154 = arith.addi %129, %c34 overflow<nsw> : index
    %155 = vector.load %alloc[%154, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %156 = arith.addi %129, %c35 overflow<nsw> : index
    %157 = vector.load %alloc[%156, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %158 = vector.load %alloc[%150, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %159 = vector.load %alloc[%152, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %160 = vector.load %alloc[%154, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %161 = vector.load %alloc[%156, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %162 = vector.load %alloc[%150, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %163 = vector.load %alloc[%152, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %164 = vector.load %alloc[%154, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %165 = vector.load %alloc[%156, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %166 = vector.load %alloc[%150, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %167 = vector.load %alloc[%152, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %168 = vector.load %alloc[%154, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %169 = vector.load %alloc[%156, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %170 = arith.addi %129, %c48 overflow<nsw> : index
    %171 = vector.load %alloc[%170, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %172 = arith.addi %129, %c49 overflow<nsw> : index
    %173 = vector.load %alloc[%172, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %174 = arith.addi %129, %c50 overflow<nsw> : index
    %175 = vector.load %alloc[%174, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %176 = arith.addi %129, %c51 overflow<nsw> : index
    %177 = vector.load %alloc[%176, %18#2] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %178 = vector.load %alloc[%170, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %179 = vector.load %alloc[%172, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %180 = vector.load %alloc[%174, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %181 = vector.load %alloc[%176, %49] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %182 = vector.load %alloc[%170, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %183 = vector.load %alloc[%172, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %184 = vector.load %alloc[%174, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %185 = vector.load %alloc[%176, %52] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %186 = vector.load %alloc[%170, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %187 = vector.load %alloc[%172, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %188 = vector.load %alloc[%174, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %189 = vector.load %alloc[%176, %55] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<1xf16>
    %190 = vector.extract %110[0] : f16 from vector<1xf16>
    %191 = vector.extract %112[0] : f16 from vector<1xf16>
    %192 = vector.extract %114[0] : f16 from vector<1xf16>
    %193 = vector.extract %116[0] : f16 from vector<1xf16>
    %194 = vector.from_elements %190, %191, %192, %193 : vector<4xf16>
    %195 = vector.extract %117[0] : f16 from vector<1xf16>
    %196 = vector.extract %118[0] : f16 from vector<1xf16>
    %197 = vector.extract %119[0] : f16 from vector<1xf16>
    %198 = vector.extract %120[0] : f16 from vector<1xf16>
    %199 = vector.from_elements %195, %196, %197, %198 : vector<4xf16>
    %200 = vector.extract %121[0] : f16 from vector<1xf16>
    %201 = vector.extract %122[0] : f16 from vector<1xf16>
    %202 = vector.extract %123[0] : f16 from vector<1xf16>
    %203 = vector.extract %124[0] : f16 from vector<1xf16>
    %204 = vector.from_elements %200, %201, %202, %203 : vector<4xf16>
    %205 = vector.extract %125[0] : f16 from vector<1xf16>
    %206 = vector.extract %126[0] : f16 from vector<1xf16>
    %207 = vector.extract %127[0] : f16 from vector<1xf16>
    %208 = vector.extract %128[0] : f16 from vector<1xf16>
    %209 = vector.from_elements %205, %206, %207, %208 : vector<4xf16>
    %210 = vector.extract %131[0] : f16 from vector<1xf16>
    %211 = vector.extract %133[0] : f16 from vector<1xf16>
    %212 = vector.extract %135[0] : f16 from vector<1xf16>
    %213 = vector.extract %137[0] : f16 from vector<1xf16>
    %214 = vector.from_elements %210, %211, %212, %213 : vector<4xf16>
    %215 = vector.extract %138[0] : f16 from vector<1xf16>
    %216 = vector.extract %139[0] : f16 from vector<1xf16>
    %217 = vector.extract %140[0] : f16 from vector<1xf16>
    %218 = vector.extract %141[0] : f16 from vector<1xf16>
    %219 = vector.from_elements %215, %216, %217, %218 : vector<4xf16>
    %220 = vector.extract %142[0] : f16 from vector<1xf16>
    %221 = vector.extract %143[0] : f16 from vector<1xf16>
    %222 = vector.extract %144[0] : f16 from vector<1xf16>
    %223 = vector.extract %145[0] : f16 from vector<1xf16>
    %224 = vector.from_elements %220, %221, %222, %223 : vector<4xf16>
    %225 = vector.extract %146[0] : f16 from vector<1xf16>
    %226 = vector.extract %147[0] : f16 from vector<1xf16>
    %227 = vector.extract %148[0] : f16 from vector<1xf16>
    %228 = vector.extract %149[0] : f16 from vector<1xf16>
    %229 = vector.from_elements %225, %226, %227, %228 : vector<4xf16>
    %230 = vector.extract %151[0] : f16 from vector<1xf16>
    %231 = vector.extract %153[0] : f16 from vector<1xf16>
    %232 = vector.extract %155[0] : f16 from vector<1xf16>
    %233 = vector.extract %157[0] : f16 from vector<1xf16>
    %234 = vector.from_elements %230, %231, %232, %233 : vector<4xf16>
    %235 = vector.extract %158[0] : f16 from vector<1xf16>
    %236 = vector.extract %159[0] : f16 from vector<1xf16>
    %237 = vector.extract %160[0] : f16 from vector<1xf16>
    %238 = vector.extract %161[0] : f16 from vector<1xf16>
    %239 = vector.from_elements %235, %236, %237, %238 : vector<4xf16>
    %240 = vector.extract %162[0] : f16 from vector<1xf16>
    %241 = vector.extract %163[0] : f16 from vector<1xf16>
    %242 = vector.extract %164[0] : f16 from vector<1xf16>
    %243 = vector.extract %165[0] : f16 from vector<1xf16>
    %244 = vector.from_elements %240, %241, %242, %243 : vector<4xf16>
    %245 = vector.extract %166[0] : f16 from vector<1xf16>
    %246 = vector.extract %167[0] : f16 from vector<1xf16>
    %247 = vector.extract %168[0] : f16 from vector<1xf16>
    %248 = vector.extract %169[0] : f16 from vector<1xf16>
    %249 = vector.from_elements %245, %246, %247, %248 : vector<4xf16>
    %250 = vector.extract %171[0] : f16 from vector<1xf16>
    %251 = vector.extract %173[0] : f16 from vector<1xf16>
    %252 = vector.extract %175[0] : f16 from vector<1xf16>
    %253 = vector.extract %177[0] : f16 from vector<1xf16>
    %254 = vector.from_elements %250, %251, %252, %253 : vector<4xf16>
    %255 = vector.extract %178[0] : f16 from vector<1xf16>
    %256 = vector.extract %179[0] : f16 from vector<1xf16>
    %257 = vector.extract %180[0] : f16 from vector<1xf16>
    %258 = vector.extract %181[0] : f16 from vector<1xf16>
    %259 = vector.from_elements %255, %256, %257, %258 : vector<4xf16>
    %260 = vector.extract %182[0] : f16 from vector<1xf16>
    %261 = vector.extract %183[0] : f16 from vector<1xf16>
    %262 = vector.extract %184[0] : f16 from vector<1xf16>
    %263 = vector.extract %185[0] : f16 from vector<1xf16>
    %264 = vector.from_elements %260, %261, %262, %263 : vector<4xf16>
    %265 = vector.extract %186[0] : f16 from vector<1xf16>
    %266 = vector.extract %187[0] : f16 from vector<1xf16>
    %267 = vector.extract %188[0] : f16 from vector<1xf16>
    %268 = vector.extract %189[0] : f16 from vector<1xf16>
    %269 = vector.from_elements %265, %266, %267, %268 : vector<4xf16>
    %270 = amdgpu.mfma 16x16x16 %194 * %99 + %105 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %271 = amdgpu.mfma 16x16x16 %199 * %99 + %106 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %272 = amdgpu.mfma 16x16x16 %204 * %99 + %107 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %273 = amdgpu.mfma 16x16x16 %209 * %99 + %108 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %274 = amdgpu.mfma 16x16x16 %214 * %100 + %270 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %275 = amdgpu.mfma 16x16x16 %219 * %100 + %271 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %276 = amdgpu.mfma 16x16x16 %224 * %100 + %272 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %277 = amdgpu.mfma 16x16x16 %229 * %100 + %273 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %278 = amdgpu.mfma 16x16x16 %234 * %101 + %274 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %279 = amdgpu.mfma 16x16x16 %239 * %101 + %275 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %280 = amdgpu.mfma 16x16x16 %244 * %101 + %276 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %281 = amdgpu.mfma 16x16x16 %249 * %101 + %277 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %282 = amdgpu.mfma 16x16x16 %254 * %102 + %278 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %283 = amdgpu.mfma 16x16x16 %259 * %102 + %279 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %284 = amdgpu.mfma 16x16x16 %264 * %102 + %280 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %285 = amdgpu.mfma 16x16x16 %269 * %102 + %281 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    scf.yield %282, %283, %284, %285, %98, %75 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<1xf32>, vector<1xf32>
  }
  %28 = arith.divf %cst_5, %27#4 : vector<1xf32>
  %29 = vector.extract %28[0] : f32 from vector<1xf32>
  %30 = vector.broadcast %29 : f32 to vector<4xf32>
  %31 = arith.mulf %30, %27#0 : vector<4xf32>
  %32 = arith.mulf %30, %27#1 : vector<4xf32>
  %33 = arith.mulf %30, %27#2 : vector<4xf32>
  %34 = arith.mulf %30, %27#3 : vector<4xf32>
  %35 = arith.truncf %31 : vector<4xf32> to vector<4xf16>
  %36 = arith.truncf %32 : vector<4xf32> to vector<4xf16>
  %37 = arith.truncf %33 : vector<4xf32> to vector<4xf16>
  %38 = arith.truncf %34 : vector<4xf32> to vector<4xf16>
  scf.if %16 {
    %39 = affine.linearize_index disjoint [%18#1, %c0] by (4, 4) : index
    %40 = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%19, %workgroup_id_x]
    vector.store %35, %7[%40, %39] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
    %41 = affine.linearize_index disjoint [%c0, %18#1, %c0] by (4, 4, 4) : index
    %42 = arith.addi %41, %c16 overflow<nsw> : index
    vector.store %36, %7[%40, %42] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
    %43 = arith.addi %41, %c32 overflow<nsw> : index
    vector.store %37, %7[%40, %43] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
    %44 = arith.addi %41, %c48 overflow<nsw> : index
    vector.store %38, %7[%40, %44] : memref<128x64xf16, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf16>
  }
  memref.dealloc %subview_9 : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
  memref.dealloc %subview_7 : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
  memref.dealloc %subview : memref<64x64xf16, strided<[68, 1]>, #gpu.address_space<workgroup>>
  return
}

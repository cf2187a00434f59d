// C = A * B^T for sm_80: A is 256x512 f16, B is 256x512 f16, C is 256x256 f32.
//
// A block of four warps makes a 64x64 tile of C, 64 columns of A and B at a time. The tiles are
// copied with cp.async and read with ldmatrix, row after row, with nothing done about bank
// conflicts: the eight rows of every 8x8 matrix start on the same bank.
//
// Warps 0..3 stand 2x2 over the tile; each makes a 32x32 part of it with m16n8k16 MMAs.

#translation = #iree_codegen.translation_info<
    pipeline = #iree_codegen.no_pipeline workgroup_size = [128, 1, 1] subgroup_size = 32>

// Copying: 16 rows at a time, a lane 8 of the 64 elements of a row.
#copy_row = affine_map<()[t] -> (t floordiv 8)>
#copy_col = affine_map<()[t] -> ((t mod 8) * 8)>

// Reading four 8x8 matrices: lane l gives row l mod 8 of matrix l div 8. Of A they lie rows first,
// of B columns first, which is the order of the operands' registers.
#row_a = affine_map<()[t] -> (t mod 16 + (t floordiv 64) * 32)>
#col_a = affine_map<()[t] -> (((t mod 32) floordiv 16) * 8)>
#row_b = affine_map<()[t] -> (t mod 8 + ((t mod 32) floordiv 16) * 8 + ((t floordiv 32) mod 2) * 32)>
#col_b = affine_map<()[t] -> (((t mod 16) floordiv 8) * 8)>

// Storing: lane l holds 2 neighbours of row l div 4, and of the row 8 below.
#out_row = affine_map<()[b, t] -> (b * 64 + (t floordiv 64) * 32 + (t mod 32) floordiv 4)>
#out_col = affine_map<()[b, t] -> (b * 64 + ((t floordiv 32) mod 2) * 32 + (t mod 4) * 2)>

#tile = affine_map<()[b, r] -> (b * 64 + r)>
#sum = affine_map<()[a, b] -> (a + b)>

stream.executable public @gemm {
  stream.executable.export public @gemm_ldmatrix workgroups() -> (index, index, index) {
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    stream.return %c4, %c4, %c1 : index, index, index
  }
  builtin.module {
    func.func @gemm_ldmatrix(%a: !stream.binding, %b: !stream.binding, %c: !stream.binding)
        attributes {translation_info = #translation, targets = [#nvvm.target<chip = "sm_80">]} {
      %zero = arith.constant dense<0.0> : vector<2x2xf32>
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c24 = arith.constant 24 : index
      %c64 = arith.constant 64 : index
      %c512 = arith.constant 512 : index
      %thread = gpu.thread_id x upper_bound 128
      %block_m = gpu.block_id x upper_bound 4
      %block_n = gpu.block_id y upper_bound 4

      %a_global = stream.binding.subspan %a[%c0] : !stream.binding -> memref<256x512xf16>
      %b_global = stream.binding.subspan %b[%c0] : !stream.binding -> memref<256x512xf16>
      %c_global = stream.binding.subspan %c[%c0] : !stream.binding -> memref<256x256xf32>

      %a_tile = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
      %b_tile = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>

      %copy_row = affine.apply #copy_row()[%thread]
      %copy_col = affine.apply #copy_col()[%thread]
      %row_a = affine.apply #row_a()[%thread]
      %col_a = affine.apply #col_a()[%thread]
      %row_b = affine.apply #row_b()[%thread]
      %col_b = affine.apply #col_b()[%thread]
      %row_a16 = affine.apply #sum()[%row_a, %c16]
      %row_b16 = affine.apply #sum()[%row_b, %c16]

      %acc:8 = scf.for %k = %c0 to %c512 step %c64
          iter_args(%i0 = %zero, %i1 = %zero, %i2 = %zero, %i3 = %zero,
                    %i4 = %zero, %i5 = %zero, %i6 = %zero, %i7 = %zero)
          -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
              vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
        // Nobody still reads the tiles of the iteration before.
        gpu.barrier
        %from_col = affine.apply #sum()[%k, %copy_col]
        scf.for %r = %c0 to %c64 step %c16 {
          %row = affine.apply #sum()[%copy_row, %r]
          %from_a = affine.apply #tile()[%block_m, %row]
          %from_b = affine.apply #tile()[%block_n, %row]
          %copy_a = nvgpu.device_async_copy %a_global[%from_a, %from_col], %a_tile[%row, %copy_col], 8 : memref<256x512xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
          %copy_b = nvgpu.device_async_copy %b_global[%from_b, %from_col], %b_tile[%row, %copy_col], 8 : memref<256x512xf16> to memref<64x64xf16, #gpu.address_space<workgroup>>
          %group = nvgpu.device_async_create_group %copy_a, %copy_b
        } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
        %all = nvgpu.device_async_create_group
        nvgpu.device_async_wait %all numGroups = 0
        gpu.barrier

        %part:8 = scf.for %kk = %c0 to %c64 step %c16
            iter_args(%s0 = %i0, %s1 = %i1, %s2 = %i2, %s3 = %i3,
                      %s4 = %i4, %s5 = %i5, %s6 = %i6, %s7 = %i7)
            -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>,
                vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>) {
          %ka = affine.apply #sum()[%col_a, %kk]
          %kb = affine.apply #sum()[%col_b, %kk]
          %a0 = nvgpu.ldmatrix %a_tile[%row_a, %ka] numTiles = 4 transpose = false : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
          %a1 = nvgpu.ldmatrix %a_tile[%row_a16, %ka] numTiles = 4 transpose = false : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
          %b01 = nvgpu.ldmatrix %b_tile[%row_b, %kb] numTiles = 4 transpose = false : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
          %b23 = nvgpu.ldmatrix %b_tile[%row_b16, %kb] numTiles = 4 transpose = false : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
          %b0 = vector.extract_strided_slice %b01 offsets = [0], sizes = [2], strides = [1] : vector<4x2xf16> to vector<2x2xf16>
          %b1 = vector.extract_strided_slice %b01 offsets = [2], sizes = [2], strides = [1] : vector<4x2xf16> to vector<2x2xf16>
          %b2 = vector.extract_strided_slice %b23 offsets = [0], sizes = [2], strides = [1] : vector<4x2xf16> to vector<2x2xf16>
          %b3 = vector.extract_strided_slice %b23 offsets = [2], sizes = [2], strides = [1] : vector<4x2xf16> to vector<2x2xf16>
          %t0 = nvgpu.mma.sync(%a0, %b0, %s0) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          %t1 = nvgpu.mma.sync(%a0, %b1, %s1) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          %t2 = nvgpu.mma.sync(%a0, %b2, %s2) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          %t3 = nvgpu.mma.sync(%a0, %b3, %s3) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          %t4 = nvgpu.mma.sync(%a1, %b0, %s4) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          %t5 = nvgpu.mma.sync(%a1, %b1, %s5) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          %t6 = nvgpu.mma.sync(%a1, %b2, %s6) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          %t7 = nvgpu.mma.sync(%a1, %b3, %s7) mmaShape = [16, 8, 16] : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
          scf.yield %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7 : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
        } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
        scf.yield %part#0, %part#1, %part#2, %part#3, %part#4, %part#5, %part#6, %part#7 : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>
      } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}

      %m0 = affine.apply #out_row()[%block_m, %thread]
      %n0 = affine.apply #out_col()[%block_n, %thread]
      %n1 = affine.apply #sum()[%n0, %c8]
      %n2 = affine.apply #sum()[%n0, %c16]
      %n3 = affine.apply #sum()[%n0, %c24]
      %v0_0 = vector.extract %acc#0[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v0_0, %c_global[%m0, %n0] : memref<256x256xf32>, vector<2xf32>
      %v1_0 = vector.extract %acc#1[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v1_0, %c_global[%m0, %n1] : memref<256x256xf32>, vector<2xf32>
      %v2_0 = vector.extract %acc#2[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v2_0, %c_global[%m0, %n2] : memref<256x256xf32>, vector<2xf32>
      %v3_0 = vector.extract %acc#3[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v3_0, %c_global[%m0, %n3] : memref<256x256xf32>, vector<2xf32>
      %m8 = affine.apply #sum()[%m0, %c8]
      %v0_1 = vector.extract %acc#0[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v0_1, %c_global[%m8, %n0] : memref<256x256xf32>, vector<2xf32>
      %v1_1 = vector.extract %acc#1[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v1_1, %c_global[%m8, %n1] : memref<256x256xf32>, vector<2xf32>
      %v2_1 = vector.extract %acc#2[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v2_1, %c_global[%m8, %n2] : memref<256x256xf32>, vector<2xf32>
      %v3_1 = vector.extract %acc#3[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v3_1, %c_global[%m8, %n3] : memref<256x256xf32>, vector<2xf32>
      %m16 = affine.apply #sum()[%m0, %c16]
      %v4_0 = vector.extract %acc#4[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v4_0, %c_global[%m16, %n0] : memref<256x256xf32>, vector<2xf32>
      %v5_0 = vector.extract %acc#5[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v5_0, %c_global[%m16, %n1] : memref<256x256xf32>, vector<2xf32>
      %v6_0 = vector.extract %acc#6[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v6_0, %c_global[%m16, %n2] : memref<256x256xf32>, vector<2xf32>
      %v7_0 = vector.extract %acc#7[0] : vector<2xf32> from vector<2x2xf32>
      vector.store %v7_0, %c_global[%m16, %n3] : memref<256x256xf32>, vector<2xf32>
      %m24 = affine.apply #sum()[%m0, %c24]
      %v4_1 = vector.extract %acc#4[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v4_1, %c_global[%m24, %n0] : memref<256x256xf32>, vector<2xf32>
      %v5_1 = vector.extract %acc#5[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v5_1, %c_global[%m24, %n1] : memref<256x256xf32>, vector<2xf32>
      %v6_1 = vector.extract %acc#6[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v6_1, %c_global[%m24, %n2] : memref<256x256xf32>, vector<2xf32>
      %v7_1 = vector.extract %acc#7[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %v7_1, %c_global[%m24, %n3] : memref<256x256xf32>, vector<2xf32>
      return
    }
  }
}

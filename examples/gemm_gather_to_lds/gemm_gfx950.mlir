// C = A * B^T for gfx950: A is 256x512 f16, B is 256x512 f16, C is 256x256 f32.
//
// A workgroup of four waves makes a 64x64 tile of C, 64 columns of A and B at a time. The tiles of
// A and B are copied straight into LDS (16 bytes per lane), row after row, with nothing done about
// bank conflicts: this is the naive version, the one to check and to fix.
//
// Waves 0..3 stand 2x2 over the tile; each makes a 32x32 part of it with 16x16x32 MFMAs.

#translation = #iree_codegen.translation_info<
    pipeline = #iree_codegen.no_pipeline workgroup_size = [256, 1, 1] subgroup_size = 64>

// Copying: a wave fills 8 rows of 64 at a time, a lane 8 of the elements of a row.
#wave_row = affine_map<()[t] -> ((t floordiv 64) * 8)>
#lane_row = affine_map<()[t] -> (t floordiv 8)>
#lane_col = affine_map<()[t] -> ((t mod 8) * 8)>

// Reading: lane l of an MFMA operand holds 8 elements of row l mod 16, from column 8 * (l div 16).
#frag_row_a = affine_map<()[t] -> (t mod 16 + (t floordiv 128) * 32)>
#frag_row_b = affine_map<()[t] -> (t mod 16 + ((t floordiv 64) mod 2) * 32)>
#frag_col = affine_map<()[t] -> (((t mod 64) floordiv 16) * 8)>

// Storing: B is the first operand, so that a lane holds 4 neighbours of a row of C: row l mod 16,
// from column 4 * (l div 16).
#out_row = affine_map<()[b, t] -> (b * 64 + (t floordiv 128) * 32 + t mod 16)>
#out_col = affine_map<()[b, t] -> (b * 64 + ((t floordiv 64) mod 2) * 32 + ((t mod 64) floordiv 16) * 4)>

#tile = affine_map<()[b, r] -> (b * 64 + r)>
#sum = affine_map<()[a, b] -> (a + b)>

stream.executable public @gemm {
  stream.executable.export public @gemm_gather_to_lds workgroups() -> (index, index, index) {
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    stream.return %c4, %c4, %c1 : index, index, index
  }
  builtin.module {
    func.func @gemm_gather_to_lds(%a: !stream.binding, %b: !stream.binding, %c: !stream.binding)
        attributes {translation_info = #translation, targets = [#rocdl.target<chip = "gfx950">]} {
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %c512 = arith.constant 512 : index
      %thread = gpu.thread_id x upper_bound 256
      %block_m = gpu.block_id x upper_bound 4
      %block_n = gpu.block_id y upper_bound 4

      %a_global = stream.binding.subspan %a[%c0] : !stream.binding -> memref<256x512xf16>
      %b_global = stream.binding.subspan %b[%c0] : !stream.binding -> memref<256x512xf16>
      %c_global = stream.binding.subspan %c[%c0] : !stream.binding -> memref<256x256xf32>
      %a_buffer = amdgpu.fat_raw_buffer_cast %a_global resetOffset : memref<256x512xf16> to memref<256x512xf16, #amdgpu.address_space<fat_raw_buffer>>
      %b_buffer = amdgpu.fat_raw_buffer_cast %b_global resetOffset : memref<256x512xf16> to memref<256x512xf16, #amdgpu.address_space<fat_raw_buffer>>

      %a_tile = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
      %b_tile = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>

      // Where this thread copies from and its wave copies to: rows 0-31, then rows 32-63.
      %lane_row = affine.apply #lane_row()[%thread]
      %lane_col = affine.apply #lane_col()[%thread]
      %a_row_0 = affine.apply #tile()[%block_m, %lane_row]
      %a_row_1 = affine.apply #sum()[%a_row_0, %c32]
      %b_row_0 = affine.apply #tile()[%block_n, %lane_row]
      %b_row_1 = affine.apply #sum()[%b_row_0, %c32]
      %wave_row = affine.apply #wave_row()[%thread]
      %to_0 = gpu.subgroup_broadcast %wave_row, first_active_lane : index
      %to_1 = affine.apply #sum()[%to_0, %c32]

      // Where this thread reads its fragments: two of 16 rows, two of 32 columns.
      %am_0 = affine.apply #frag_row_a()[%thread]
      %am_1 = affine.apply #sum()[%am_0, %c16]
      %bn_0 = affine.apply #frag_row_b()[%thread]
      %bn_1 = affine.apply #sum()[%bn_0, %c16]
      %k_0 = affine.apply #frag_col()[%thread]
      %k_1 = affine.apply #sum()[%k_0, %c32]

      %acc:4 = scf.for %k = %c0 to %c512 step %c64
          iter_args(%c00 = %zero, %c01 = %zero, %c10 = %zero, %c11 = %zero)
          -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
        // Nobody still reads the tiles of the iteration before.
        gpu.barrier
        %col = affine.apply #sum()[%k, %lane_col]
        amdgpu.gather_to_lds %a_buffer[%a_row_0, %col], %a_tile[%to_0, %c0] : vector<8xf16>, memref<256x512xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<64x64xf16, #gpu.address_space<workgroup>>
        amdgpu.gather_to_lds %a_buffer[%a_row_1, %col], %a_tile[%to_1, %c0] : vector<8xf16>, memref<256x512xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<64x64xf16, #gpu.address_space<workgroup>>
        amdgpu.gather_to_lds %b_buffer[%b_row_0, %col], %b_tile[%to_0, %c0] : vector<8xf16>, memref<256x512xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<64x64xf16, #gpu.address_space<workgroup>>
        amdgpu.gather_to_lds %b_buffer[%b_row_1, %col], %b_tile[%to_1, %c0] : vector<8xf16>, memref<256x512xf16, #amdgpu.address_space<fat_raw_buffer>>, memref<64x64xf16, #gpu.address_space<workgroup>>
        amdgpu.memory_counter_wait load(0)
        gpu.barrier

        %a00 = vector.load %a_tile[%am_0, %k_0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %a10 = vector.load %a_tile[%am_1, %k_0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %b00 = vector.load %b_tile[%bn_0, %k_0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %b10 = vector.load %b_tile[%bn_1, %k_0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %p00 = amdgpu.mfma 16x16x32 %b00 * %a00 + %c00 : vector<8xf16>, vector<8xf16>, vector<4xf32>
        %p01 = amdgpu.mfma 16x16x32 %b10 * %a00 + %c01 : vector<8xf16>, vector<8xf16>, vector<4xf32>
        %p10 = amdgpu.mfma 16x16x32 %b00 * %a10 + %c10 : vector<8xf16>, vector<8xf16>, vector<4xf32>
        %p11 = amdgpu.mfma 16x16x32 %b10 * %a10 + %c11 : vector<8xf16>, vector<8xf16>, vector<4xf32>

        %a01 = vector.load %a_tile[%am_0, %k_1] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %a11 = vector.load %a_tile[%am_1, %k_1] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %b01 = vector.load %b_tile[%bn_0, %k_1] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %b11 = vector.load %b_tile[%bn_1, %k_1] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %q00 = amdgpu.mfma 16x16x32 %b01 * %a01 + %p00 : vector<8xf16>, vector<8xf16>, vector<4xf32>
        %q01 = amdgpu.mfma 16x16x32 %b11 * %a01 + %p01 : vector<8xf16>, vector<8xf16>, vector<4xf32>
        %q10 = amdgpu.mfma 16x16x32 %b01 * %a11 + %p10 : vector<8xf16>, vector<8xf16>, vector<4xf32>
        %q11 = amdgpu.mfma 16x16x32 %b11 * %a11 + %p11 : vector<8xf16>, vector<8xf16>, vector<4xf32>
        scf.yield %q00, %q01, %q10, %q11 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
      } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}

      %m_0 = affine.apply #out_row()[%block_m, %thread]
      %m_1 = affine.apply #sum()[%m_0, %c16]
      %n_0 = affine.apply #out_col()[%block_n, %thread]
      %n_1 = affine.apply #sum()[%n_0, %c16]
      vector.store %acc#0, %c_global[%m_0, %n_0] : memref<256x256xf32>, vector<4xf32>
      vector.store %acc#1, %c_global[%m_0, %n_1] : memref<256x256xf32>, vector<4xf32>
      vector.store %acc#2, %c_global[%m_1, %n_0] : memref<256x256xf32>, vector<4xf32>
      vector.store %acc#3, %c_global[%m_1, %n_1] : memref<256x256xf32>, vector<4xf32>
      return
    }
  }
}

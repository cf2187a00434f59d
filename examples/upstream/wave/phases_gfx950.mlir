// A tile of 16 rows of 32 f16, copied straight to LDS and read as an MFMA operand, with the swizzle that
// wave-lang 3.9.1 gives GEMMs with BLOCK_K = 32 on gfx950: chunk XOR (row mod 8), where a row has four
// chunks. The copy fetches columns of the next block of K, and the reads leave their rows, the last ones
// the tile. With #phase = (m) -> (m mod 4) every lane gets its own columns, and the reads are 2-way;
// with (m) -> (m floordiv 2 mod 4) they are free, too.
#phase = affine_map<(m) -> (m mod 8)>
#t = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 64>
stream.executable public @phases {
  stream.executable.export public @phases workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    stream.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @phases(%in: !stream.binding, %out: !stream.binding) attributes {targets = [#rocdl.target<chip = "gfx950">], translation_info = #t} {
      %c0 = arith.constant 0 : index
      %src = stream.binding.subspan %in[%c0] : !stream.binding -> memref<16x64xf16>
      %dst = stream.binding.subspan %out[%c0] : !stream.binding -> memref<16x32xf16>
      %tile = memref.alloc() : memref<16x32xf16, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x upper_bound 64
      %copied = affine.apply affine_map<(t) -> (t floordiv 4)>(%t)
      %slot = affine.apply affine_map<(t) -> (t mod 4)>(%t)
      %copied_phase = affine.apply #phase(%copied)
      %chunk = arith.xori %slot, %copied_phase : index
      %from = affine.apply affine_map<(c) -> (c * 8)>(%chunk)
      amdgpu.gather_to_lds %src[%copied, %from], %tile[%c0, %c0] : vector<8xf16>, memref<16x64xf16>, memref<16x32xf16, #gpu.address_space<workgroup>>
      gpu.barrier
      %row = affine.apply affine_map<(t) -> (t mod 16)>(%t)
      %wanted = affine.apply affine_map<(t) -> (t floordiv 16)>(%t)
      %row_phase = affine.apply #phase(%row)
      %place = arith.xori %wanted, %row_phase : index
      %at = affine.apply affine_map<(c) -> (c * 8)>(%place)
      %v = vector.load %tile[%row, %at] : memref<16x32xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %to = affine.apply affine_map<(c) -> (c * 8)>(%wanted)
      vector.store %v, %dst[%row, %to] : memref<16x32xf16>, vector<8xf16>
      return
    }
  }
}

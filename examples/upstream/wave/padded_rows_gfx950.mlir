// A tile of 64 rows of 32 f16 as wave-lang 3.9.1 pads it, by 64 bits a row: rows begin at multiples of 8
// bytes, so that every 16-byte access is a pair of 8-byte ones. Without padding, and with chunk XOR
// (row div 2 mod 4), both sides take 16 bytes at once and are free; 128 bits of padding are not (2-way).
#t = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 64>
stream.executable public @padded_rows {
  stream.executable.export public @padded_rows workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    stream.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @padded_rows(%in: !stream.binding, %out: !stream.binding) attributes {targets = [#rocdl.target<chip = "gfx950">], translation_info = #t} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %stores = arith.constant 4 : index
      %loads = arith.constant 4 : index
      %src = stream.binding.subspan %in[%c0] : !stream.binding -> memref<64x32xf16>
      %dst = stream.binding.subspan %out[%c0] : !stream.binding -> memref<256x8xf16>
      %tile = memref.alloc() : memref<64x36xf16, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x upper_bound 64
      scf.for %i = %c0 to %stores step %c1 {
        %m = affine.apply affine_map<(i, t) -> (i * 16 + t floordiv 4)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> ((t mod 4) * 8)>(%i, %t)
        %v = vector.load %src[%m, %n] : memref<64x32xf16>, vector<8xf16>
        vector.store %v, %tile[%m, %n] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      }
      gpu.barrier
      scf.for %i = %c0 to %loads step %c1 {
        %m = affine.apply affine_map<(i, t) -> (i * 16 + t mod 16)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> ((t floordiv 16) * 8)>(%i, %t)
        %w = vector.load %tile[%m, %n] : memref<64x36xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %slot = affine.apply affine_map<(i, t) -> (i * 64 + t)>(%i, %t)
        vector.store %w, %dst[%slot, %c0] : memref<256x8xf16>, vector<8xf16>
      }
      return
    }
  }
}

// Stored 16 bytes at once along n, read element by element along k: the right operand of f16 A * B
// on gfx942. The widths differ, and the rule of PR #23778 leaves it to padding.
#t = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 64>
stream.executable public @element_reader {
  stream.executable.export public @element_reader workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    stream.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @element_reader(%in: !stream.binding, %out: !stream.binding) attributes {targets = [#rocdl.target<chip = "gfx942">], translation_info = #t} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %stores = arith.constant 4 : index
      %loads = arith.constant 32 : index
      %src = stream.binding.subspan %in[%c0] : !stream.binding -> memref<16x128xf16>
      %dst = stream.binding.subspan %out[%c0] : !stream.binding -> memref<2048x1xf16>
      %tile = memref.alloc() : memref<16x128xf16, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x upper_bound 64
      scf.for %i = %c0 to %stores step %c1 {
        %m = affine.apply affine_map<(i, t) -> (i * 4 + t floordiv 16)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> ((t mod 16) * 8)>(%i, %t)
        %v = vector.load %src[%m, %n] : memref<16x128xf16>, vector<8xf16>
        vector.store %v, %tile[%m, %n] : memref<16x128xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      }
      gpu.barrier
      scf.for %i = %c0 to %loads step %c1 {
        %m = affine.apply affine_map<(i, t) -> ((t floordiv 16) * 4 + i mod 4)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> ((i floordiv 4) * 16 + t mod 16)>(%i, %t)
        %w = vector.load %tile[%m, %n] : memref<16x128xf16, #gpu.address_space<workgroup>>, vector<1xf16>
        %slot = affine.apply affine_map<(i, t) -> (i * 64 + t)>(%i, %t)
        vector.store %w, %dst[%slot, %c0] : memref<2048x1xf16>, vector<1xf16>
      }
      return
    }
  }
}

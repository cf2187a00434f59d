// Rows of 96 elements, 12 groups of 8: the rule of PR #23778 takes xor_shuffle<96, 8>, and the verifier
// of the attribute lets it pass. Twelve is no power of two: XOR leaves the row, and two elements
// get one place.
#t = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 64>
stream.executable public @rows_of_96 {
  stream.executable.export public @rows_of_96 workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    stream.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @rows_of_96(%in: !stream.binding, %out: !stream.binding) attributes {targets = [#rocdl.target<chip = "gfx942">], translation_info = #t} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %stores = arith.constant 3 : index
      %loads = arith.constant 3 : index
      %src = stream.binding.subspan %in[%c0] : !stream.binding -> memref<16x96xf16>
      %dst = stream.binding.subspan %out[%c0] : !stream.binding -> memref<192x8xf16>
      %tile = memref.alloc() : memref<16x96xf16, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x upper_bound 64
      scf.for %i = %c0 to %stores step %c1 {
        %m = affine.apply affine_map<(i, t) -> ((i * 64 + t) floordiv 12)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> (((i * 64 + t) mod 12) * 8)>(%i, %t)
        %v = vector.load %src[%m, %n] : memref<16x96xf16>, vector<8xf16>
        vector.store %v, %tile[%m, %n] : memref<16x96xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      }
      gpu.barrier
      scf.for %i = %c0 to %loads step %c1 {
        %m = affine.apply affine_map<(i, t) -> (t mod 16)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> (i * 32 + (t floordiv 16) * 8)>(%i, %t)
        %w = vector.load %tile[%m, %n] : memref<16x96xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %slot = affine.apply affine_map<(i, t) -> (i * 64 + t)>(%i, %t)
        vector.store %w, %dst[%slot, %c0] : memref<192x8xf16>, vector<8xf16>
      }
      return
    }
  }
}

// f32 stored 16 bytes at once and read element by element: the keys of an f32 attention on gfx942.
// The rule of PR #23778 caps its groups at 2 elements, which cuts every store in two, and 32 groups
// of 2 leave lanes t and t + 16 on one bank.
#t = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 64>
stream.executable public @f32_capped {
  stream.executable.export public @f32_capped workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    stream.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @f32_capped(%in: !stream.binding, %out: !stream.binding) attributes {targets = [#rocdl.target<chip = "gfx942">], translation_info = #t} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %stores = arith.constant 4 : index
      %loads = arith.constant 16 : index
      %src = stream.binding.subspan %in[%c0] : !stream.binding -> memref<16x64xf32>
      %dst = stream.binding.subspan %out[%c0] : !stream.binding -> memref<1024x1xf32>
      %tile = memref.alloc() : memref<16x64xf32, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x upper_bound 64
      scf.for %i = %c0 to %stores step %c1 {
        %m = affine.apply affine_map<(i, t) -> (i * 4 + t floordiv 16)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> ((t mod 16) * 4)>(%i, %t)
        %v = vector.load %src[%m, %n] : memref<16x64xf32>, vector<4xf32>
        vector.store %v, %tile[%m, %n] : memref<16x64xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      }
      gpu.barrier
      scf.for %i = %c0 to %loads step %c1 {
        %m = affine.apply affine_map<(i, t) -> (t mod 16)>(%i, %t)
        %n = affine.apply affine_map<(i, t) -> (i * 4 + t floordiv 16)>(%i, %t)
        %w = vector.load %tile[%m, %n] : memref<16x64xf32, #gpu.address_space<workgroup>>, vector<1xf32>
        %slot = affine.apply affine_map<(i, t) -> (i * 64 + t)>(%i, %t)
        vector.store %w, %dst[%slot, %c0] : memref<1024x1xf32>, vector<1xf32>
      }
      return
    }
  }
}

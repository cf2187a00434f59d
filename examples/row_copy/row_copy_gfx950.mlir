// Every lane writes and reads 16 bytes of its own row: 64 rows of 128 bytes on gfx950. The store
// has phases of 8 lanes on 32 banks, the load phases of 16 permuted lanes on 64. No fold of one run
// of row bits serves both; `bankwise fix` finds one of three runs that does.
#t = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 64>
stream.executable public @row_copy {
  stream.executable.export public @row_copy workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    stream.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @row_copy(%in: !stream.binding, %out: !stream.binding) attributes {targets = [#rocdl.target<chip = "gfx950">], translation_info = #t} {
      %c0 = arith.constant 0 : index
      %src = stream.binding.subspan %in[%c0] : !stream.binding -> memref<64x64xf16>
      %dst = stream.binding.subspan %out[%c0] : !stream.binding -> memref<64x64xf16>
      %lds = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x upper_bound 64
      %v = vector.load %src[%t, %c0] : memref<64x64xf16>, vector<8xf16>
      vector.store %v, %lds[%t, %c0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      gpu.barrier
      %w = vector.load %lds[%t, %c0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      vector.store %w, %dst[%t, %c0] : memref<64x64xf16>, vector<8xf16>
      return
    }
  }
}

// Made with iree-base-compiler 3.13.0 from the module below, thread level, as IREE leaves it:
//   iree-compile in.mlir --iree-hal-target-backends=rocm --iree-rocm-target=gfx942 -o out.vmfb \
//     --iree-input-demote-f64-to-f32=false --mlir-disable-threading --mlir-print-local-scope \
//     --mlir-print-ir-after=iree-codegen-resolve-swizzle-hints 2> this.mlir
//   func.func @softmax(%a: tensor<2x512xf32>) -> tensor<2x512xf32> {
//     %e = tensor.empty() : tensor<2x512xf32>
//     %r = linalg.softmax dimension(1) ins(%a : tensor<2x512xf32>)
//       outs(%e : tensor<2x512xf32>) -> tensor<2x512xf32>
//     return %r : tensor<2x512xf32>
//   }
func.func @softmax_dispatch_0_softmax_2x512xf32_dispatch_tensor_store() {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 0xFF800000 : f32
  %cst_1 = arith.constant dense<0.000000e+00> : vector<1xf32>
  %cst_2 = arith.constant dense<0xFF800000> : vector<1xf32>
  %c63_i32 = arith.constant 63 : i32
  %c0 = arith.constant 0 : index
  %thread_id_y = gpu.thread_id y
  %thread_id_x = gpu.thread_id x
  %0 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") {iree_gpu.use_rocdl_buffer_instructions} : memref<2x512xf32, #gpu.address_space<global>>
  %assume_align = memref.assume_alignment %0, 64 : memref<2x512xf32, #gpu.address_space<global>>
  %1 = amdgpu.fat_raw_buffer_cast %assume_align resetOffset : memref<2x512xf32, #gpu.address_space<global>> to memref<2x512xf32, #amdgpu.address_space<fat_raw_buffer>>
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>) binding(1) alignment(64) offset(%c0) flags(Indirect) {iree_gpu.use_rocdl_buffer_instructions} : memref<2x512xf32, #gpu.address_space<global>>
  %assume_align_3 = memref.assume_alignment %2, 64 : memref<2x512xf32, #gpu.address_space<global>>
  %3 = amdgpu.fat_raw_buffer_cast %assume_align_3 resetOffset : memref<2x512xf32, #gpu.address_space<global>> to memref<2x512xf32, #amdgpu.address_space<fat_raw_buffer>>
  %workgroup_id_x = hal.interface.workgroup.id[0] : index
  %4:2 = affine.delinearize_index %thread_id_x into (2, 64) : index, index
  %5:2 = affine.delinearize_index %thread_id_x into (64) : index, index
  %6 = affine.linearize_index disjoint [%4#0, %5#1, %c0] by (2, 64, 4) : index
  %7 = vector.load %1[%workgroup_id_x, %6] : memref<2x512xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf32>
  %8 = vector.reduction <maxnumf>, %7, %cst_0 : vector<4xf32> into f32
  %9 = vector.broadcast %8 : f32 to vector<1xf32>
  %10 = arith.maxnumf %9, %cst_2 : vector<1xf32>
  %11 = vector.extract %10[0] : f32 from vector<1xf32>
  %12 = amdgpu.dpp %11 %11 quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32]) bound_ctrl(true) : f32
  %13 = arith.maxnumf %11, %12 : f32
  %14 = amdgpu.dpp %13 %13 quad_perm([2 : i32, 3 : i32, 0 : i32, 1 : i32]) bound_ctrl(true) : f32
  %15 = arith.maxnumf %13, %14 : f32
  %16 = amdgpu.dpp %15 %15 row_half_mirror(unit) bound_ctrl(true) : f32
  %17 = arith.maxnumf %15, %16 : f32
  %18 = amdgpu.dpp %17 %17 row_mirror(unit) bound_ctrl(true) : f32
  %19 = arith.maxnumf %17, %18 : f32
  %20 = amdgpu.dpp %19 %19 row_bcast_15(unit) row_mask(10) : f32
  %21 = arith.maxnumf %19, %20 : f32
  %22 = amdgpu.dpp %21 %21 row_bcast_31(unit) bound_ctrl(true) : f32
  %23 = arith.maxnumf %22, %21 : f32
  %24 = rocdl.readlane %23, %c63_i32 : (f32, i32) -> f32
  %alloc = memref.alloc() : memref<1x4xf32, #gpu.address_space<workgroup>>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %25 = arith.cmpi eq, %thread_id_y, %c0 : index
  %26 = arith.cmpi eq, %4#1, %c0 : index
  %27 = arith.andi %25, %26 : i1
  scf.if %27 {
    %65 = vector.broadcast %24 : f32 to vector<1xf32>
    vector.store %65, %alloc[%c0, %4#0] : memref<1x4xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  }
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %28:2 = affine.delinearize_index %thread_id_x into (2) : index, index
  %29 = vector.load %alloc[%c0, %28#1] : memref<1x4xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %30 = arith.maxnumf %29, %cst_2 : vector<1xf32>
  %31 = vector.extract %30[0] : f32 from vector<1xf32>
  %32 = amdgpu.dpp %31 %31 quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32]) bound_ctrl(true) : f32
  %33 = arith.maxnumf %31, %32 : f32
  %34 = vector.broadcast %33 : f32 to vector<4xf32>
  %35 = arith.subf %7, %34 : vector<4xf32>
  %36 = math.exp %35 : vector<4xf32>
  %37 = vector.reduction <add>, %36, %cst : vector<4xf32> into f32
  %38 = vector.broadcast %37 : f32 to vector<1xf32>
  %39 = arith.addf %38, %cst_1 : vector<1xf32>
  %40 = arith.addf %39, %cst_1 : vector<1xf32>
  %41 = vector.extract %40[0] : f32 from vector<1xf32>
  %42 = amdgpu.dpp %41 %41 quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32]) bound_ctrl(true) : f32
  %43 = arith.addf %41, %42 : f32
  %44 = amdgpu.dpp %43 %43 quad_perm([2 : i32, 3 : i32, 0 : i32, 1 : i32]) bound_ctrl(true) : f32
  %45 = arith.addf %43, %44 : f32
  %46 = amdgpu.dpp %45 %45 row_half_mirror(unit) bound_ctrl(true) : f32
  %47 = arith.addf %45, %46 : f32
  %48 = amdgpu.dpp %47 %47 row_mirror(unit) bound_ctrl(true) : f32
  %49 = arith.addf %47, %48 : f32
  %50 = amdgpu.dpp %49 %49 row_bcast_15(unit) row_mask(10) : f32
  %51 = arith.addf %49, %50 : f32
  %52 = amdgpu.dpp %51 %51 row_bcast_31(unit) bound_ctrl(true) : f32
  %53 = arith.addf %52, %51 : f32
  %54 = rocdl.readlane %53, %c63_i32 : (f32, i32) -> f32
  %alloc_4 = memref.alloc() : memref<1x4xf32, #gpu.address_space<workgroup>>
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  scf.if %27 {
    %65 = vector.broadcast %54 : f32 to vector<1xf32>
    vector.store %65, %alloc_4[%c0, %4#0] : memref<1x4xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  }
  gpu.barrier memfence [#gpu.address_space<workgroup>]
  %55 = vector.load %alloc_4[%c0, %28#1] : memref<1x4xf32, #gpu.address_space<workgroup>>, vector<1xf32>
  %56 = arith.addf %55, %cst_1 : vector<1xf32>
  %57 = vector.extract %56[0] : f32 from vector<1xf32>
  %58 = amdgpu.dpp %57 %57 quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32]) bound_ctrl(true) : f32
  %59 = arith.addf %57, %58 : f32
  %60 = vector.broadcast %59 : f32 to vector<1xf32>
  %61 = arith.addf %60, %cst_1 : vector<1xf32>
  %62 = vector.extract %61[0] : f32 from vector<1xf32>
  %63 = vector.broadcast %62 : f32 to vector<4xf32>
  %64 = arith.divf %36, %63 : vector<4xf32>
  scf.if %25 {
    vector.store %64, %3[%workgroup_id_x, %6] : memref<2x512xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<4xf32>
  }
  return
}


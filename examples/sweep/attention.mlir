// Attention as a frontend hands it to IREE. A template of `bankwise sweep`: b batches (or heads),
// n positions, d is the head dimension.
func.func @attn(%q: tensor<${b}x${n}x${d}x${type}>, %k: tensor<${b}x${n}x${d}x${type}>,
                %v: tensor<${b}x${n}x${d}x${type}>) -> tensor<${b}x${n}x${d}x${type}> {
  %scale = arith.constant 0.08838 : ${type}
  %e = tensor.empty() : tensor<${b}x${n}x${d}x${type}>
  %r = iree_linalg_ext.attention <indexing_maps = [
           affine_map<(b, m, n, k1, k2) -> (b, m, k1)>,
           affine_map<(b, m, n, k1, k2) -> (b, k2, k1)>,
           affine_map<(b, m, n, k1, k2) -> (b, k2, n)>,
           affine_map<(b, m, n, k1, k2) -> ()>,
           affine_map<(b, m, n, k1, k2) -> (b, m, n)>]>
         ins(%q, %k, %v, %scale : tensor<${b}x${n}x${d}x${type}>, tensor<${b}x${n}x${d}x${type}>,
             tensor<${b}x${n}x${d}x${type}>, ${type})
         outs(%e : tensor<${b}x${n}x${d}x${type}>) {
         ^bb0(%score: f32):
           iree_linalg_ext.yield %score : f32
         } -> tensor<${b}x${n}x${d}x${type}>
  return %r : tensor<${b}x${n}x${d}x${type}>
}

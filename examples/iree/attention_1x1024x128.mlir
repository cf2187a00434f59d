func.func @attn(%q: tensor<1x1024x128xf16>, %k: tensor<1x1024x128xf16>,
                %v: tensor<1x1024x128xf16>) -> tensor<1x1024x128xf16> {
  %scale = arith.constant 0.08838 : f16
  %e = tensor.empty() : tensor<1x1024x128xf16>
  %r = iree_linalg_ext.attention <indexing_maps = [
           affine_map<(b, m, n, k1, k2) -> (b, m, k1)>,
           affine_map<(b, m, n, k1, k2) -> (b, k2, k1)>,
           affine_map<(b, m, n, k1, k2) -> (b, k2, n)>,
           affine_map<(b, m, n, k1, k2) -> ()>,
           affine_map<(b, m, n, k1, k2) -> (b, m, n)>]>
         ins(%q, %k, %v, %scale : tensor<1x1024x128xf16>, tensor<1x1024x128xf16>,
             tensor<1x1024x128xf16>, f16)
         outs(%e : tensor<1x1024x128xf16>) {
         ^bb0(%score: f32):
           iree_linalg_ext.yield %score : f32
         } -> tensor<1x1024x128xf16>
  return %r : tensor<1x1024x128xf16>
}

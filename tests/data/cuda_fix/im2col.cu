#include <cuda_bf16.h>
// 3 x 3 patches of a 16 x 16 tile of 8 channels; channels are innermost in the output.
__global__ void im2col(__nv_bfloat16* out, const __nv_bfloat16* in, int w, int channels) {
  __shared__ __nv_bfloat16 tile[8][18 * 18];
  const int t = threadIdx.x;
  for (int c = 0; c < 8; ++c)
    for (int i = t; i < 18 * 18; i += 128)
      tile[c][i] = in[(c * w + blockIdx.y * 16 + i / 18) * w + blockIdx.x * 16 + i % 18];
  __syncthreads();
  __nv_bfloat16* mine = out + (size_t)(blockIdx.y * gridDim.x + blockIdx.x) * 256 * 72;
  for (int i = t; i < 256 * 72; i += 128) {
    int pixel = i / 72, k = i % 72, c = k % 8, at = (pixel / 16 + k / 24) * 18 + pixel % 16 + k / 8 % 3;
    mine[i] = tile[c][at];
  }
}
void launch(__nv_bfloat16* out, const __nv_bfloat16* in) { im2col<<<dim3(32, 32), 128>>>(out, in, 514, 8); }

template <int TILE, int K>
__global__ void conv2d(float* out, const float* in, const float* filter, int w) {
  __shared__ float patch[TILE + K - 1][TILE + K - 1];
  __shared__ float f[K][K];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * TILE + tx;
  if (t < K * K) f[t / K][t % K] = filter[t];
  for (int i = t; i < (TILE + K - 1) * (TILE + K - 1); i += TILE * TILE) {
    int r = i / (TILE + K - 1), c = i % (TILE + K - 1);
    patch[r][c] = in[(blockIdx.y * TILE + r) * w + blockIdx.x * TILE + c];
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < K; ++j) sum += f[i][j] * patch[ty + i][tx + j];
  out[(blockIdx.y * TILE + ty) * w + blockIdx.x * TILE + tx] = sum;
}
void launch(float* out, const float* in, const float* f) { conv2d<16, 5><<<dim3(128, 128), dim3(16, 16)>>>(out, in, f, 2052); }

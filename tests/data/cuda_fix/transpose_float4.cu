// Transposes 64 x 64 floats; reads and writes global memory 16 bytes at a time.
__global__ void transpose_vec(float* __restrict__ out, const float* __restrict__ in, int n) {
  __shared__ float tile[64][64];
  const int t = threadIdx.x;
  const int bx = blockIdx.x * 64, by = blockIdx.y * 64;
  for (int i = 0; i < 4; ++i) {
    const int row = t / 16 + i * 16;
    const int col = (t % 16) * 4;
    reinterpret_cast<float4*>(&tile[row][col])[0] =
        *reinterpret_cast<const float4*>(&in[(by + row) * n + bx + col]);
  }
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    const int row = t / 16 + i * 16;
    const int col = (t % 16) * 4;
    float4 v;
    v.x = tile[col + 0][row];
    v.y = tile[col + 1][row];
    v.z = tile[col + 2][row];
    v.w = tile[col + 3][row];
    *reinterpret_cast<float4*>(&out[(bx + row) * n + by + col]) = v;
  }
}

void launch(float* out, const float* in) { transpose_vec<<<dim3(64, 64), 256>>>(out, in, 4096); }

__global__ void kernel(const float* A, const float* B, float* C, int n) {
  __shared__ float As[64][32];
  __shared__ float Bs[64][32];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int i = t; i < 512; i += 256) {
      int r = i / 8, c = i % 8 * 4;
      *(float4*)&As[r][c] = *(const float4*)&A[(row0 + r) * n + k0 + c];
      *(float4*)&Bs[r][c] = *(const float4*)&B[(col0 + r) * n + k0 + c];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          acc[i][j] += As[ty * 4 + i][k] * Bs[tx * 4 + j][k];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}
void launch(const float* A, const float* B, float* C, int n) { kernel<<<dim3(4, 4), dim3(16, 16)>>>(A, B, C, n); }

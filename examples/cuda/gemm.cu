// C = A * B^T in float, tiles of 64 x 64, one block of 16 x 16 threads each.
// Tiles are stored by float4 and read along k: rows of 32 floats, 8-way conflicts.
__global__ void gemm(const float* A, const float* B, float* C, int n) {
  __shared__ float a[64][32];
  __shared__ float b[64][32];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int i = t; i < 512; i += 256) {
      int r = i / 8, k = i % 8 * 4;
      *(float4*)&a[r][k] = *(const float4*)&A[(row0 + r) * n + k0 + k];
      *(float4*)&b[r][k] =
          *(const float4*)&B[(col0 + r) * n + k0 + k];
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 32; ++k)
      for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) {
        int r = ty * 4 + i, c = tx * 4 + j;
        acc[i][j] += a[r][k] * b[c][k];
      }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = acc[i][j];
}

void launch(const float* A, const float* B, float* C, int n) {
  gemm<<<dim3(n / 64, n / 64), dim3(16, 16)>>>(A, B, C, n);
}

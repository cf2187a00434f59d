__global__ void kernel(float* C, const float* A, const float* B, int n) {
  __shared__ float As[2][8][128];
  __shared__ float Bs[2][128][8];
  int t = threadIdx.x, s = 0;
  float acc[8][8] = {};
  for (int k0 = 0; k0 < n; k0 += 8, s ^= 1) {
    int r = t / 2, c = t % 2 * 4;
    float4 a = *(const float4*)&A[(blockIdx.y * 128 + r) * n + k0 + c];
    As[s][c][r] = a.x, As[s][c + 1][r] = a.y, As[s][c + 2][r] = a.z, As[s][c + 3][r] = a.w;
    *(float4*)&Bs[s][r][c] = *(const float4*)&B[(blockIdx.x * 128 + r) * n + k0 + c];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k)
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
          acc[i][j] += As[s][k][t / 16 * 8 + i] * Bs[s][t % 16 * 8 + j][k];
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      C[(blockIdx.y * 128 + t / 16 * 8 + i) * n + blockIdx.x * 128 + t % 16 * 8 + j] = acc[i][j];
}
void launch(float* C, const float* A, const float* B, int n) { kernel<<<dim3(4, 4), 256>>>(C, A, B, n); }

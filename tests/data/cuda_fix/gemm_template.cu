template <int BM, int BN, int BK>
__global__ void gemm_tile(const double* A, const double* B, double* C, int K, int N) {
  __shared__ double a_tile[BM][BK];
  __shared__ double b_tile[BN][BK];
  const int tid = threadIdx.x;
  const int ty = tid / 16;
  const int tx = tid % 16;
  double sum[BM / 16][BN / 16] = {};
  for (int base = 0; base < K; base += BK) {
    for (int i = tid; i < BM * BK; i += 256) a_tile[i / BK][i % BK] = A[(blockIdx.y * BM + i / BK) * K + base + i % BK];
    for (int i = tid; i < BN * BK; i += 256) b_tile[i / BK][i % BK] = B[(blockIdx.x * BN + i / BK) * K + base + i % BK];
    __syncthreads();
    for (int k = 0; k < BK; k++)
      for (int i = 0; i < BM / 16; i++)
        for (int j = 0; j < BN / 16; j++) sum[i][j] += a_tile[ty + i * 16][k] * b_tile[tx + j * 16][k];
    __syncthreads();
  }
  for (int i = 0; i < BM / 16; i++)
    for (int j = 0; j < BN / 16; j++)
      C[(blockIdx.y * BM + ty + i * 16) * N + blockIdx.x * BN + tx + j * 16] = sum[i][j];
}
template __global__ void gemm_tile<32, 32, 16>(const double*, const double*, double*, int, int);
template __global__ void gemm_tile<64, 32, 32>(const double*, const double*, double*, int, int);
void launch(const double* A, const double* B, double* C) {
  gemm_tile<32, 32, 16><<<dim3(32, 32), 256>>>(A, B, C, 128, 1024);
  gemm_tile<64, 32, 32><<<dim3(32, 16), 256>>>(A, B, C, 128, 1024);
}

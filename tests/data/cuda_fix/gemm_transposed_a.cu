// A is stored transposed, so that both operands are read by float4.
__global__ void gemm_nt(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                        int lda, int ldb, int ldc, int k_end) {
  __shared__ float sA[16][64];
  __shared__ float sB[16][64];
  const int tid = threadIdx.x;
  const int ty = tid / 16, tx = tid % 16;
  float c[4][4] = {};
  for (int k0 = 0; k0 < k_end; k0 += 16) {
    {
      const int r = tid / 4, q = tid % 4 * 4;
      const float4 v = *reinterpret_cast<const float4*>(A + (blockIdx.y * 64 + r) * lda + k0 + q);
      sA[q + 0][r] = v.x;
      sA[q + 1][r] = v.y;
      sA[q + 2][r] = v.z;
      sA[q + 3][r] = v.w;
    }
    *reinterpret_cast<float4*>(&sB[tid / 16][tid % 16 * 4]) =
        *reinterpret_cast<const float4*>(B + (k0 + tid / 16) * ldb + blockIdx.x * 64 + tid % 16 * 4);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 a = *reinterpret_cast<const float4*>(&sA[k][ty * 4]);
      const float4 b = *reinterpret_cast<const float4*>(&sB[k][tx * 4]);
      const float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) c[i][j] += av[i] * bv[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(C + (blockIdx.y * 64 + ty * 4 + i) * ldc + blockIdx.x * 64 + tx * 4) =
        make_float4(c[i][0], c[i][1], c[i][2], c[i][3]);
}
void launch(const float* A, const float* B, float* C) { gemm_nt<<<dim3(32, 32), 256>>>(A, B, C, 256, 2048, 2048, 256); }

#define FLOAT4(x) (*reinterpret_cast<float4*>(&(x)))
template <int BM, int BK>
__device__ void load(float* tile, const float* src, int ld) {
  for (int i = threadIdx.x; i < BM * BK / 4; i += blockDim.x) {
    int r = i / (BK / 4), c = i % (BK / 4) * 4;
    float4 v = *(const float4*)&src[r * ld + c];
    FLOAT4(tile[r * BK + c]) = v;
  }
}
template <int BM, int BN, int BK>
__global__ void kernel(float* C, const float* A, const float* B, int n) {
  extern __shared__ float smem[];
  float* As = smem;
  float* Bs = As + 2 * BM * BK;
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, s = 0;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += BK) {
    load<BM, BK>(As + s * (BM * BK), A + blockIdx.y * BM * n + k0, n);
    load<BN, BK>(Bs + s * (BN * BK), B + blockIdx.x * BN * n + k0, n);
    __syncthreads();
    for (int k = 0; k < BK; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          acc[i][j] += As[s * (BM * BK) + (ty * 4 + i) * BK + k] * Bs[s * (BN * BK) + (tx * 4 + j) * BK + k];
    s ^= 1;
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C[(blockIdx.y * BM + ty * 4 + i) * n + blockIdx.x * BN + tx * 4 + j] = acc[i][j];
}
void launch(float* C, const float* A, const float* B, int n) {
  kernel<64, 64, 32><<<dim3(4, 4), 256, 32768>>>(C, A, B, n);
}

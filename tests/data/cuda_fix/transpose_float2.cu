constexpr int T = 32;

__global__ void transpose(float2* dst, const float2* src, int ld) {
  __shared__ float2 s[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
  for (int r = 0; r < T; r += 8)
    s[ty + r][tx] = src[(size_t)(blockIdx.y * T + ty + r) * ld + blockIdx.x * T + tx];
  __syncthreads();
#pragma unroll
  for (int r = 0; r < T; r += 8)
    dst[(size_t)(blockIdx.x * T + ty + r) * ld + blockIdx.y * T + tx] = s[tx][ty + r];
}

void launch(float2* dst, const float2* src) { transpose<<<dim3(64, 64), dim3(T, 8)>>>(dst, src, 2048); }

__global__ void kernel(float* out, const float* q, const float* k) {
  __shared__ float Q[32][64], K[32][64], P[32][32];
  int t = threadIdx.x;
  for (int i = t; i < 512; i += 256) {
    *(float4*)&Q[i / 16][i % 16 * 4] = ((const float4*)q)[blockIdx.x * 512 + i];
    *(float4*)&K[i / 16][i % 16 * 4] = ((const float4*)k)[blockIdx.x * 512 + i];
  }
  __syncthreads();
  for (int i = t; i < 1024; i += 256) {
    float sum = 0;
    for (int d = 0; d < 64; ++d) sum += Q[i / 32][d] * K[i % 32][d];
    P[i / 32][i % 32] = sum;
  }
  __syncthreads();
  for (int i = t; i < 1024; i += 256) {
    float m = P[i % 32][0];
    for (int j = 1; j < 32; ++j) m = fmaxf(m, P[i % 32][j]);
    out[blockIdx.x * 1024 + i] = P[i % 32][i / 32] - m;
  }
}
void launch(float* out, const float* q, const float* k) { kernel<<<dim3(4, 4), 256>>>(out, q, k); }

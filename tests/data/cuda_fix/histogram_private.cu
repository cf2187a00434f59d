__global__ void kernel(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned bins[64][16];
  int t = threadIdx.x;
  for (int j = 0; j < 16; ++j) bins[t][j] = 0;
  __syncthreads();
  for (int i = 0; i < n; ++i) bins[t][in[(blockIdx.x * n + i) * 64 + t] & 15]++;
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int j = 0; j < 64; ++j) sum += bins[j][t];
    atomicAdd(&out[t], sum);
  }
}
void launch(unsigned* out, const unsigned* in, int n) { kernel<<<dim3(4, 4), 64>>>(out, in, n); }

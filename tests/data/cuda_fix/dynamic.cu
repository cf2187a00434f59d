extern __shared__ float pool[];
__global__ void kernel(float* out, const float* in) {
  float* a = pool;
  int t = threadIdx.x;
  for (int j = 0; j < 32; ++j) a[j * 32 + t] = in[blockIdx.x * 1024 + j * 32 + t];
  __syncthreads();
  for (int j = 0; j < 32; ++j) out[blockIdx.x * 1024 + j * 32 + t] = a[t * 32 + j];
}
void launch(float* a, float* b) { kernel<<<4, 32, 4096>>>(a, b); }

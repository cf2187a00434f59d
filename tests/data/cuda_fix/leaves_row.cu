__global__ void kernel(float* out, const float* in) {
  __shared__ float s[32][32];
  int t = threadIdx.x;
  for (int j = 0; j < 32; ++j) s[0][j * 32 + t] = in[blockIdx.x * 1024 + j * 32 + t];
  __syncthreads();
  for (int j = 0; j < 32; ++j) out[blockIdx.x * 1024 + j * 32 + t] = s[t][j];
}
void launch(float* out, const float* in) { kernel<<<dim3(4, 4), 32>>>(out, in); }

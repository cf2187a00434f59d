__shared__ float whole[32][32];
__global__ void kernel(float* out, const float* in) {
  int t = threadIdx.x;
  whole[t][t & 7] = in[t];
  {
    __shared__ float s[32][32];
    for (int j = 0; j < 32; ++j) s[j][t] = in[blockIdx.x * 1024 + j * 32 + t];
    __syncthreads();
    for (int j = 0; j < 32; ++j) out[blockIdx.x * 1024 + j * 32 + t] = s[t][j];
  }
  {
    __shared__ float s[16][64];
    for (int j = 0; j < 16; ++j) s[j][t] = in[blockIdx.x * 1024 + j * 32 + t];
    __syncthreads();
    for (int j = 0; j < 32; ++j) out[4096 + blockIdx.x * 1024 + j * 32 + t] = s[t / 2][j];
  }
  out[8192 + t] = whole[t][t & 7];
}
void launch(float* out, const float* in) { kernel<<<dim3(4, 4), 32>>>(out, in); }

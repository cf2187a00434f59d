__global__ void kernel(float2* out, const float2* in) {
  __shared__ float2 s[64][16];
  int t = threadIdx.x, b = blockIdx.x * 1024;
  for (int j = 0; j < 16; ++j) s[t][j] = in[b + j * 64 + t];
  __syncthreads();
  for (int j = 0; j < 16; ++j) {
    float2 v = s[j * 4 + t / 16][t % 16];
    out[b + j * 64 + t] = make_float2(v.x + v.y, v.x - v.y);
  }
}
void launch(float2* out, const float2* in) { kernel<<<dim3(4, 4), 64>>>(out, in); }

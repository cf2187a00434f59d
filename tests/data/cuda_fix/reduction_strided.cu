__global__ void kernel(float* out, const float* in) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    int i = 2 * d * t;
    if (i < 512) s[i] += s[i + d];
    __syncthreads();
  }
  if (!t) out[blockIdx.x] = s[0];
}
void launch(float* out, const float* in) { kernel<<<dim3(4, 4), 512>>>(out, in); }

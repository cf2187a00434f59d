__global__ void kernel(int* out, const int* in) {
  __shared__ int s[1024];
  int t = threadIdx.x, offset = 1;
  s[2 * t] = in[blockIdx.x * 1024 + 2 * t];
  s[2 * t + 1] = in[blockIdx.x * 1024 + 2 * t + 1];
  for (int d = 512; d > 0; d >>= 1, offset *= 2) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
  }
  __syncthreads();
  out[blockIdx.x * 512 + t] = s[t] + s[t + 512];
}
void launch(int* out, const int* in) { kernel<<<dim3(4, 4), 512>>>(out, in); }

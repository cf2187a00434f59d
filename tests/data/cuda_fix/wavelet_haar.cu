__global__ void haar(float* out, const float* in) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += 512) s[i] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  for (int step = 1; step < 1024; step <<= 1) {
    int left = 2 * step * t;
    if (left < 1024) {
      float a = s[left], b = s[left + step];
      s[left] = (a + b) * 0.5f;
      s[left + step] = (a - b) * 0.5f;
    }
    __syncthreads();
  }
  for (int i = t; i < 1024; i += 512) out[blockIdx.x * 1024 + i] = s[i];
}
void launch(float* out, const float* in) { haar<<<4096, 512>>>(out, in); }

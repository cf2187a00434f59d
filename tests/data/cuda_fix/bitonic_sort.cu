__global__ void bitonic(int* data) {
  __shared__ int s[1024];
  int t = threadIdx.x;
  s[t] = data[blockIdx.x * 1024 + t];
  s[t + 512] = data[blockIdx.x * 1024 + t + 512];
  for (int size = 2; size <= 1024; size <<= 1) {
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      int pos = 2 * t - (t & (stride - 1));
      bool up = (pos & size) == 0;
      int a = s[pos], b = s[pos + stride];
      if ((a > b) == up) s[pos] = b, s[pos + stride] = a;
    }
  }
  __syncthreads();
  data[blockIdx.x * 1024 + t] = s[t];
  data[blockIdx.x * 1024 + t + 512] = s[t + 512];
}
void launch(int* data) { bitonic<<<4096, 512>>>(data); }

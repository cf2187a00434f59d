// Keeps the positive numbers of 256: flags, a prefix sum, a scatter through shared memory.
__global__ void compact(int* out, int* counts, const int* in) {
  __shared__ int flags[256];
  __shared__ int kept[256];
  int t = threadIdx.x, x = in[blockIdx.x * 256 + t];
  flags[t] = x > 0;
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    int y = t >= d ? flags[t - d] : 0;
    __syncthreads();
    flags[t] += y;
    __syncthreads();
  }
  kept[t] = 0;
  __syncthreads();
  if (x > 0) kept[flags[t] - 1] = x;
  __syncthreads();
  out[blockIdx.x * 256 + t] = kept[t];
  if (t == 255) counts[blockIdx.x] = flags[255];
}
void launch(int* out, int* counts, const int* in) { compact<<<4096, 256>>>(out, counts, in); }

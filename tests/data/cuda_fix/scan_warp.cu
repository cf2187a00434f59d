__device__ int warp_scan(int x) {
  int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffff, x, d);
    if (lane >= d) x += y;
  }
  return x;
}
__global__ void block_scan(int* out, const int* in) {
  __shared__ int partial[32];
  int t = threadIdx.x, lane = t & 31, wid = t >> 5;
  int x = warp_scan(in[blockIdx.x * 1024 + t]);
  if (lane == 31) partial[wid] = x;
  __syncthreads();
  if (wid == 0) partial[lane] = warp_scan(partial[lane]);
  __syncthreads();
  if (wid > 0) x += partial[wid - 1];
  out[blockIdx.x * 1024 + t] = x;
}
void launch(int* out, const int* in) { block_scan<<<4096, 1024>>>(out, in); }

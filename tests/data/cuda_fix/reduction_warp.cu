__inline__ __device__ float warpReduceSum(float val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(0xFFFFFFFFu, val, offset);
  return val;
}
__global__ void deviceReduce(const float* in, float* out, int per_block) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
  float sum = 0;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) sum += in[blockIdx.x * per_block + i];
  sum = warpReduceSum(sum);
  if (lane == 0) shared[wid] = sum;
  __syncthreads();
  sum = threadIdx.x < blockDim.x / 32 ? shared[lane] : 0;
  if (wid == 0) sum = warpReduceSum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
void launch(const float* in, float* out) { deviceReduce<<<4096, 512>>>(in, out, 2048); }

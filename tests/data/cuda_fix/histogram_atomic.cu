__global__ void histogram256(unsigned int* bins, const unsigned char* data, int n) {
  __shared__ unsigned int local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&local[data[blockIdx.x * n + i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
void launch(unsigned int* bins, const unsigned char* data) { histogram256<<<1024, 256>>>(bins, data, 4096); }

// Column means of a slab: partial sums of 32 x 32 threads meet in shared memory, column by column.
__global__ void column_mean(float* mean, const float* x, int rows, int cols) {
  __shared__ float part[32][32];
  int col = blockIdx.x * 32 + threadIdx.x;
  float acc = 0;
  for (int r = threadIdx.y; r < rows; r += 32) acc += x[(blockIdx.y * rows + r) * cols + col];
  part[threadIdx.y][threadIdx.x] = acc;
  __syncthreads();
  float v = part[threadIdx.x][threadIdx.y];
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x == 0) mean[blockIdx.y * cols + blockIdx.x * 32 + threadIdx.y] = v / rows;
}
void launch(float* mean, const float* x) { column_mean<<<dim3(64, 32), dim3(32, 32)>>>(mean, x, 128, 2048); }

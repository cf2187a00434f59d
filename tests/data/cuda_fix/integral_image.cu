// Sums above and to the left of each pixel of a 32 x 32 tile: along rows, then along columns.
__global__ void integral_tile(unsigned* sum, const unsigned char* image, int stride) {
  __shared__ unsigned tile[32][32];
  const int t = threadIdx.x;
  for (int y = 0; y < 32; ++y) tile[y][t] = image[(blockIdx.y * 32 + y) * stride + blockIdx.x * 32 + t];
  __syncthreads();
  for (int x = 1; x < 32; ++x) tile[t][x] += tile[t][x - 1];
  __syncthreads();
  for (int y = 1; y < 32; ++y) tile[y][t] += tile[y - 1][t];
  __syncthreads();
  for (int y = 0; y < 32; ++y) sum[(blockIdx.y * 32 + y) * stride + blockIdx.x * 32 + t] = tile[y][t];
}
void launch(unsigned* sum, const unsigned char* image) { integral_tile<<<dim3(128, 128), 32>>>(sum, image, 4096); }

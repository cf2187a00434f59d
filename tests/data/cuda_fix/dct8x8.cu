__constant__ float basis[8][8];
// 8 x 8 DCTs, eight of them to a block: rows, then columns.
__global__ void dct(float* dst, const float* src, int stride) {
  __shared__ float blocks[8][8][8];
  int x = threadIdx.x, y = threadIdx.y, b = threadIdx.z;
  const float* from = src + (blockIdx.y * 8 + y) * stride + (blockIdx.x * 8 + b) * 8;
  blocks[b][y][x] = from[x];
  __syncthreads();
  float v = 0;
  for (int k = 0; k < 8; ++k) v += basis[x][k] * blocks[b][y][k];
  __syncthreads();
  blocks[b][x][y] = v;
  __syncthreads();
  v = 0;
  for (int k = 0; k < 8; ++k) v += basis[y][k] * blocks[b][x][k];
  dst[(blockIdx.y * 8 + y) * stride + (blockIdx.x * 8 + b) * 8 + x] = v;
}
void launch(float* dst, const float* src) { dct<<<dim3(64, 512), dim3(8, 8, 8)>>>(dst, src, 4096); }

// Softmax of 64 rows of 64 scores, a thread per row, in place.
__global__ void softmax_rows(float* p) {
  __shared__ float tile[64 * 64];
  float* mine = p + (size_t)blockIdx.x * 4096;
  for (int i = threadIdx.x; i < 4096; i += 64) tile[i] = mine[i];
  __syncthreads();
  float m = -1e30f, l = 0;
  for (int j = 0; j < 64; ++j) m = max(m, tile[threadIdx.x * 64 + j]);
  for (int j = 0; j < 64; ++j) {
    float e = __expf(tile[threadIdx.x * 64 + j] - m);
    tile[threadIdx.x * 64 + j] = e;
    l += e;
  }
  float inv = 1 / l;
  for (int j = 0; j < 64; ++j) tile[threadIdx.x * 64 + j] *= inv;
  __syncthreads();
  for (int i = threadIdx.x; i < 4096; i += 64) mine[i] = tile[i];
}
void launch(float* p) { softmax_rows<<<4096, 64>>>(p); }

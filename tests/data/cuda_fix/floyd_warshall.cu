#define TILE 32
// The dependent tile of a blocked all-pairs shortest path, transposed threads.
__global__ void pivot_block(int* d, int n) {
  __shared__ int t[TILE][TILE];
  int i = threadIdx.x, j = threadIdx.y;
  int* mine = d + (size_t)blockIdx.x * TILE * n + blockIdx.x * TILE;
  t[i][j] = mine[j * n + i];
  __syncthreads();
  for (int k = 0; k < TILE; ++k) {
    int through = t[i][k] + t[k][j];
    int direct = t[i][j];
    __syncthreads();
    t[i][j] = min(direct, through);
    __syncthreads();
  }
  mine[j * n + i] = t[i][j];
}
void launch(int* d) { pivot_block<<<128, dim3(TILE, TILE)>>>(d, 4096); }

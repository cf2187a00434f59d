#define THREADS 128
#define ITEMS 16
// Each thread scans its own 16 items, then the threads' sums are scanned.
__global__ void chunked_scan(int* dst, const int* src) {
  __shared__ int items[THREADS][ITEMS];
  __shared__ int sums[THREADS];
  const int t = threadIdx.x;
  const int* mine = src + blockIdx.x * THREADS * ITEMS;
  for (int i = t; i < THREADS * ITEMS; i += THREADS) items[i / ITEMS][i % ITEMS] = mine[i];
  __syncthreads();
  int total = 0;
  for (int i = 0; i < ITEMS; ++i) {
    total += items[t][i];
    items[t][i] = total;
  }
  sums[t] = total;
  __syncthreads();
  for (int d = 1; d < THREADS; d *= 2) {
    int before = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  for (int i = t; i < THREADS * ITEMS; i += THREADS) {
    int row = i / ITEMS;
    dst[blockIdx.x * THREADS * ITEMS + i] = items[row][i % ITEMS] + (row ? sums[row - 1] : 0);
  }
}
void launch(int* dst, const int* src) { chunked_scan<<<4096, THREADS>>>(dst, src); }

typedef unsigned char uchar;
// 64 bins of a byte for each of 64 threads, as in the histogram of 64 bins of the samples, unshuffled.
__global__ void histogram64(unsigned* partial, const unsigned* data) {
  __shared__ uchar s_hist[64][64];
  unsigned* words = (unsigned*)&s_hist[threadIdx.x][0];
  for (int i = 0; i < 16; i++) words[i] = 0;
  __syncthreads();
  for (int i = 0; i < 60; i++) {
    unsigned v = data[(blockIdx.x * 60 + i) * 64 + threadIdx.x];
    s_hist[threadIdx.x][v >> 2 & 63]++;
  }
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 64; i++) sum += s_hist[i][threadIdx.x];
  partial[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launch(unsigned* partial, const unsigned* data) { histogram64<<<4096, 64>>>(partial, data); }

// ELL: columns are local to a block of 256, whose vector is staged.
__global__ void spmv_ell(float* y, const float* values, const unsigned char* columns, const float* x, int width) {
  __shared__ float xs[256];
  int row = blockIdx.x * 256 + threadIdx.x;
  xs[threadIdx.x] = x[row];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < width; ++j) {
    size_t at = ((size_t)blockIdx.x * width + j) * 256 + threadIdx.x;
    sum += values[at] * xs[columns[at]];
  }
  y[row] = sum;
}
void launch(float* y, const float* v, const unsigned char* c, const float* x) { spmv_ell<<<2048, 256>>>(y, v, c, x, 32); }

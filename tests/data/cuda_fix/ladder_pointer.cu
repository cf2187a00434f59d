// Rows are walked by a pointer, the way C programmers write it.
__global__ void row_sums(float* out, const float* in) {
  __shared__ float m[64][32];
  for (int i = threadIdx.x; i < 64 * 32; i += 64) m[i / 32][i % 32] = in[blockIdx.x * 2048 + i];
  __syncthreads();
  const float* p = &m[threadIdx.x][0];
  float sum = 0;
  for (int j = 0; j < 32; ++j) sum += *p++;
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launch(float* out, const float* in) { row_sums<<<8192, 64>>>(out, in); }

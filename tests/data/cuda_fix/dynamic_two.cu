// Two arrays in one piece of dynamic shared memory.
__global__ void outer_sum(float* out, const float* a, const float* b, int n) {
  extern __shared__ float smem[];
  float* rows = smem;
  float* cols = smem + 32 * 32;
  int t = threadIdx.x, lane = t % 32, w = t / 32;
  for (int i = w; i < 32; i += 8) {
    rows[i * 32 + lane] = a[(blockIdx.x * 32 + i) * 32 + lane];
    cols[i * 32 + lane] = b[(blockIdx.y * 32 + i) * 32 + lane];
  }
  __syncthreads();
  for (int i = w; i < 32; i += 8) {
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += rows[i * 32 + k] * cols[lane * 32 + k];
    out[(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + lane] = sum;
  }
}
void launch(float* out, const float* a, const float* b) {
  size_t bytes = 2 * 32 * 32 * sizeof(float);
  outer_sum<<<dim3(64, 64), 256, bytes>>>(out, a, b, 2048);
}

__global__ void kernel(float* out, const float* in, int n) {
  __shared__ float tile[1024];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[(threadIdx.y + j) * 32 + threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x * 32 + threadIdx.y + j];
}
void launch(float* out, const float* in, int n) { kernel<<<dim3(4, 4), dim3(32, 8)>>>(out, in, n); }

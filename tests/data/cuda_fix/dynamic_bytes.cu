extern __shared__ __align__(16) unsigned char raw[];
template <typename T>
__global__ void transpose_dyn(T* out, const T* in, int n) {
  T* tile = reinterpret_cast<T*>(raw);
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[(threadIdx.y + j) * 32 + threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x * 32 + threadIdx.y + j];
}
void launch(float* out, const float* in) { transpose_dyn<float><<<dim3(64, 64), dim3(32, 8), 4096>>>(out, in, 2048); }

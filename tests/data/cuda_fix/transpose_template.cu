template <typename T, int TILE>
__global__ void kernel(T* out, const T* in, int n) {
  __shared__ T tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void kernel<float, 16>(float*, const float*, int);
template __global__ void kernel<double, 32>(double*, const double*, int);
void launch(float* a, float* b, double* c, double* d, int n) {
  kernel<float, 16><<<dim3(4, 4), dim3(16, 16)>>>(a, b, n);
  kernel<double, 32><<<dim3(4, 4), dim3(32, 32)>>>(c, d, n);
}

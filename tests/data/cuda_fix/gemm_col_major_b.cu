#define BLOCK_SIZE 32
// C = A * B^T, both row-major: the column of B is a row of its tile.
template <typename scalar>
__global__ void matmul_abt(scalar* C, const scalar* A, const scalar* B, unsigned k, unsigned n) {
  __shared__ scalar a[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ scalar b[BLOCK_SIZE][BLOCK_SIZE];
  unsigned row = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  unsigned col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  scalar value = 0;
  for (unsigned step = 0; step < k; step += BLOCK_SIZE) {
    a[threadIdx.y][threadIdx.x] = A[row * k + step + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(blockIdx.x * BLOCK_SIZE + threadIdx.y) * k + step + threadIdx.x];
    __syncthreads();
    for (unsigned e = 0; e < BLOCK_SIZE; ++e) value += a[threadIdx.y][e] * b[threadIdx.x][e];
    __syncthreads();
  }
  C[row * n + col] = value;
}
void multiply(float* C, const float* A, const float* B) {
  dim3 grid(64, 64), block(BLOCK_SIZE, BLOCK_SIZE);
  matmul_abt<float><<<grid, block>>>(C, A, B, 128, 2048);
}

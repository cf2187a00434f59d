#define ROWS 64
#define COLS 32
__global__ void transpose_rect(int* B, int* A, int m, int n)
{
    __shared__ int sh[ROWS][COLS];
    int c = blockIdx.x * COLS + threadIdx.x;
    for (int i = threadIdx.y; i < ROWS; i += blockDim.y)
        sh[i][threadIdx.x] = A[(blockIdx.y * ROWS + i) * n + c];
    __syncthreads();
    int lane = threadIdx.y * COLS + threadIdx.x;
    for (int i = lane; i < ROWS * COLS; i += COLS * 8) {
        int col = i / ROWS;
        int row = i % ROWS;
        B[(blockIdx.x * COLS + col) * m + blockIdx.y * ROWS + row] = sh[row][col];
    }
}
void transposeOnDevice(int* B, int* A) {
    transpose_rect<<<dim3(128, 64), dim3(COLS, 8)>>>(B, A, 4096, 4096);
}

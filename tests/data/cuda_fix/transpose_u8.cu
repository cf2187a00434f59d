__global__ void kernel(unsigned char* out, const unsigned char* in, int n) {
  __shared__ unsigned char tile[64][64];
  int x = blockIdx.x * 64, y = blockIdx.y * 64;
  for (int i = threadIdx.x; i < 64 * 16; i += 256)
    *(uchar4*)&tile[i / 16][i % 16 * 4] = *(const uchar4*)&in[(y + i / 16) * n + x + i % 16 * 4];
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 64; i += 256)
    out[(x + i / 64) * n + y + i % 64] = tile[i % 64][i / 64];
}
void launch(unsigned char* out, const unsigned char* in, int n) { kernel<<<dim3(4, 4), 256>>>(out, in, n); }

__global__ void kernel(float* out, const float* in, int n) {
  __shared__ float s[34][34];
  int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 32 + y, gy = blockIdx.y * 32 + x;
  s[x + 1][y + 1] = in[(gy + 1) * n + gx + 1];
  if (x == 0) s[0][y + 1] = in[gy * n + gx + 1], s[33][y + 1] = in[(gy + 33) * n + gx + 1];
  if (y == 0) s[x + 1][0] = in[(gy + 1) * n + gx], s[x + 1][33] = in[(gy + 1) * n + gx + 33];
  __syncthreads();
  out[gy * n + gx] = s[x][y + 1] + s[x + 2][y + 1] + s[x + 1][y] + s[x + 1][y + 2] - 4 * s[x + 1][y + 1];
}
void launch(float* out, const float* in, int n) { kernel<<<dim3(4, 4), dim3(32, 32)>>>(out, in, n); }

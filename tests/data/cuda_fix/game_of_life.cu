typedef unsigned char cell;
__global__ void life(cell* next, const cell* now, int w) {
  __shared__ cell s[18][66];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int r = y; r < 18; r += 16)
    for (int c = x; c < 66; c += 64) s[r][c] = now[(blockIdx.y * 16 + r) * w + blockIdx.x * 64 + c];
  __syncthreads();
  int n = s[y][x] + s[y][x + 1] + s[y][x + 2] + s[y + 1][x] + s[y + 1][x + 2] + s[y + 2][x] + s[y + 2][x + 1] + s[y + 2][x + 2];
  next[(blockIdx.y * 16 + y + 1) * w + blockIdx.x * 64 + x + 1] = n == 3 || (n == 2 && s[y + 1][x + 1]);
}
void launch(cell* next, const cell* now) { life<<<dim3(64, 256), dim3(64, 16)>>>(next, now, 4112); }

__global__ void weighted_values(float* o, const float* p, const float* v, int len, int dim) {
  __shared__ float ps[32][32];
  __shared__ float vs[32][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float acc[4] = {0, 0, 0, 0};
  for (int j0 = 0; j0 < len; j0 += 32) {
    // p comes transposed: its rows are keys.
    for (int r = ty; r < 32; r += 8) ps[tx][r] = p[(j0 + r) * len + blockIdx.x * 32 + tx];
    for (int r = ty; r < 32; r += 8) {
      vs[r][tx] = v[(j0 + r) * dim + tx];
      vs[r][tx + 32] = v[(j0 + r) * dim + tx + 32];
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      float2 w = make_float2(ps[ty * 4 + 0][j], ps[ty * 4 + 1][j]);
      float2 u = make_float2(ps[ty * 4 + 2][j], ps[ty * 4 + 3][j]);
      float x = vs[j][tx];
      acc[0] += w.x * x, acc[1] += w.y * x, acc[2] += u.x * x, acc[3] += u.y * x;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) o[(blockIdx.x * 32 + ty * 4 + i) * dim + tx] = acc[i];
}
void launch(float* o, const float* p, const float* v) {
  weighted_values<<<64, dim3(32, 8)>>>(o, p, v, 2048, 64);
}

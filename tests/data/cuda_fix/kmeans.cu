// Distances of 128 points of 16 features to 8 centres; the points are staged row by row.
struct Point { float f[16]; };
__global__ void assign(int* label, const float* points, const float* centres) {
  __shared__ float p[128 * 16];
  __shared__ float c[8][16];
  int t = threadIdx.x;
  for (int i = t; i < 128 * 16; i += 128) p[i] = points[blockIdx.x * 2048 + i];
  c[t / 16][t % 16] = centres[t];
  __syncthreads();
  float best = 1e30f;
  int which = 0;
  for (int k = 0; k < 8; ++k) {
    float d = 0;
    for (int j = 0; j < 16; ++j) {
      float e = p[t * 16 + j] - c[k][j];
      d += e * e;
    }
    if (d < best) best = d, which = k;
  }
  label[blockIdx.x * 128 + t] = which;
}
void launch(int* label, const float* points, const float* centres) { assign<<<8192, 128>>>(label, points, centres); }

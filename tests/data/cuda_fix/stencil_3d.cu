#define B 8
__global__ void laplace(float* out, const float* in, int nx, int ny)
{
  __shared__ float u[B + 2][B + 2][B + 2];
  const int i = threadIdx.x + 1, j = threadIdx.y + 1, k = threadIdx.z + 1;
  const int g = ((blockIdx.z * B + k) * ny + blockIdx.y * B + j) * nx + blockIdx.x * B + i;
  const int sx = 1, sy = nx, sz = nx * ny;
  // x runs along the slowest index of the tile.
  u[i][j][k] = in[g];
  if (i == 1) { u[0][j][k] = in[g - sx]; u[B + 1][j][k] = in[g + B * sx]; }
  if (j == 1) { u[i][0][k] = in[g - sy]; u[i][B + 1][k] = in[g + B * sy]; }
  if (k == 1) { u[i][j][0] = in[g - sz]; u[i][j][B + 1] = in[g + B * sz]; }
  __syncthreads();
  out[g] = u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1]
         - 6.0f * u[i][j][k];
}
void step(float* out, const float* in) {
  laplace<<<dim3(32, 32, 16), dim3(B, B, B)>>>(out, in, 258, 258);
}

// Inverts 16 x 16 matrices; thread (c, r) keeps to column c.
__global__ void invert(float* out, const float* in) {
  __shared__ float m[16][32];
  int r = threadIdx.x, c = threadIdx.y;
  m[r][c] = c < 16 ? in[blockIdx.x * 256 + r * 16 + c] : (c - 16 == r ? 1.f : 0.f);
  __syncthreads();
  for (int p = 0; p < 16; ++p) {
    float pivot = m[p][p], mine = m[p][c], factor = m[r][p], old = m[r][c];
    __syncthreads();
    m[r][c] = r == p ? mine / pivot : old - factor * mine / pivot;
    __syncthreads();
  }
  if (c >= 16) out[blockIdx.x * 256 + r * 16 + c - 16] = m[r][c];
}
void launch(float* out, const float* in) { invert<<<8192, dim3(16, 32)>>>(out, in); }

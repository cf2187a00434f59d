// Products of complex polynomials of 32 coefficients, a pair of them for each thread.
__global__ void multiply(double2* out, const double2* in) {
  __shared__ double2 c[64][16];
  int t = threadIdx.x;
  for (int i = t; i < 64 * 16; i += 64) c[i / 16][i % 16] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  double2 sum = {0, 0};
  for (int i = 0; i < 16; ++i) {
    double2 a = c[t][i], b = c[t][15 - i];
    sum.x += a.x * b.x - a.y * b.y;
    sum.y += a.x * b.y + a.y * b.x;
  }
  out[blockIdx.x * 64 + t] = sum;
}
void launch(double2* out, const double2* in) { multiply<<<4096, 64>>>(out, in); }

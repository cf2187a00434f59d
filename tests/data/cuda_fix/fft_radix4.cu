__device__ inline float2 add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float2 sub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ inline void butterfly(float2 (&v)[4]) {
  float2 s0 = add(v[0], v[2]), d0 = sub(v[0], v[2]), s1 = add(v[1], v[3]), d1 = sub(v[1], v[3]);
  v[0] = add(s0, s1), v[2] = sub(s0, s1);
  v[1] = make_float2(d0.x + d1.y, d0.y - d1.x), v[3] = make_float2(d0.x - d1.y, d0.y + d1.x);
}
// 1024 points, 256 threads, real and imaginary parts exchanged one after the other.
__global__ void fft1024(float2* out, const float2* in) {
  __shared__ float re[1024], im[1024];
  const int t = threadIdx.x;
  float2 v[4];
  for (int r = 0; r < 4; r++) v[r] = in[blockIdx.x * 1024 + r * 256 + t];
  for (int stride = 1; stride < 1024; stride *= 4) {
    butterfly(v);
    int base = (t / stride) * stride * 4 + t % stride;
    for (int r = 0; r < 4; r++) re[base + r * stride] = v[r].x, im[base + r * stride] = v[r].y;
    __syncthreads();
    for (int r = 0; r < 4; r++) v[r] = make_float2(re[r * 256 + t], im[r * 256 + t]);
    __syncthreads();
  }
  for (int r = 0; r < 4; r++) out[blockIdx.x * 1024 + r * 256 + t] = v[r];
}
void launch(float2* out, const float2* in) { fft1024<<<4096, 256>>>(out, in); }

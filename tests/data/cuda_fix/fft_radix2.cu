#define N 512
// In place, decimation in time; the input comes bit-reversed.
__global__ void fft512(float2* data, const float2* twiddle) {
  __shared__ float2 s[N];
  float2* mine = data + blockIdx.x * N;
  for (int i = threadIdx.x; i < N; i += N / 2) s[i] = mine[i];
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    int k = threadIdx.x & (half - 1);
    int at = (threadIdx.x - k) * 2 + k;
    float2 w = twiddle[k * (N / 2 / half)];
    float2 a = s[at], b = s[at + half];
    float2 t = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    s[at] = make_float2(a.x + t.x, a.y + t.y);
    s[at + half] = make_float2(a.x - t.x, a.y - t.y);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < N; i += N / 2) mine[i] = s[i];
}
void launch(float2* data, const float2* twiddle) { fft512<<<8192, N / 2>>>(data, twiddle); }

struct Bodies { float x[256], y[256], z[256]; };
__global__ void drift(float* px, const float* vx, float dt) {
  __shared__ float x[256], v[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  x[threadIdx.x] = px[i];
  v[threadIdx.x] = vx[i];
  __syncthreads();
  int next = (threadIdx.x + 1) & 255;
  px[i] = x[threadIdx.x] + dt * 0.5f * (v[threadIdx.x] + v[next]);
}
void launch(float* px, const float* vx) { drift<<<8192, 256>>>(px, vx, 0.01f); }

__device__ float3 interaction(float4 bi, float4 bj, float3 ai) {
  float3 r = {bj.x - bi.x, bj.y - bi.y, bj.z - bi.z};
  float d = r.x * r.x + r.y * r.y + r.z * r.z + 1e-3f;
  float inv = rsqrtf(d * d * d) * bj.w;
  ai.x += r.x * inv, ai.y += r.y * inv, ai.z += r.z * inv;
  return ai;
}
__global__ void forces(float4* acc, const float4* pos, int n) {
  __shared__ float4 shPosition[256];
  int gtid = blockIdx.x * blockDim.x + threadIdx.x;
  float4 mine = pos[gtid];
  float3 a = {0, 0, 0};
  for (int tile = 0; tile < n / 256; tile++) {
    shPosition[threadIdx.x] = pos[tile * 256 + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 256; i++) a = interaction(mine, shPosition[i], a);
    __syncthreads();
  }
  acc[gtid] = make_float4(a.x, a.y, a.z, 0);
}
void launch(float4* acc, const float4* pos) { forces<<<512, 256>>>(acc, pos, 512); }

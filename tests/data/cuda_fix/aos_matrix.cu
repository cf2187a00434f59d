// A 4 x 4 matrix for each thread, staged so that global memory is read in order.
__global__ void transform(float4* out, const float* matrices, const float4* points) {
  __shared__ float m[128][16];
  int t = threadIdx.x;
  for (int i = t; i < 128 * 16; i += 128) m[i / 16][i % 16] = matrices[blockIdx.x * 2048 + i];
  __syncthreads();
  float4 p = points[blockIdx.x * 128 + t], q;
  q.x = m[t][0] * p.x + m[t][1] * p.y + m[t][2] * p.z + m[t][3] * p.w;
  q.y = m[t][4] * p.x + m[t][5] * p.y + m[t][6] * p.z + m[t][7] * p.w;
  q.z = m[t][8] * p.x + m[t][9] * p.y + m[t][10] * p.z + m[t][11] * p.w;
  q.w = m[t][12] * p.x + m[t][13] * p.y + m[t][14] * p.z + m[t][15] * p.w;
  out[blockIdx.x * 128 + t] = q;
}
void launch(float4* out, const float* matrices, const float4* points) {
  transform<<<8192, 128>>>(out, matrices, points);
}

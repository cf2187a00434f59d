// One round of a table-driven cipher; each block keeps the four tables.
__global__ void rounds(uint4* out, const uint4* in, const unsigned* tables, const unsigned* key) {
  __shared__ unsigned T[4][256];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) T[i >> 8][i & 255] = tables[i];
  __syncthreads();
  uint4 s = in[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    uint4 n;
    n.x = T[0][s.x & 255] ^ T[1][s.y >> 8 & 255] ^ T[2][s.z >> 16 & 255] ^ T[3][s.w >> 24] ^ key[4 * r];
    n.y = T[0][s.y & 255] ^ T[1][s.z >> 8 & 255] ^ T[2][s.w >> 16 & 255] ^ T[3][s.x >> 24] ^ key[4 * r + 1];
    n.z = T[0][s.z & 255] ^ T[1][s.w >> 8 & 255] ^ T[2][s.x >> 16 & 255] ^ T[3][s.y >> 24] ^ key[4 * r + 2];
    n.w = T[0][s.w & 255] ^ T[1][s.x >> 8 & 255] ^ T[2][s.y >> 16 & 255] ^ T[3][s.z >> 24] ^ key[4 * r + 3];
    s = n;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
void launch(uint4* out, const uint4* in, const unsigned* tables, const unsigned* key) {
  rounds<<<4096, 256>>>(out, in, tables, key);
}

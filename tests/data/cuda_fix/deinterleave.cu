// Interleaved RGBA bytes to four planes, 256 pixels a block.
__global__ void planes(unsigned char* r, unsigned char* g, unsigned char* b, unsigned char* a, const uchar4* rgba) {
  __shared__ unsigned char s[1024];
  int t = threadIdx.x;
  *(uchar4*)&s[t * 4] = rgba[blockIdx.x * 256 + t];
  __syncthreads();
  r[blockIdx.x * 256 + t] = s[t * 4];
  g[blockIdx.x * 256 + t] = s[t * 4 + 1];
  b[blockIdx.x * 256 + t] = s[t * 4 + 2];
  a[blockIdx.x * 256 + t] = s[t * 4 + 3];
}
void launch(unsigned char* r, unsigned char* g, unsigned char* b, unsigned char* a, const uchar4* rgba) {
  planes<<<16384, 256>>>(r, g, b, a, rgba);
}

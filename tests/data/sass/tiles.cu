// Tiles of shared memory: transposes, vectors, narrow types, several buffers, dynamic memory.
// Every kernel runs as one block; ../sass_kernels.py says how.

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

template <int PITCH, bool XOR>
__device__ __forceinline__ void transpose(const float *x, float *y, float *tile) {
  int column = threadIdx.x % 32, row = threadIdx.x / 32;
  for (int i = row; i < 32; i += 8)
    tile[i * PITCH + (XOR ? column ^ i : column)] = x[i * 32 + column];
  __syncthreads();
  for (int i = row; i < 32; i += 8)
    y[i * 32 + column] = tile[column * PITCH + (XOR ? i ^ column : i)];
}

KERNEL(256) transpose_none(const float *x, float *y) {
  __shared__ float tile[32 * 32];
  transpose<32, false>(x, y, tile);
}

KERNEL(256) transpose_padded(const float *x, float *y) {
  __shared__ float tile[32 * 33];
  transpose<33, false>(x, y, tile);
}

KERNEL(256) transpose_xor(const float *x, float *y) {
  __shared__ float tile[32 * 32];
  transpose<32, true>(x, y, tile);
}

// 64 x 64 of two bytes: rows of 128 bytes, read by columns.
KERNEL(256) transpose_halves(const unsigned short *x, unsigned short *y) {
  __shared__ unsigned short tile[64][66];
  int column = threadIdx.x % 64, row = threadIdx.x / 64;
#pragma unroll 4
  for (int i = row; i < 64; i += 4) tile[i][column] = x[i * 64 + column];
  __syncthreads();
#pragma unroll 4
  for (int i = row; i < 64; i += 4) y[i * 64 + column] = tile[column][i];
}

// One byte a lane, columns of a 48-byte pitch.
KERNEL(128) bytes_column(const unsigned char *x, unsigned char *y) {
  __shared__ unsigned char tile[128 * 48];
  for (int i = 0; i < 48; i++) tile[i * 128 + threadIdx.x] = x[i * 128 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 48; i++) y[threadIdx.x * 48 + i] = tile[threadIdx.x * 48 + i];
}

KERNEL(128) signed_bytes(const signed char *x, int *y) {
  __shared__ signed char tile[1024];
  __shared__ short wide[1024];
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i ^ 5] = x[i], wide[i * 3 % 1024] = x[i];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 8; i++) sum += tile[threadIdx.x * 8 + i] * wide[(threadIdx.x * 6 + i) % 1024];
  y[threadIdx.x] = sum;
}

// Rows of 16 float4: each lane reads a column of vectors.
KERNEL(256) vectors_column(const float4 *x, float4 *y) {
  __shared__ float4 tile[256];
  int row = threadIdx.x / 16, column = threadIdx.x % 16;
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[column * 16 + row];
}

KERNEL(256) vectors_xor(const float4 *x, float4 *y) {
  __shared__ float4 tile[256];
  int row = threadIdx.x / 16, column = threadIdx.x % 16;
  tile[row * 16 + (column ^ row)] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[column * 16 + (row ^ column)];
}

// Eight bytes a lane; pairs of lanes share an address, so that loads merge and stores do not.
KERNEL(128) pairs_shared(const float2 *x, float2 *y) {
  __shared__ float2 a[256];
  __shared__ float4 b[128];
  int t = threadIdx.x;
  a[t] = x[t];
  a[t + 128] = x[t + 128];
  b[t] = make_float4(x[t].x, x[t].y, x[t].x, x[t].y);
  __syncthreads();
  float2 p = a[t / 2], q = a[t & ~2], r = a[(t * 3) % 256];
  float4 s = b[t / 2], u = b[t & ~2], v = b[(t * 5) % 128];
  y[t] = make_float2(p.x + q.y + r.x + s.x + u.y + v.z, p.y + q.x + r.y + s.z + u.w + v.w);
  __syncthreads();
  a[t / 2 * 3 % 256] = q;
  b[(t & ~2) % 128] = u;
  __syncthreads();
  y[t + 128] = make_float2(a[t].x + b[t].x, a[t].y + b[t].w);
}

// Doubles with an odd and an even pitch.
KERNEL(128) doubles_pitch(const double *x, double *y) {
  __shared__ double even[16 * 16], odd[16 * 17];
  int row = threadIdx.x / 16, column = threadIdx.x % 16;
  for (int i = row; i < 16; i += 8) even[i * 16 + column] = odd[i * 17 + column] = x[i * 16 + column];
  __syncthreads();
  for (int i = row; i < 16; i += 8) y[i * 16 + column] = even[column * 16 + i] * odd[column * 17 + i];
}

// A block of 20 x 12 threads: 240 threads, the last warp has 16.
KERNEL(240) block_of_two_axes(const float *x, float *y) {
  __shared__ float tile[20 * 24];
  tile[threadIdx.x * 24 + threadIdx.y] = x[threadIdx.y * 20 + threadIdx.x];
  tile[threadIdx.x * 24 + threadIdx.y + 12] = x[threadIdx.y * 20 + threadIdx.x + 240];
  __syncthreads();
  y[threadIdx.y * 20 + threadIdx.x] = tile[threadIdx.y * 40 + threadIdx.x];
}

// Three buffers, one sized at launch; two of them take turns.
KERNEL(128) several_buffers(const float *x, float *y, int rounds) {
  __shared__ float in[2][128 * 5];
  __shared__ float weights[32 * 6];
  extern __shared__ float out[];
  int t = threadIdx.x;
  weights[t] = x[t];
  if (t < 64) weights[t + 128] = x[t + 128];
  for (int i = 0; i < 5; i++) in[0][t * 5 + i] = x[t + i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < rounds; k++) {
    for (int i = 0; i < 5; i++) sum += in[k & 1][t * 5 + i] * weights[(t % 32) * 6 + i];
    for (int i = 0; i < 5; i++) in[~k & 1][i * 128 + t] = sum + i;
    __syncthreads();
  }
  out[t * 2] = sum;
  out[t * 2 + 1] = -sum;
  __syncthreads();
  y[t] = out[t] + out[t + 128];
}

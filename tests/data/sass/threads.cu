// Threads that work together: reductions, scans, butterflies, stencils, histograms, masks.
// Every kernel runs as one block; ../sass_kernels.py says how.

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

KERNEL(256) reduce_sequential(const float *x, float *y) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  sums[t] = x[t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) y[0] = sums[0];
}

KERNEL(256) reduce_interleaved(const float *x, float *y) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  sums[t] = x[t];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < 256; step *= 2) {
    int at = 2 * step * t;
    if (at < 256) sums[at] += sums[at + step];
    __syncthreads();
  }
  if (t == 0) y[0] = sums[0];
}

template <int PAD>
__device__ __forceinline__ int padded(int i) { return PAD ? i + i / PAD : i; }

template <int PAD>
__device__ __forceinline__ void scan(const int *x, int *y, int *tree) {
  int t = threadIdx.x, offset = 1;
  tree[padded<PAD>(2 * t)] = x[2 * t];
  tree[padded<PAD>(2 * t + 1)] = x[2 * t + 1];
#pragma unroll 1
  for (int d = 128; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d)
      tree[padded<PAD>(offset * (2 * t + 2) - 1)] += tree[padded<PAD>(offset * (2 * t + 1) - 1)];
  }
  if (t == 0) tree[padded<PAD>(255)] = 0;
#pragma unroll 1
  for (int d = 1; d < 256; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      int i = padded<PAD>(offset * (2 * t + 1) - 1), j = padded<PAD>(offset * (2 * t + 2) - 1);
      int left = tree[i];
      tree[i] = tree[j];
      tree[j] += left;
    }
  }
  __syncthreads();
  y[2 * t] = tree[padded<PAD>(2 * t)];
  y[2 * t + 1] = tree[padded<PAD>(2 * t + 1)];
}

KERNEL(128) scan_tree(const int *x, int *y) {
  __shared__ int tree[256];
  scan<0>(x, y, tree);
}

KERNEL(128) scan_tree_padded(const int *x, int *y) {
  __shared__ int tree[256 + 8];
  scan<32>(x, y, tree);
}

// Compare and exchange, both results always written.
KERNEL(256) bitonic(const int *x, int *y) {
  __shared__ int keys[512];
  int t = threadIdx.x;
  keys[t] = x[t];
  keys[t + 256] = x[t + 256];
#pragma unroll 1
  for (int size = 2; size <= 512; size *= 2)
#pragma unroll 1
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      int at = 2 * t - (t & (step - 1));
      int a = keys[at], b = keys[at + step];
      bool down = at & size;
      keys[at] = down ? max(a, b) : min(a, b);
      keys[at + step] = down ? min(a, b) : max(a, b);
    }
  __syncthreads();
  y[t] = keys[t];
  y[t + 256] = keys[t + 256];
}

// Radix-2 butterflies on complex numbers of eight bytes: strides 1, 2, 4, ...
KERNEL(128) butterflies(const float2 *x, float2 *y) {
  __shared__ float2 data[256];
  int t = threadIdx.x;
  data[__brev(t) >> 24] = x[t];
  data[__brev(t + 128) >> 24] = x[t + 128];
#pragma unroll 1
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    int at = t / half * 2 * half + t % half;  // a division by a number that only the loop knows
    float2 a = data[at], b = data[at + half];
    data[at] = make_float2(a.x + b.x, a.y + b.y);
    data[at + half] = make_float2(a.x - b.x, a.y - b.y);
  }
  __syncthreads();
  y[t] = data[t];
  y[t + 128] = data[t + 128];
}

// 16 x 16 points and their neighbours; the halo is loaded by some threads alone.
KERNEL(256) stencil(const float *x, float *y) {
  __shared__ float tile[18][18];
  int i = threadIdx.x, j = threadIdx.y;
  tile[j + 1][i + 1] = x[(j + 1) * 18 + i + 1];
  if (i == 0) tile[j + 1][0] = x[(j + 1) * 18];
  if (i == 15) tile[j + 1][17] = x[(j + 1) * 18 + 17];
  if (j == 0) tile[0][i + 1] = x[i + 1];
  if (j == 15) tile[17][i + 1] = x[17 * 18 + i + 1];
  __syncthreads();
  y[j * 16 + i] = tile[j][i + 1] + tile[j + 2][i + 1] + tile[j + 1][i] + tile[j + 1][i + 2] -
                  4 * tile[j + 1][i + 1];
}

// A histogram of 16 bins per thread: where it counts, the data decides.
KERNEL(64) histogram(const unsigned char *x, int *y, int count) {
  __shared__ int bins[16][64];
  for (int b = 0; b < 16; b++) bins[b][threadIdx.x] = 0;
  for (int i = threadIdx.x; i < count; i += 64) bins[x[i] % 16][threadIdx.x]++;
  __syncthreads();
  if (threadIdx.x < 16) {
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += bins[threadIdx.x][i];
    y[threadIdx.x] = sum;
  }
}

// Every third lane; then odd lanes of odd warps; then a range.
KERNEL(128) masked_lanes(const float *x, float *y) {
  __shared__ float tile[128 * 9];
  int t = threadIdx.x;
  for (int i = 0; i < 9; i++) tile[i * 128 + t] = x[i * 128 + t];
  __syncthreads();
  float sum = 0;
  if (t % 3 == 0) sum += tile[t * 8];
  if ((t & 1) && (t / 32 & 1)) sum += tile[t * 4 + 1];
  if (t >= 37 && t < 99) sum += tile[t * 2];
  y[t] = sum;
}

// A loop of unknown length whose addresses move, and a branch that nobody but the caller knows.
KERNEL(128) moving_addresses(const float *x, float *y, int count, int mode) {
  __shared__ float ring[128 * 8];
  int t = threadIdx.x;
  for (int i = 0; i < 8; i++) ring[i * 128 + t] = x[i * 128 + t];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < count; k++) sum += ring[(t * (k + 1) + 3 * k) & 1023];
  if (mode == 1) sum += ring[t * 8];
  else if (mode == 2) sum += ring[t * 4 + 2];
  y[t] = sum;
}

// Loops whose length differs from lane to lane.
KERNEL(64) triangle(const float *x, float *y) {
  __shared__ float rows[64 * 66 / 2];
  int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i <= t; i++) rows[t * (t + 1) / 2 + i] = x[i];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = t; i < 64; i += 5) sum += rows[i * (i + 1) / 2 + t];
  y[t] = sum;
}

// Atomic updates: how they are served is measured, not predicted.
KERNEL(128) atomics(const int *x, int *y) {
  __shared__ int words[256];
  __shared__ unsigned long long wide[128];
  int t = threadIdx.x;
  words[t] = words[t + 128] = 0;
  wide[t] = 0;
  __syncthreads();
  int v = x[t];
  int old = atomicAdd(&words[t * 2], v) + atomicMax(&words[t], v);
  old += atomicCAS(&words[t * 8 % 256], 0, v);
  old += (int)atomicAdd(&wide[t], (unsigned long long)v);
  __syncthreads();
  y[t] = old + words[t] + (int)wide[t];
}

// Different warps do different work.
KERNEL(128) roles(const float *x, float *y) {
  __shared__ float tile[4][32 * 8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 8; i++) tile[warp][i * 32 + lane] = x[i * 32 + lane];
  __syncthreads();
  float sum = 0;
  if (warp & 1)
    for (int i = 0; i < 8; i++) sum += tile[warp - 1][lane * 8 + i];
  if (warp & 2) sum += tile[3][lane * 4 + warp % 2] + tile[2][lane * 2];
  y[threadIdx.x] = sum;
}

// The same through a table of jumps, which is not followed.
KERNEL(128) jump_table(const float *x, float *y) {
  __shared__ float tile[4][32 * 8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 8; i++) tile[warp][i * 32 + lane] = x[i * 32 + lane];
  __syncthreads();
  float sum = 0;
  switch (warp) {
    case 0: for (int i = 0; i < 8; i++) sum += tile[1][lane * 8 + i]; break;
    case 1: for (int i = 0; i < 8; i++) sum += tile[2][i * 32 + lane]; break;
    case 2: sum = tile[3][lane * 4] + tile[3][lane * 2]; break;
    default: sum = tile[0][0]; break;
  }
  y[threadIdx.x] = sum;
}

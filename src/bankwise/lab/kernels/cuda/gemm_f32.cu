// C = A B^T in f32. A is m x k, B is n x k, both row-major; m and n are multiples of 128, k of 32. A
// block makes 128 x 128 of C: eight warps, 4 x 2, of 32 x 64 each; a thread 8 x 8 (rows by lane bits
// 0 and 4, columns by lane bits 1 to 3, both dealt out like cards): lanes T and T^1 read the same of
// B, T and T^2 the same of A. Before this text stand A_BYTES, the addresses a_address(tile, m, n) and
// b_address(tile, m, n), and where a step from one of them leads: a_step(at, m, n), b_step(at, m, n).

#define ROWS 128
#define DEPTH 32
#define THREADS 256
#define VECTORS (DEPTH / 4)
#define PARTS (ROWS * VECTORS / THREADS)

__device__ __forceinline__ void fetch(float4 (&part)[PARTS], const float4* tile, int pitch) {
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        const int vector = threadIdx.x + i * THREADS;
        const size_t at = static_cast<size_t>(vector / VECTORS) * pitch + vector % VECTORS;
        load_global(part[i], tile + at);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const float4* __restrict__ a, const float4* __restrict__ b, float* __restrict__ c, int n,
         int k) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned a_tile = shared_start(shared), b_tile = a_tile + A_BYTES;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int top = 32 * (warp >> 1) + (lane & 1) + 2 * (lane >> 4);
    const int left = 64 * (warp & 1) + (lane >> 1 & 7), pitch = k / 4;
    a += static_cast<size_t>(blockIdx.y) * ROWS * pitch;
    b += static_cast<size_t>(blockIdx.x) * ROWS * pitch;

    const int row = threadIdx.x / VECTORS, column = threadIdx.x % VECTORS * 4;
    const unsigned a_store = a_address(a_tile, row, column);
    const unsigned b_store = b_address(b_tile, row, column);
    const unsigned a_at = a_address(a_tile, top, 0), b_at = b_address(b_tile, left, 0);
    float4 a_part[PARTS], b_part[PARTS];
    fetch(a_part, a, pitch);
    fetch(b_part, b, pitch);
    float sum[8][8] = {};
    for (int step = 0; step < k; step += DEPTH) {
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            store16(a_step(a_store, i * (THREADS / VECTORS), 0), a_part[i]);
            store16(b_step(b_store, i * (THREADS / VECTORS), 0), b_part[i]);
        }
        const int next = (step + DEPTH < k ? step + DEPTH : step) / 4;
        fetch(a_part, a + next, pitch);
        fetch(b_part, b + next, pitch);
        __syncthreads();
#pragma unroll 2
        for (int d = 0; d < DEPTH; d += 4) {
            float4 x[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) x[i] = load16(a_step(a_at, 4 * i, d));
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const float4 y = load16(b_step(b_at, 8 * j, d));
#pragma unroll
                for (int i = 0; i < 8; ++i) dot(sum[i][j], x[i], y);
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const size_t row = blockIdx.y * ROWS + top + 4 * i;
#pragma unroll
        for (int j = 0; j < 8; ++j) c[row * n + blockIdx.x * ROWS + left + 8 * j] = sum[i][j];
    }
}

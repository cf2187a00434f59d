// C = A B^T, f16 in, f32 sums, f16 out. A is m x k, B is n x k, both row-major; m and n are multiples
// of 128, k of 64. A block makes 128 x 128 of C: eight warps, 2 x 4, of 64 x 32 each. Before this
// text stand A_BYTES, the addresses a_address(tile, m, n) and b_address(tile, m, n), and where a
// step from one of them leads: a_step(at, m, n), b_step(at, m, n).

#define ROWS 128
#define DEPTH 64
#define THREADS 256
#define VECTORS (DEPTH / 8)
#define PARTS (ROWS * VECTORS / THREADS)

__device__ __forceinline__ void fetch(uint4 (&part)[PARTS], const uint4* tile, int pitch) {
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        const int vector = threadIdx.x + i * THREADS;
        const size_t at = static_cast<size_t>(vector / VECTORS) * pitch + vector % VECTORS;
        load_global(part[i], tile + at);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const uint4* __restrict__ a, const uint4* __restrict__ b, unsigned* __restrict__ c, int n,
         int k) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned a_tile = shared_start(shared), b_tile = a_tile + A_BYTES;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int top = 64 * (warp >> 2), left = 32 * (warp & 3), pitch = k / 8;
    a += static_cast<size_t>(blockIdx.y) * ROWS * pitch;
    b += static_cast<size_t>(blockIdx.x) * ROWS * pitch;

    const int row = threadIdx.x / VECTORS, column = threadIdx.x % VECTORS * 8;
    const unsigned a_store = a_address(a_tile, row, column);
    const unsigned b_store = b_address(b_tile, row, column);
    const unsigned a_at = a_address(a_tile, top + (lane & 15), 8 * (lane >> 4));
    const unsigned b_at =
        b_address(b_tile, left + 8 * (lane >> 4) + (lane & 7), 8 * (lane >> 3 & 1));

    uint4 a_part[PARTS], b_part[PARTS];
    fetch(a_part, a, pitch);
    fetch(b_part, b, pitch);
    float sum[4][4][4] = {};
    for (int step = 0; step < k; step += DEPTH) {
#pragma unroll
        for (int i = 0; i < PARTS; ++i) {
            store16(a_step(a_store, i * (THREADS / VECTORS), 0), a_part[i]);
            store16(b_step(b_store, i * (THREADS / VECTORS), 0), b_part[i]);
        }
        const int next = (step + DEPTH < k ? step + DEPTH : step) / 8;
        fetch(a_part, a + next, pitch);
        fetch(b_part, b + next, pitch);
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d += 16) {
            unsigned x[4][4], y[2][4];
#pragma unroll
            for (int i = 0; i < 4; ++i) ldmatrix(x[i], a_step(a_at, 16 * i, d));
#pragma unroll
            for (int j = 0; j < 2; ++j) ldmatrix(y[j], b_step(b_at, 16 * j, d));
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    mma(sum[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const size_t row = blockIdx.y * ROWS + top + 16 * i + 8 * h + (lane >> 2);
            unsigned* line = c + (row * n + blockIdx.x * ROWS + left) / 2 + (lane & 3);
#pragma unroll
            for (int j = 0; j < 4; ++j)
                line[4 * j] = pack(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
        }
}

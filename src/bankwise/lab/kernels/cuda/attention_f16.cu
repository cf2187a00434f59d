// Fused attention, f16 in and out, f32 inside: out = softmax(Q K^T scale) V for one batch entry per
// blockIdx.y and 64 queries per blockIdx.x. Four warps; warp w owns 16 rows. K and V pass through
// shared memory in tiles of 64 keys; the scores stay in registers: the accumulator of Q K^T is the
// left operand of P V. Before this text stand HEAD, Q_BYTES, K_BYTES, the addresses
// q_address(tile, m, n), k_address(tile, m, n), v_address(tile, m, n), and where a step from one of
// them leads: k_step(at, m, n) and so on.

#define ROWS 64
#define THREADS 128
#define VECTORS (HEAD / 8)
#define PARTS (ROWS * VECTORS / THREADS)

__device__ __forceinline__ void fetch(uint4 (&part)[PARTS], const uint4* tile) {
#pragma unroll
    for (int i = 0; i < PARTS; ++i) load_global(part[i], tile + threadIdx.x + i * THREADS);
}

extern "C" __global__ void __launch_bounds__(THREADS, HEAD == 64 ? 3 : 2)
    attention(const uint4* __restrict__ q, const uint4* __restrict__ k,
              const uint4* __restrict__ v, unsigned* __restrict__ out, int sequence, float scale) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned q_tile = shared_start(shared);
    const unsigned k_tile = q_tile + Q_BYTES, v_tile = k_tile + K_BYTES;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t batch = static_cast<size_t>(blockIdx.y) * sequence * VECTORS;
    const size_t first = batch + static_cast<size_t>(blockIdx.x) * ROWS * VECTORS;
    k += batch;
    v += batch;

    uint4 part[PARTS];
    fetch(part, q + first);
#pragma unroll
    for (int i = 0; i < PARTS; ++i) {
        const int vector = threadIdx.x + i * THREADS;
        store16(q_address(q_tile, vector / VECTORS, vector % VECTORS * 8), part[i]);
    }
    fetch(part, k);
    __syncthreads();
    unsigned a[HEAD / 16][4];
#pragma unroll
    for (int d = 0; d < HEAD / 16; ++d)
        ldmatrix(a[d], q_address(q_tile, 16 * warp + (lane & 15), 16 * d + 8 * (lane >> 4)));

    const int row = threadIdx.x / VECTORS, column = threadIdx.x % VECTORS * 8;
    const unsigned k_store = k_address(k_tile, row, column);
    const unsigned v_store = v_address(v_tile, row, column);
    const unsigned k_at = k_address(k_tile, 8 * (lane >> 4) + (lane & 7), 8 * (lane >> 3 & 1));
    const unsigned v_at = v_address(v_tile, lane & 15, 8 * (lane >> 4));
    float o[HEAD / 8][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {};
    for (int key = 0; key < sequence; key += ROWS) {
#pragma unroll
        for (int i = 0; i < PARTS; ++i)
            store16(k_step(k_store, i * (THREADS / VECTORS), 0), part[i]);
        fetch(part, v + static_cast<size_t>(key) * VECTORS);
        __syncthreads();

        float s[8][4] = {};
#pragma unroll
        for (int d = 0; d < HEAD / 16; ++d)
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                unsigned b[4];
                ldmatrix(b, k_step(k_at, 16 * n, 16 * d));
                mma(s[2 * n], a[d], b[0], b[1]);
                mma(s[2 * n + 1], a[d], b[2], b[3]);
            }

        float shrink[2];
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float now = most[h];
#pragma unroll
            for (int n = 0; n < 8; ++n) now = fmaxf(now, fmaxf(s[n][2 * h], s[n][2 * h + 1]) * scale);
            now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
            now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
            shrink[h] = power_of_two(most[h] - now);
            most[h] = now;
            sum[h] *= shrink[h];
#pragma unroll
            for (int n = 0; n < 8; ++n)
#pragma unroll
                for (int c = 2 * h; c < 2 * h + 2; ++c) {
                    s[n][c] = power_of_two(fmaf(s[n][c], scale, -now));
                    sum[h] += s[n][c];
                }
        }
#pragma unroll
        for (int d = 0; d < HEAD / 8; ++d)
#pragma unroll
            for (int c = 0; c < 4; ++c) o[d][c] *= shrink[c >> 1];

#pragma unroll
        for (int i = 0; i < PARTS; ++i)
            store16(v_step(v_store, i * (THREADS / VECTORS), 0), part[i]);
        const int next = key + ROWS < sequence ? key + ROWS : key;
        fetch(part, k + static_cast<size_t>(next) * VECTORS);
        __syncthreads();
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            const unsigned p[4] = {pack(s[2 * n][0], s[2 * n][1]), pack(s[2 * n][2], s[2 * n][3]),
                                   pack(s[2 * n + 1][0], s[2 * n + 1][1]),
                                   pack(s[2 * n + 1][2], s[2 * n + 1][3])};
#pragma unroll
            for (int d = 0; d < HEAD / 16; ++d) {
                unsigned b[4];
                ldmatrix_transposed(b, v_step(v_at, 16 * n, 16 * d));
                mma(o[2 * d], p, b[0], b[1]);
                mma(o[2 * d + 1], p, b[2], b[3]);
            }
        }
    }

#pragma unroll
    for (int h = 0; h < 2; ++h) {
        sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
        sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
        const float inverse = 1.0f / sum[h];
        const size_t row = 16 * warp + (lane >> 2) + 8 * h;
        unsigned* line = out + (first + row * VECTORS) * 4 + (lane & 3);
#pragma unroll
        for (int d = 0; d < HEAD / 8; ++d)
            line[4 * d] = pack(o[d][2 * h] * inverse, o[d][2 * h + 1] * inverse);
    }
}

// Fused attention in f32: out = softmax(Q K^T scale) V for one batch entry per blockIdx.y and 64
// queries per blockIdx.x. Four warps of 16 rows each. A thread holds 8 rows (one of two groups, by
// lane bit 0) and 4 of 64 keys (by lane bits 1 to 4): lanes T and T^1 read the same of K and V, lanes
// T and T^2 the same of Q and P, so that the hardware serves two groups of lanes at once. Column
// 4 c + j of the scores in shared memory is the key FIRST_KEY(c) + NEXT_KEY j: INTERLEAVED deals
// rows and keys out like cards, otherwise every thread has neighbours. Before this text stand
// INTERLEAVED, HEAD, Q_BYTES, K_BYTES, V_BYTES, the addresses q_address(tile, m, n),
// k_address(tile, m, n), v_address(tile, m, n), p_address(tile, m, n), and where a step from one of
// them leads: q_step(at, m, n) and so on.

#define ROWS 64
#define THREADS 128
#define VECTORS (HEAD / 4)
#define PARTS (ROWS * VECTORS / THREADS)
#define WIDE (HEAD / 64)
#if INTERLEAVED
#define FIRST_ROW (2 * warp + (lane & 1))
#define NEXT_ROW 8
#define FIRST_KEY(c) (c)
#define NEXT_KEY 16
#else
#define FIRST_ROW (16 * warp + 8 * (lane & 1))
#define NEXT_ROW 1
#define FIRST_KEY(c) (4 * (c))
#define NEXT_KEY 1
#endif

extern "C" __global__ void __launch_bounds__(THREADS, HEAD == 64 ? 3 : 2)
    attention(const float4* __restrict__ q, const float4* __restrict__ k,
              const float4* __restrict__ v, float4* __restrict__ out, int sequence, float scale) {
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned q_tile = shared_start(shared);
    const unsigned k_tile = q_tile + Q_BYTES, v_tile = k_tile + K_BYTES, p_tile = v_tile + V_BYTES;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int part = lane >> 1;
    const size_t batch = static_cast<size_t>(blockIdx.y) * sequence * VECTORS;
    const size_t first = batch + static_cast<size_t>(blockIdx.x) * ROWS * VECTORS;
    k += batch;
    v += batch;

#pragma unroll 4
    for (int i = 0; i < PARTS; ++i) {
        const int vector = threadIdx.x + i * THREADS;
        store16(q_address(q_tile, vector / VECTORS, vector % VECTORS * 4), q[first + vector]);
    }
    const unsigned q_at = q_address(q_tile, FIRST_ROW, 0);
    const unsigned k_at = k_address(k_tile, FIRST_KEY(part), 0);
    const unsigned p_at = p_address(p_tile, FIRST_ROW, 0);
    const unsigned p_store = p_address(p_tile, FIRST_ROW, 4 * part);
    const unsigned v_at = v_address(v_tile, 0, 4 * part);
    float4 o[8][WIDE] = {};
    float most[8], sum[8] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) most[i] = -1e30f;

    for (int key = 0; key < sequence; key += ROWS) {
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < PARTS; i += 4) {
            float4 x[4], y[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const size_t at = static_cast<size_t>(key) * VECTORS + threadIdx.x + (i + j) * THREADS;
                load_global(x[j], k + at);
                load_global(y[j], v + at);
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int vector = threadIdx.x + (i + j) * THREADS;
                const int m = vector / VECTORS, n = vector % VECTORS * 4;
                store16(k_address(k_tile, m, n), x[j]);
                store16(v_address(v_tile, m, n), y[j]);
            }
        }
        __syncthreads();

        float s[8][4] = {};
#pragma unroll 2
        for (int d = 0; d < HEAD; d += 4) {
            float4 a[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) a[i] = load16(q_step(q_at, NEXT_ROW * i, d));
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float4 b = load16(k_step(k_at, NEXT_KEY * j, d));
#pragma unroll
                for (int i = 0; i < 8; ++i) dot(s[i][j], a[i], b);
            }
        }

#pragma unroll
        for (int i = 0; i < 8; ++i) {
            float now = fmaxf(fmaxf(s[i][0], s[i][1]), fmaxf(s[i][2], s[i][3])) * scale;
#pragma unroll
            for (int bit = 2; bit < 32; bit *= 2) now = fmaxf(now, __shfl_xor_sync(~0u, now, bit));
            now = fmaxf(now, most[i]);
            const float shrink = power_of_two(most[i] - now);
            most[i] = now;
            sum[i] *= shrink;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                s[i][j] = power_of_two(fmaf(s[i][j], scale, -now));
                sum[i] += s[i][j];
            }
#pragma unroll
            for (int w = 0; w < WIDE; ++w) {
                o[i][w].x *= shrink;
                o[i][w].y *= shrink;
                o[i][w].z *= shrink;
                o[i][w].w *= shrink;
            }
            store16(p_step(p_store, NEXT_ROW * i, 0),
                    make_float4(s[i][0], s[i][1], s[i][2], s[i][3]));
        }
        __syncwarp();

#pragma unroll 2
        for (int n = 0; n < ROWS; n += 4) {
            float4 p[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) p[i] = load16(p_step(p_at, NEXT_ROW * i, n));
#pragma unroll
            for (int w = 0; w < WIDE; ++w)
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const float4 b = load16(v_step(v_at, FIRST_KEY(n / 4) + NEXT_KEY * j, 64 * w));
#pragma unroll
                    for (int i = 0; i < 8; ++i) {
                        const float x = j == 0 ? p[i].x : j == 1 ? p[i].y : j == 2 ? p[i].z : p[i].w;
                        o[i][w].x = fmaf(x, b.x, o[i][w].x);
                        o[i][w].y = fmaf(x, b.y, o[i][w].y);
                        o[i][w].z = fmaf(x, b.z, o[i][w].z);
                        o[i][w].w = fmaf(x, b.w, o[i][w].w);
                    }
                }
        }
        __syncwarp();
    }

#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int bit = 2; bit < 32; bit *= 2) sum[i] += __shfl_xor_sync(~0u, sum[i], bit);
        const float inverse = 1.0f / sum[i];
#pragma unroll
        for (int w = 0; w < WIDE; ++w)
            out[first + (FIRST_ROW + NEXT_ROW * i) * VECTORS + part + 16 * w] =
                make_float4(o[i][w].x * inverse, o[i][w].y * inverse, o[i][w].z * inverse,
                            o[i][w].w * inverse);
    }
}

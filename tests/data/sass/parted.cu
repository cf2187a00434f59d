// Lanes that part: each kernel sends the lanes of a warp different ways by what they are, and reads
// shared memory at an own stride on each. Launched with 64 threads; out has 1 MB.

#define TILE __shared__ volatile float s[4096]; const int t = threadIdx.x; float a = 0

extern "C" __global__ void falls_through(float* out, const float*) {
  TILE;
  switch (t & 7) {
    case 0: a += s[t * 2]; out[t + 64] = a;
    case 1: a += s[t * 4]; out[t + 128] = a;
    case 2: a += s[t * 8]; out[t + 192] = a; break;
    case 3: a += s[t * 16]; out[t + 256] = a;
    default: a += s[t * 32]; out[t + 320] = a;
  }
  out[t] = a + s[t];
}

extern "C" __global__ void breaks_and_continues(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int i = 0; i < 6; i++) {
    if ((t >> i) & 1) {
      a += s[t * 2 + i]; out[t + 64 + i] = a;
      if (t % 16 == i) break;
    } else {
      a *= s[t * 4 + i];
      if (t % 8 == i) continue;
      a -= s[t * 8 + i];
    }
    a += s[t + i];
  }
  out[t] = a;
}

extern "C" __global__ void own_counts(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int i = 0; i < (t & 7) * 2 + 1; i++) a += s[t * 4 + i];
  out[t] = a + s[t * 2];
}

extern "C" __global__ void returns_early(float* out, const float*) {
  TILE;
  if (t % 5 == 0) { out[t] = s[t * 8]; return; }
  a = s[t * 16];
  if (t % 3 == 0) { out[t] = a + s[t * 2]; return; }
  out[t] = a * s[t * 4];
}

extern "C" __global__ void returns_from_loop(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int i = 0; i < 8; i++) {
    a += s[t * 4 + i];
    if (i == (t & 7)) { out[t] = a + s[t * 8]; return; }
    a *= s[t * 2 + i];
  }
  out[t] = a;
}

extern "C" __global__ void one_of_two(float* out, const float*) {
  TILE;
  if (t & 1) { a = s[t * 32]; out[t + 64] = a; } else { a = s[t * 16]; out[t + 128] = a; }
  out[t] = a + s[t * 2];
}

extern "C" __global__ void nested(float* out, const float*) {
  TILE;
  if (t & 1) {
    if (t & 2) { a = s[t * 32]; out[t + 64] = a; }
    else { a = s[t * 16]; out[t + 128] = a; if (t & 4) { a += s[t * 8]; out[t + 192] = a; } }
    a += s[t * 4];
    out[t + 256] = a;
  } else if (t & 4) {
    a = s[t * 2]; out[t + 320] = a;
  }
  out[t] = a + s[t * 2 + 1];
}

extern "C" __global__ void common_tail(float* out, const float*) {
  TILE;
  if (t % 4 == 0) { a = s[t * 2]; out[t + 64] = a; goto tail; }
  if (t % 4 == 1) { a = s[t * 4]; out[t + 128] = a; goto tail; }
  if (t % 4 == 2) { a = s[t * 8]; out[t + 192] = a; }
  else { a = s[t * 16]; out[t + 256] = a; goto last; }
tail:
  a += s[t * 32]; out[t + 320] = a;
last:
  out[t] = a + s[t];
}

extern "C" __global__ void both_of_two_loops(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    a += s[t * 2 + i];
#pragma unroll 1
    for (int j = 0; j < 4; j++) {
      if (j > (t & 3)) break;
      a += s[t * 8 + i + j];
      if (i + j == (t & 7)) goto out_of_both;
    }
    a *= s[t * 4 + i];
  }
out_of_both:
  out[t] = a + s[t * 16];
}

extern "C" __global__ void states(float* out, const float*) {
  TILE;
  int state = t & 3;
#pragma unroll 1
  for (int i = 0; i < 7 && state < 5; i++) {
    switch (state) {
      case 0: a += s[t * 2]; out[t + 64] = a; state = 2; break;
      case 1: a += s[t * 4]; out[t + 128] = a; state = t & 4 ? 3 : 0; break;
      case 2: a += s[t * 8]; out[t + 192] = a; state = 3; continue;
      case 3: a += s[t * 16]; out[t + 256] = a; state = 5; break;
    }
    a *= s[t * 32];
  }
  out[t] = a;
}

extern "C" __global__ void short_circuit(float* out, const float*) {
  TILE;
  if ((t & 1) && s[t * 4] >= 0.f) { a = 1; }
  if (((t & 2) || (t % 3 == 0)) && (t & 8)) { a += s[t * 16]; out[t + 64] = a; }
  out[t] = a + (t & 4 ? s[t * 2] : s[t * 8]);
}

extern "C" __global__ void at_least_once(float* out, const float*) {
  TILE;
  int i = t & 7;
  do {
    a += s[t * 4 + i];
    if ((t & 24) == 8) { a *= s[t * 2 + i]; out[t + 64 + i] = a; }
    i += 3;
  } while (i < 12);
  out[t] = a;
}

extern "C" __global__ void into_the_middle(float* out, const float*) {
  TILE;
  int n = 5 + (t & 1);
  switch (t & 3) {
    case 0: do { a += s[t * 2 + n]; out[t + 64] = a;
    case 3:      a += s[t * 4 + n]; out[t + 128] = a;
    case 2:      a += s[t * 8 + n]; out[t + 192] = a;
    case 1:      a += s[t * 16 + n]; out[t + 256] = a;
            } while (--n > 0);
  }
  out[t] = a;
}

extern "C" __global__ void warps_by_role(float* out, const float*) {
  TILE;
  if (t < 32) {
    if (t < 16) { a = s[t * 16]; out[t + 64] = a; }
    __syncwarp();
    a += s[t * 4];
  } else {
    if (t & 1) { a = s[t * 8]; out[t + 128] = a; }
    a += s[t * 2];
  }
  __syncthreads();
  out[t] = a + s[t * 32];
}

extern "C" __global__ void meets_for_shuffle(float* out, const float*) {
  TILE;
  if (t & 1) { a = s[t * 8]; out[t + 64] = a; } else { a = s[t * 2]; out[t + 128] = a; }
  a += __shfl_xor_sync(~0u, a, 1);
  a += s[t * 4];
  if ((t & 12) == 4) { a += s[t * 16]; out[t + 192] = a; }
  __syncwarp();
  out[t] = a + s[t * 32];
}

extern "C" __global__ void part_of_a_warp_syncs(float* out, const float*) {
  TILE;
  if (t & 2) {
    if (t & 1) { a = s[t * 8]; out[t + 64] = a; }
    __syncwarp(0xccccccccu);
    a += s[t * 16];
    out[t + 128] = a;
  }
  out[t] = a + s[t * 4];
}

__device__ __noinline__ float of_a_call(volatile float* s, int t) {
  if (t & 4) return s[t * 8];
  return s[t * 2] * s[t * 16];
}

extern "C" __global__ void calls(float* out, const float*) {
  TILE;
  if (t & 1) { a = of_a_call(s, t); out[t + 64] = a; }
  else if (t & 2) { a = of_a_call(s, t + 1); out[t + 128] = a; }
  out[t] = a + s[t];
}

extern "C" __global__ void halving(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int width = 32; width > 0; width >>= 1) {
    if (t < width) { a += s[t * 2] + s[(t + width) * 2]; s[t * 2] = a; }
    __syncthreads();
  }
  out[t] = a;
}

extern "C" __global__ void strided_by_halves(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int step = 1; step < 64; step *= 2) {
    if (t % (2 * step) == 0) { a = s[t * 8] + s[(t + step) * 8]; s[t * 8] = a; }
    __syncthreads();
  }
  out[t] = a;
}

extern "C" __global__ void skips_a_pass(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int i = 0; i < 5; i++) {
    if (((t + i) & 3) == 0) continue;
    a += s[t * 4 + i];
    if (((t + i) & 3) == 1) { out[t + 64 + i] = a; continue; }
    a += s[t * 8 + i];
  }
  out[t] = a;
}

extern "C" __global__ void two_ways_out(float* out, const float*) {
  TILE;
  int i = 0;
#pragma unroll 1
  while (true) {
    a += s[t * 2 + i];
    if (i > (t & 3)) { a += s[t * 8]; out[t + 64] = a; break; }
    a += s[t * 4 + i];
    if (i * 2 > (t & 15)) { a += s[t * 16]; out[t + 128] = a; break; }
    i++;
  }
  out[t] = a + s[t * 32];
}

extern "C" __global__ void loop_in_one_arm(float* out, const float*) {
  TILE;
  if (t & 1) {
#pragma unroll 1
    for (int i = 0; i < (t & 6); i++) { a += s[t * 4 + i]; if (a < 0.f && i == 9) break; }
    out[t + 64] = a + s[t * 16];
  } else {
    a = s[t * 8];
    out[t + 128] = a;
  }
  out[t] = a + s[t * 2];
}

extern "C" __global__ void returns_of_some(float* out, const float*) {
  TILE;
  if (t < 40) {
    a -= s[t]; out[t + 64] = a;
    if (t < 7) goto tail;
  }
  if (t < 16 && t % 3 == 1) return;
  a += s[t * 2];
tail:
  a += s[t * 4];
  out[t] = a;
}

extern "C" __global__ void sets_a_barrier_twice(float* out, const float*) {
  TILE;
#pragma unroll 1
  for (int i = 0; i < 3; i++) {
    if (i == (t & 2)) {
      a += s[t * 8 + i]; out[t + 64] = a;
      if (t < 12) goto after;
    } else if (t & 1) {
      a *= s[t * 32]; out[t + 128] = a;
      if (i == (t & 7)) break;
    }
    if (i > (t & 3)) continue;
    a -= s[t * 16 + i];
  }
  if ((t & 12) == 4) { a += s[t * 4]; out[t + 192] = a; }
#pragma unroll 1
  for (int i = 0; i < (t & 3); i++) { a -= s[t * 2 + i]; if (i == (t & 5)) goto after; }
  a *= s[t * 2];
after:
  out[t] = a + s[t * 4];
}

// Lengths of 128 names of 32 bytes each, and a hash of them: a thread per name.
__global__ void hash_names(unsigned* hashes, int* lengths, const char* names) {
  __shared__ char text[128][32];
  const int t = threadIdx.x;
  for (int i = t; i < 128 * 32 / 4; i += 128) *(int*)&text[i / 8][i % 8 * 4] = ((const int*)names)[blockIdx.x * 1024 + i];
  __syncthreads();
  unsigned h = 2166136261u;
  int length = 0;
  for (int i = 0; i < 32; ++i) {
    char c = text[t][i];
    h = (h ^ (unsigned char)c) * 16777619u;
    length += c != 0;
  }
  hashes[blockIdx.x * 128 + t] = h;
  lengths[blockIdx.x * 128 + t] = length;
}
void launch(unsigned* h, int* l, const char* names) { hash_names<<<8192, 128>>>(h, l, names); }

__global__ void inclusive_scan(float* g_odata, const float* g_idata) {
  __shared__ float temp[2][512];
  int thid = threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout][thid] = g_idata[blockIdx.x * 512 + thid];
  __syncthreads();
  for (int offset = 1; offset < 512; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (thid >= offset)
      temp[pout][thid] = temp[pin][thid] + temp[pin][thid - offset];
    else
      temp[pout][thid] = temp[pin][thid];
    __syncthreads();
  }
  g_odata[blockIdx.x * 512 + thid] = temp[pout][thid];
}
void launch(float* o, const float* i) { inclusive_scan<<<8192, 512>>>(o, i); }

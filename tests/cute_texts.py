"""Texts in the manner of CuTe headers and kernels, in our own words."""

HEAD = "#include <cute/tensor.hpp>\nusing namespace cute;\n"

TURN = (
    HEAD
    + """
template <class T>
__device__ void turn(T const* in, T* out, T* smem) {
  using SmemLayout = Layout<Shape<_64, _64>, Stride<_64, _1>>;
  using Turned = decltype(composition(SmemLayout{}, make_layout(Shape<_64, _64>{}, GenRowMajor{})));
  auto sA = make_tensor(make_smem_ptr(smem), SmemLayout{});
  auto sT = make_tensor(make_smem_ptr(smem), Turned{});
  auto gA = make_tensor(make_gmem_ptr(in), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  auto gB = make_tensor(make_gmem_ptr(out), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  auto load = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
                              Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{});
  auto save = make_tiled_copy(Copy_Atom<UniversalCopy<half_t>, half_t>{},
                              Layout<Shape<_4, _32>, Stride<_32, _1>>{}, Layout<Shape<_1, _1>>{});
  auto a = load.get_slice(threadIdx.x);
  copy(load, a.partition_S(gA), a.partition_D(sA));
  __syncthreads();
  auto b = save.get_slice(threadIdx.x);
  copy(save, b.partition_S(sT), b.partition_D(gB));
}
"""
)

OPERAND = (
    HEAD
    + """
__device__ void operand(half_t const* in, half_t* smem, half_t* out) {
  using Atom = decltype(composition(Swizzle<1, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}));
  using SmemLayout = decltype(tile_to_shape(Atom{}, Shape<_64, _32>{}));
  auto sB = make_tensor(make_smem_ptr(smem), SmemLayout{});
  auto gB = make_tensor(make_gmem_ptr(in), Layout<Shape<_64, _32>, Stride<_32, _1>>{});
  auto load = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
                              Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_4, _1>>{},
                            Tile<_64, _16, _16>{});
  auto read = make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);
  auto a = load.get_slice(threadIdx.x);
  copy(load, a.partition_S(gB), a.partition_D(sB));
  auto b = read.get_slice(threadIdx.x);
  auto frag = mma.get_slice(threadIdx.x).partition_fragment_B(sB);
  copy(read, b.partition_S(sB), b.retile_D(frag));
  copy(frag, make_tensor(make_gmem_ptr(out + threadIdx.x * size(frag)), frag.layout()));
}
"""
)

VALUES = (
    HEAD
    + """
__device__ void values(half_t* smem, half_t* out) {
  using SmemLayoutV = Layout<Shape<_64, _128>, Stride<_128, _1>>;
  using SmemLayoutVt =
      decltype(composition(SmemLayoutV{}, make_layout(Shape<_128, _64>{}, GenRowMajor{})));
  auto sVt = make_tensor(make_smem_ptr(smem), SmemLayoutVt{});
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_4, _1>>{},
                            Tile<_64, _16, _16>{});
  auto read = make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T, half_t>{}, mma);
  auto b = read.get_slice(threadIdx.x);
  auto frag = mma.get_slice(threadIdx.x).partition_fragment_B(sVt);
  copy(read, b.partition_S(sVt), b.retile_D(frag));
  copy(frag, make_tensor(make_gmem_ptr(out + threadIdx.x * size(frag)), frag.layout()));
}
"""
)

SIMPLE = (
    HEAD
    + """
__device__ void simple(float const* in, float* out) {
  auto sL = make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{});
  __shared__ float smem[1024];
  auto tA = make_layout(make_shape(Int<8>{}, Int<32>{}), LayoutRight{});
  auto tB = make_layout(make_shape(Int<32>{}, Int<8>{}));
  Tensor sA = make_tensor(make_smem_ptr(smem), sL);
  Tensor gA = make_tensor(make_gmem_ptr(in), make_layout(make_shape(Int<32>{}, Int<32>{})));
  Tensor tAgA = local_partition(gA, tA, threadIdx.x);
  Tensor tAsA = local_partition(sA, tA, threadIdx.x);
  copy(tAgA, tAsA);
  Tensor tBsA = local_partition(sA, tB, threadIdx.x);
  Tensor gB = make_tensor(make_gmem_ptr(out), make_layout(make_shape(Int<32>{}, Int<32>{})));
  Tensor tBgB = local_partition(gB, tB, threadIdx.x);
  copy(tBsA, tBgB);
}
"""
)

EPILOGUE = (
    HEAD
    + """
__device__ void epilogue(half_t* smem) {
  using SmemLayoutO = Layout<Shape<_64, _64>, Stride<_64, _1>>;
  auto sO = make_tensor(make_smem_ptr(smem), SmemLayoutO{});
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_4, _1>>{},
                            Tile<_64, _16, _16>{});
  auto r2s = make_tiled_copy_C(Copy_Atom<UniversalCopy<uint32_t>, half_t>{}, mma);
  auto frag = make_tensor<half_t>(partition_shape_C(mma, Shape<_64, _64>{}));
  auto w = r2s.get_slice(threadIdx.x);
  copy(r2s, w.retile_S(frag), w.partition_D(sO));
}
"""
)

TRAITS = (
    HEAD
    + """
template <int HeadDim_, int Rows_, int Warps_, typename Element_ = half_t>
struct AttentionTypes {
  using Element = Element_;
  static constexpr int HeadDim = HeadDim_;
  static constexpr int Threads = Warps_ * 32;
  static constexpr int Columns = HeadDim % 64 == 0 ? 64 : 32;
  static constexpr int Bits = Columns == 32 ? 1 : 2;
  static constexpr int PerLoad = sizeof(cute::uint128_t) / sizeof(Element);
  static constexpr int PerRow = Columns / PerLoad;
  using SmemLayoutAtomQ = decltype(composition(
      Swizzle<Bits, 3, 3>{}, Layout<Shape<_8, Int<Columns>>, Stride<Int<Columns>, _1>>{}));
  using SmemLayoutQ =
      decltype(tile_to_shape(SmemLayoutAtomQ{}, Shape<Int<Rows_>, Int<HeadDim>>{}));
  using Threads2 = Layout<Shape<Int<Threads / PerRow>, Int<PerRow>>, Stride<Int<PerRow>, _1>>;
  using Loads = std::conditional_t<sizeof(Element) == 2,
                                   SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>,
                                   UniversalCopy<Element>>;
  using GmemTiledCopy = decltype(make_tiled_copy(
      Copy_Atom<Loads, Element>{}, Threads2{}, Layout<Shape<_1, Int<PerLoad>>>{}));
  using TiledMma = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>,
                            Layout<Shape<Int<Warps_>, _1, _1>>, Tile<Int<16 * Warps_>, _16, _16>>;
  using SmemCopyAtom = Copy_Atom<SM75_U32x4_LDSM_N, Element>;
};
"""
)

DERIVED = (
    HEAD
    + """
template <int Warps, typename T>
struct Atoms {
  using Mma = MMA_Atom<SM80_16x8x16_F32BF16BF16F32_TN>;
  using Read = Copy_Atom<SM75_U32x4_LDSM_N, T>;
  static constexpr int Rows = 16 * Warps;
};
template <int Warps, typename T = bfloat16_t, typename Base = Atoms<Warps, T>>
struct Types : public Base {
  using SmemCopyAtom = typename Base::Read;
  using TiledMma = TiledMMA<typename Base::Mma, Layout<Shape<Int<Warps>, _1, _1>>>;
  using SmemLayoutA = Layout<Shape<Int<Base::Rows>, _64>, Stride<_64, _1>>;
};
"""
)

UNITS = (
    HEAD
    + """
struct Stage {
  using SmemLayoutA =
      decltype(tile_to_shape(GMMA::Layout_K_SW32_Atom<half_t>{}, Shape<_64, _64>{}));
  using GmemTiledCopyA = decltype(make_tiled_copy(
      Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
      Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}));
};
"""
)

HOST = (
    HEAD
    + """
template <class LayoutA, class CopyA, class ReadA>
__global__ void device_part(half_t const* A, half_t* B, LayoutA sA_layout, CopyA copy_a,
                            ReadA read_a) {
  extern __shared__ char memory[];
  half_t* smem = reinterpret_cast<half_t*>(memory);
  Tensor sA = make_tensor(make_smem_ptr(smem), sA_layout);
  Tensor gA = make_tensor(make_gmem_ptr(A), make_shape(Int<128>{}, Int<32>{}), LayoutRight{});
  auto a = copy_a.get_slice(threadIdx.x);
  copy(copy_a, a.partition_S(gA), a.partition_D(sA)(_, _, _, 0));
  auto r = read_a.get_slice(threadIdx.x);
  Tensor tXsA = r.partition_S(sA);
  Tensor tXrA = make_fragment_like(tXsA(_, _, _, 0));
  copy(read_a, tXsA(_, _, _, 0), tXrA);
  Tensor gB = make_tensor(make_gmem_ptr(B + threadIdx.x * size(tXrA)), tXrA.layout());
  copy(tXrA, gB);
}
void host_part(half_t const* A, half_t* B) {
  auto bM = Int<128>{};
  auto bK = Int<32>{};
  auto bP = Int<3>{};
  auto sA = tile_to_shape(make_layout(make_shape(Int<8>{}, bK), make_stride(bK, Int<1>{})),
                          make_shape(bM, bK, bP));
  auto copyA = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{},
                               Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
  auto mma = make_tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN{}, Layout<Shape<_2, _2>>{});
  auto readA = make_tiled_copy(Copy_Atom<UniversalCopy<uint32_t>, half_t>{},
                               Layout<Shape<_32, _4>>{}, Layout<Shape<_1, _2>>{});
  device_part<<<1, 128>>>(A, B, sA, copyA, readA);
}
"""
)

QUALIFIED = """
#include <cute/tensor.hpp>
namespace mine {
struct Tiles {
  static constexpr int kM = 64, kK = 64;
  using smem_a = cute::Layout<cute::Shape<cute::Int<kM>, cute::Int<kK>>,
                              cute::Stride<cute::Int<kK>, cute::Int<1>>>;
  using CopyA = decltype(cute::make_tiled_copy(
      cute::Copy_Atom<cute::UniversalCopy<cute::uint64_t>, cute::half_t>{},
      cute::Layout<cute::Shape<cute::_32, cute::_4>>{},
      cute::Layout<cute::Shape<cute::_1, cute::_4>>{}));
};
}  // namespace mine
"""

ORDERED = (
    HEAD
    + """
__device__ void ordered(half_t* smem, half_t* out) {
  auto where = make_ordered_layout(make_shape(_64{}, _64{}), Step<_2, _1>{});
  Tensor sC = make_tensor(make_smem_ptr(smem), where);
  auto s2g = make_tiled_copy(Copy_Atom<UniversalCopy<uint32_t>, half_t>{},
                             Layout<Shape<_32, _4>>{}, Layout<Shape<_1, _2>>{});
  auto part = s2g.get_thread_slice(threadIdx.x);
  auto tCsC = part.partition_S(sC);
  auto gC = make_tensor(make_gmem_ptr(out), make_shape(_64{}, _64{}), LayoutRight{});
  copy(s2g, tCsC, part.partition_D(gC));
}
"""
)

REVERSED = (
    HEAD
    + """
struct Columns {
  using SmemLayoutB = decltype(make_layout(Shape<_64, _64>{}, LayoutLeft{}));
  using StoreB = decltype(make_tiled_copy(
      Copy_Atom<AutoVectorizingCopyWithAssumedAlignment<128>, float>{},
      make_layout(make_shape(_2{}, _64{}), LayoutLeft{}), Layout<Shape<_4, _1>>{}));
};
"""
)

DSL = """
import cutlass
import cutlass.cute as cute


class Turn:
    def __init__(self):
        self.rows, self.columns = 64, 64
        self.bits = 16

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor):
        layout = cute.make_layout((self.rows, self.columns), stride=(self.columns, 1))
        atom = cute.make_copy_atom(
            cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128
        )
        single = cute.make_copy_atom(
            cute.nvgpu.CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=16
        )
        load = cute.make_tiled_copy_tv(
            atom, cute.make_layout((16, 8), stride=(8, 1)), cute.make_layout((1, 8))
        )
        save = cute.make_tiled_copy_tv(
            single, cute.make_layout((32, 4)), cute.make_layout((1, 1))
        )
        self.kernel(a, b, layout, load, save).launch(grid=[1, 1, 1], block=[128, 1, 1])

    @cute.kernel
    def kernel(self, a, b, layout, load, save):
        tidx, _, _ = cute.arch.thread_idx()
        smem = cutlass.utils.SmemAllocator()
        sA = smem.allocate_tensor(cutlass.Float16, layout, 16)
        first = load.get_slice(tidx)
        cute.copy(load, first.partition_S(a), first.partition_D(sA))
        cute.arch.sync_threads()
        second = save.get_slice(tidx)
        cute.copy(save, second.partition_S(sA), second.partition_D(b))
"""

MATRICES = """
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import warp

swizzled = cute.make_composed_layout(
    cute.make_swizzle(1, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1))
)
sA_layout = cute.tile_to_shape(swizzled, (64, 64), (0, 1))
mma = cute.make_tiled_mma(
    warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)),
    cute.make_layout((2, 2, 1)),
    permutation_mnk=(32, 32, 16),
)
read = cute.make_tiled_copy_A(
    cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cutlass.Float16), mma
)
"""

#pragma once
#include "ck_tile/core.hpp"
// The reader is said in the header: warps outside, the operand of the matrix instruction inside.
namespace ck_tile {
struct EmbeddedOperandPolicy
{
    static constexpr auto I0 = number<0>{};

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto GetWarpGemmMWarpNWarp()
    {
        using Warps = sequence<4, 1, Problem::BlockFmhaShape::BlockWarps::at(I0)>;
        return make_tuple(0, Warps::at(I0), Warps::at(number<1>{}));
    }

    template <typename Problem, typename BlockGemm>
    CK_TILE_HOST_DEVICE static constexpr auto MakeQRegBlockDescriptor()
    {
        using WG                        = typename BlockGemm::WarpGemm;
        constexpr auto config           = GetWarpGemmMWarpNWarp<Problem>();
        constexpr index_t MWarp         = config.template at<1>();
        constexpr index_t NWarp         = config.template at<2>();
        constexpr index_t MIterPerWarp  = Problem::BlockFmhaShape::kM0 / (MWarp * WG::kM);
        constexpr index_t KIterPerWarp  = Problem::BlockFmhaShape::kK0 / WG::kK;
        constexpr auto outer_encoding =
            tile_distribution_encoding<sequence<NWarp>,
                                       tuple<sequence<MIterPerWarp, MWarp>, sequence<KIterPerWarp>>,
                                       tuple<sequence<1, 0>>,
                                       tuple<sequence<1, 0>>,
                                       sequence<1, 2>,
                                       sequence<0, 0>>{};
        constexpr auto encoding = detail::make_embed_tile_distribution_encoding(
            outer_encoding, typename WG::AWarpDstrEncoding{});
        return make_static_tile_distribution(encoding);
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeQDramTileDistribution()
    {
        constexpr index_t K1 = 16 / sizeof(typename Problem::QDataType);
        constexpr index_t K0 = Problem::BlockFmhaShape::kK0 / K1;
        constexpr index_t M2 = get_warp_size() / K0;
        constexpr index_t M1 = Problem::kBlockSize / get_warp_size();
        constexpr index_t M0 = integer_divide_ceil(Problem::BlockFmhaShape::kM0, M2 * M1);
        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<1>,
                                       tuple<sequence<M0, M1, M2>, sequence<K0, K1>>,
                                       tuple<sequence<1>, sequence<1, 2>>,
                                       tuple<sequence<1>, sequence<2, 0>>,
                                       sequence<1, 2>,
                                       sequence<0, 1>>{});
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeQLdsBlockDescriptor()
    {
        constexpr index_t kMPerBlock = Problem::BlockFmhaShape::kM0;
        constexpr index_t kKPerBlock = Problem::BlockFmhaShape::kK0;
        constexpr index_t kKPack     = 16 / sizeof(typename Problem::QDataType);
        constexpr auto q_lds_desc    = make_naive_tensor_descriptor_aligned(
            make_tuple(number<kMPerBlock>{}, number<kKPerBlock>{}), number<kKPack>{});
        return q_lds_desc;
    }
};
} // namespace ck_tile

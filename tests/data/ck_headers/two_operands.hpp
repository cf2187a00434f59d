#pragma once
#include "ck_tile/core.hpp"
// Both operands of a GEMM by plain rows, each row stored by lanes that lie side by side.
namespace ck_tile {
struct TwoOperandsPolicy
{
    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeALdsBlockDescriptor()
    {
        constexpr index_t kMPerBlock = Problem::BlockGemmShape::kM;
        constexpr index_t kKPerBlock = Problem::BlockGemmShape::kK;
        constexpr index_t kKPack     = 8;
        constexpr auto a_lds_desc    = make_naive_tensor_descriptor(
            make_tuple(number<kMPerBlock>{}, number<kKPerBlock>{}),
            make_tuple(number<kKPerBlock>{}, number<1>{}),
            number<kKPack>{},
            number<1>{});
        return a_lds_desc;
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeBLdsBlockDescriptor()
    {
        constexpr index_t kNPerBlock = Problem::BlockGemmShape::kN;
        constexpr index_t kKPerBlock = Problem::BlockGemmShape::kK;
        constexpr index_t kKPack     = 8;
        constexpr auto b_lds_desc    = make_naive_tensor_descriptor(
            make_tuple(number<kNPerBlock>{}, number<kKPerBlock>{}),
            make_tuple(number<kKPerBlock>{}, number<1>{}),
            number<kKPack>{},
            number<1>{});
        return b_lds_desc;
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr index_t GetSmemSize()
    {
        return sizeof(typename Problem::ADataType) *
                   MakeALdsBlockDescriptor<Problem>().get_element_space_size() +
               sizeof(typename Problem::BDataType) *
                   MakeBLdsBlockDescriptor<Problem>().get_element_space_size();
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeADramTileDistribution()
    {
        constexpr index_t K1 = 8;
        constexpr index_t K0 = Problem::BlockGemmShape::kK / K1;
        constexpr index_t M2 = get_warp_size() / K0;
        constexpr index_t M1 = Problem::kBlockSize / get_warp_size();
        constexpr index_t M0 = Problem::BlockGemmShape::kM / (M1 * M2);
        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<1>,
                                       tuple<sequence<M0, M1, M2>, sequence<K0, K1>>,
                                       tuple<sequence<1>, sequence<1, 2>>,
                                       tuple<sequence<1>, sequence<2, 0>>,
                                       sequence<1, 2>,
                                       sequence<0, 1>>{});
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeBDramTileDistribution()
    {
        constexpr index_t K1 = 8;
        constexpr index_t K0 = Problem::BlockGemmShape::kK / K1;
        constexpr index_t N2 = get_warp_size() / K0;
        constexpr index_t N1 = Problem::kBlockSize / get_warp_size();
        constexpr index_t N0 = Problem::BlockGemmShape::kN / (N1 * N2);
        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<1>,
                                       tuple<sequence<N0, N1, N2>, sequence<K0, K1>>,
                                       tuple<sequence<1>, sequence<1, 2>>,
                                       tuple<sequence<1>, sequence<2, 0>>,
                                       sequence<1, 2>,
                                       sequence<0, 1>>{});
    }
};
} // namespace ck_tile

#pragma once
#include "ck_tile/core.hpp"
// A tile by chunks of KPack: one row of padding behind all chunks of a place in k.
namespace ck_tile {
struct PaddedChunksPolicy
{
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeADramTileDistribution()
    {
        using ADataType               = remove_cvref_t<typename Problem::ADataType>;
        constexpr index_t BlockSize   = Problem::kBlockSize;
        constexpr index_t kMPerBlock  = Problem::BlockGemmShape::kM;
        constexpr index_t kKPerBlock  = Problem::BlockGemmShape::kK;
        constexpr index_t K1          = 16 / sizeof(ADataType);
        constexpr index_t K0          = kKPerBlock / K1;
        constexpr index_t M2          = get_warp_size() / K0;
        constexpr index_t M1          = BlockSize / get_warp_size();
        constexpr index_t M0          = kMPerBlock / (M2 * M1);
        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<1>,
                                       tuple<sequence<M0, M1, M2>, sequence<K0, K1>>,
                                       tuple<sequence<1>, sequence<1, 2>>,
                                       tuple<sequence<1>, sequence<2, 0>>,
                                       sequence<1, 2>,
                                       sequence<0, 1>>{});
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeALdsBlockDescriptor()
    {
        using ADataType              = remove_cvref_t<typename Problem::ADataType>;
        constexpr index_t kMPerBlock = Problem::BlockGemmShape::kM;
        constexpr index_t kKPerBlock = Problem::BlockGemmShape::kK;
        constexpr index_t kKPack     = 16 / sizeof(ADataType);

        constexpr auto a_desc_0 = make_naive_tensor_descriptor(
            make_tuple(number<kKPerBlock / kKPack>{}, number<kMPerBlock>{}, number<kKPack>{}),
            make_tuple(number<(kMPerBlock + 1) * kKPack>{}, number<kKPack>{}, number<1>{}),
            number<kKPack>{},
            number<1>{});

        constexpr auto a_desc = transform_tensor_descriptor(
            a_desc_0,
            make_tuple(make_pass_through_transform(number<kMPerBlock>{}),
                       make_merge_transform(
                           make_tuple(number<kKPerBlock / kKPack>{}, number<kKPack>{}))),
            make_tuple(sequence<1>{}, sequence<0, 2>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
        return a_desc;
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr index_t GetSmemSizeA()
    {
        return sizeof(typename Problem::ADataType) *
               MakeALdsBlockDescriptor<Problem>().get_element_space_size();
    }
};
} // namespace ck_tile

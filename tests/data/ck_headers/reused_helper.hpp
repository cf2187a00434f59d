#pragma once
#include "ck_tile/core.hpp"
// One helper makes the layouts of two operands.
namespace ck_tile {
struct ReusedHelperPolicy
{
    template <index_t kRowsPerBlock, index_t kKPerBlock, index_t KPack>
    CK_TILE_HOST_DEVICE static constexpr auto MakeXLdsBlockDescriptor()
    {
        constexpr auto x_desc_0 = make_naive_tensor_descriptor(
            make_tuple(number<kRowsPerBlock>{}, number<kKPerBlock / KPack>{}, number<KPack>{}),
            make_tuple(number<kKPerBlock>{}, number<KPack>{}, number<1>{}),
            number<KPack>{},
            number<1>{});
        return transform_tensor_descriptor(
            x_desc_0,
            make_tuple(make_pass_through_transform(number<kRowsPerBlock>{}),
                       make_merge_transform(make_tuple(number<kKPerBlock / KPack>{}, number<KPack>{}))),
            make_tuple(sequence<0>{}, sequence<1, 2>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeALdsBlockDescriptor()
    {
        return MakeXLdsBlockDescriptor<Problem::BlockGemmShape::kM,
                                       Problem::BlockGemmShape::kK,
                                       16 / sizeof(typename Problem::ADataType)>();
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeADramTileDistribution()
    {
        using Pattern = TileDistributionEncodingPattern2D<Problem::kBlockSize,
                                                          Problem::BlockGemmShape::kM,
                                                          Problem::BlockGemmShape::kK,
                                                          16 / sizeof(typename Problem::ADataType),
                                                          tile_distribution_pattern::warp_raked>;
        return Pattern::Make2DStaticTileDistribution();
    }
};
} // namespace ck_tile

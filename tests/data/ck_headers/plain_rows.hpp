#pragma once
#include "ck_tile/core.hpp"
// Rows as they come, by the 2D pattern; the B operand of a GEMM.
namespace ck_tile {
struct PlainRowsPolicy
{
    static constexpr auto AccessPattern = tile_distribution_pattern::thread_raked;

    template <typename Problem>
    static constexpr auto GetVectorSizeB()
    {
        return 16 / sizeof(typename Problem::BDataType);
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeBDramTileDistribution()
    {
        constexpr index_t BlockSize = Problem::kBlockSize;
        using Pattern = TileDistributionEncodingPattern2D<BlockSize,
                                                          Problem::BlockGemmShape::kN,
                                                          Problem::BlockGemmShape::kK,
                                                          GetVectorSizeB<Problem>(),
                                                          AccessPattern>;
        return Pattern::Make2DStaticTileDistribution();
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeBLdsBlockDescriptor()
    {
        constexpr index_t NPerBlock = Problem::BlockGemmShape::kN;
        constexpr index_t KPerBlock = Problem::BlockGemmShape::kK;
        return make_naive_tensor_descriptor_packed(
            make_tuple(number<NPerBlock>{}, number<KPerBlock>{}), number<8>{});
    }
};
} // namespace ck_tile

#pragma once
#include "ck_tile/core.hpp"
// The layout is a member of a base; a specialisation for bytes has other vectors.
namespace ck_tile {
template <typename T>
struct VectorOf
{
    static constexpr index_t value = 16 / sizeof(T);
};

template <>
struct VectorOf<fp8_t>
{
    static constexpr index_t value = 16;
};

struct LdsCommon
{
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto GetKPackB()
    {
        return VectorOf<typename Problem::BDataType>::value;
    }
};

struct SpecialisedBasePolicy : public LdsCommon
{
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeBLdsBlockDescriptor()
    {
        constexpr index_t kNPerBlock = Problem::BlockGemmShape::kN;
        constexpr index_t kKPerBlock = Problem::BlockGemmShape::kK;
        constexpr index_t KPack      = GetKPackB<Problem>();
        constexpr auto b_lds_desc_0  = make_naive_tensor_descriptor_packed(
            make_tuple(number<kNPerBlock>{}, number<kKPerBlock / KPack>{}, number<KPack>{}),
            number<KPack>{});
        constexpr auto b_lds_desc = transform_tensor_descriptor(
            b_lds_desc_0,
            make_tuple(
                make_pass_through_transform(kNPerBlock),
                make_merge_transform(make_tuple(number<kKPerBlock / KPack>{}, number<KPack>{}))),
            make_tuple(sequence<0>{}, sequence<1, 2>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
        return b_lds_desc;
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeBDramTileDistribution()
    {
        using Pattern = TileDistributionEncodingPattern2D<Problem::kBlockSize,
                                                          Problem::BlockGemmShape::kN,
                                                          Problem::BlockGemmShape::kK,
                                                          VectorOf<typename Problem::BDataType>::value,
                                                          tile_distribution_pattern::block_raked>;
        return Pattern::Make2DStaticTileDistribution();
    }
};
} // namespace ck_tile

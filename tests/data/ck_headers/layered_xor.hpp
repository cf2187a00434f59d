#pragma once
#include "ck_tile/core.hpp"
// Several rows share one row of LDS, whose chunks are exchanged; two orders of the operand.
namespace ck_tile {
template <typename LayoutA_>
struct LayeredXorPolicy
{
    using LayoutA            = remove_cvref_t<LayoutA_>;
    static constexpr auto I1 = number<1>{};

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeALdsBlockDescriptor()
    {
        using DataType       = remove_cvref_t<typename Problem::ADataType>;
        constexpr index_t M  = Problem::BlockGemmShape::kM;
        constexpr index_t K  = Problem::BlockGemmShape::kK;
        constexpr index_t K1 = 16 / sizeof(DataType);
        constexpr index_t K0 = K / K1;

        if constexpr(std::is_same_v<tensor_layout::gemm::RowMajor, LayoutA>)
        {
            constexpr auto Layers =
                get_n_lds_banks() * 4 / K / sizeof(DataType) < 1
                    ? 1
                    : get_n_lds_banks() * 4 / K / sizeof(DataType);
            constexpr auto box = make_naive_tensor_descriptor(
                make_tuple(number<K0 * Layers>{}, number<M / Layers>{}, number<K1>{}),
                make_tuple(number<K1>{}, number<K * Layers>{}, I1),
                number<K1>{},
                number<1>{});
            constexpr auto exchanged = transform_tensor_descriptor(
                box,
                make_tuple(
                    make_xor_transform(make_tuple(number<M / Layers>{}, number<K0 * Layers>{})),
                    make_pass_through_transform(number<K1>{})),
                make_tuple(sequence<1, 0>{}, sequence<2>{}),
                make_tuple(sequence<1, 0>{}, sequence<2>{}));
            constexpr auto layered = transform_tensor_descriptor(
                exchanged,
                make_tuple(make_unmerge_transform(make_tuple(number<Layers>{}, number<K0>{})),
                           make_pass_through_transform(number<M / Layers>{}),
                           make_pass_through_transform(number<K1>{})),
                make_tuple(sequence<0>{}, sequence<1>{}, sequence<2>{}),
                make_tuple(sequence<0, 2>{}, sequence<1>{}, sequence<3>{}));
            constexpr auto whole = transform_tensor_descriptor(
                layered,
                make_tuple(make_merge_transform_v3_division_mod(
                               make_tuple(number<M / Layers>{}, number<Layers>{})),
                           make_merge_transform_v3_division_mod(
                               make_tuple(number<K0>{}, number<K1>{}))),
                make_tuple(sequence<1, 0>{}, sequence<2, 3>{}),
                make_tuple(sequence<0>{}, sequence<1>{}));
            return whole;
        }
        else
        {
            constexpr auto whole = make_naive_tensor_descriptor(
                make_tuple(number<M>{}, number<K>{}), make_tuple(I1, number<M>{}));
            return whole;
        }
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeADramTileDistribution()
    {
        return TileDistributionEncodingPattern2D<
            Problem::kBlockSize,
            Problem::BlockGemmShape::kM,
            Problem::BlockGemmShape::kK,
            16 / sizeof(typename Problem::ADataType),
            tile_distribution_pattern::block_raked>::Make2DStaticTileDistribution();
    }
};
} // namespace ck_tile

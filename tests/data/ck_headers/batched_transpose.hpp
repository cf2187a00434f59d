#pragma once
#include "ck_tile/core.hpp"
// A transpose through LDS: two descriptors of one memory, for stores and for loads.
namespace ck_tile {
struct BatchedTransposePolicy
{
    static constexpr auto TileAccessPattern = tile_distribution_pattern::warp_raked;

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeInputDistribution()
    {
        constexpr index_t BlockSize = Problem::kBlockSize;
        constexpr index_t Rows      = Problem::kSecondSizePerBlock;
        constexpr index_t Columns   = Problem::kLeadSizePerBlock;
        constexpr index_t VecLoad   = 16 / sizeof(typename Problem::DataType);
        using TileEncodingPattern =
            TileDistributionEncodingPattern2D<BlockSize, Rows, Columns, VecLoad, TileAccessPattern>;
        return TileEncodingPattern::Make2DStaticTileDistribution();
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeLdsStoreBlockDescriptor()
    {
        constexpr index_t kLeadDim   = Problem::kLeadSizePerBlock;
        constexpr index_t kSecondDim = Problem::kSecondSizePerBlock;
        constexpr index_t kVector    = 16 / sizeof(typename Problem::DataType);

        constexpr auto lds_store_0 = make_naive_tensor_descriptor(
            make_tuple(number<kSecondDim>{}, number<kLeadDim / kVector>{}, number<kVector>{}),
            make_tuple(number<kLeadDim>{}, number<kVector>{}, number<1>{}),
            number<kVector>{},
            number<1>{});
        constexpr auto lds_store = transform_tensor_descriptor(
            lds_store_0,
            make_tuple(
                make_pass_through_transform(number<kSecondDim>{}),
                make_merge_transform(make_tuple(number<kLeadDim / kVector>{}, number<kVector>{}))),
            make_tuple(sequence<0>{}, sequence<1, 2>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
        return lds_store;
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeLdsLoadBlockDescriptor()
    {
        constexpr index_t kLeadDim   = Problem::kLeadSizePerBlock;
        constexpr index_t kSecondDim = Problem::kSecondSizePerBlock;
        constexpr auto lds_load      = make_naive_tensor_descriptor_packed(
            make_tuple(number<kSecondDim>{}, number<kLeadDim>{}), number<8>{});
        return lds_load;
    }

    template <typename Problem>
    CK_TILE_DEVICE static constexpr auto MakeLdsLoadTileDistribution()
    {
        constexpr index_t kLeadDim   = Problem::kLeadSizePerBlock;
        constexpr index_t kSecondDim = Problem::kSecondSizePerBlock;
        constexpr index_t M1         = 16 / sizeof(typename Problem::DataType);
        constexpr index_t M0         = kSecondDim / M1;
        constexpr index_t Warps      = Problem::kBlockSize / get_warp_size();
        constexpr index_t K1         = get_warp_size() / M0;
        constexpr index_t K0         = kLeadDim / (K1 * Warps);
        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<1>,
                                       tuple<sequence<M0, M1>, sequence<K0, Warps, K1>>,
                                       tuple<sequence<2>, sequence<2, 1>>,
                                       tuple<sequence<1>, sequence<2, 0>>,
                                       sequence<2, 1>,
                                       sequence<0, 1>>{});
    }
};
} // namespace ck_tile

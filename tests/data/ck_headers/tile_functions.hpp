#pragma once
#include "ck_tile/core.hpp"
// Functions without a policy: sizes are template parameters, a lambda picks the vector.
namespace ck_tile {
template <index_t kMPerTile, index_t kKPerTile, typename DataType>
CK_TILE_HOST_DEVICE constexpr auto MakeALdsTile_Descriptor()
{
    constexpr index_t KVec = [&]() {
        if constexpr(sizeof(DataType) == 2)
            return 8;
        else
            return 4;
    }();
    constexpr auto tile_0 = make_naive_tensor_descriptor(
        make_tuple(number<kMPerTile>{}, number<kKPerTile / KVec>{}, number<KVec>{}),
        make_tuple(number<kKPerTile>{}, number<KVec>{}, number<1>{}),
        number<KVec>{},
        number<1>{});
    constexpr auto tile = transform_tensor_descriptor(
        tile_0,
        make_tuple(make_pass_through_transform(number<kMPerTile>{}),
                   make_merge_transform(make_tuple(number<kKPerTile / KVec>{}, number<KVec>{}))),
        make_tuple(sequence<0>{}, sequence<1, 2>{}),
        make_tuple(sequence<0>{}, sequence<1>{}));
    return tile;
}

template <index_t kMPerTile, index_t kKPerTile, index_t kThreads, typename DataType>
CK_TILE_HOST_DEVICE constexpr auto MakeADramTileDistribution()
{
    constexpr index_t KVec  = sizeof(DataType) == 2 ? 8 : 4;
    constexpr index_t Lanes = kKPerTile / KVec;
    constexpr index_t Rows  = get_warp_size() / Lanes;
    constexpr index_t Warps = kThreads / get_warp_size();
    return make_static_tile_distribution(
        tile_distribution_encoding<
            sequence<1>,
            tuple<sequence<kMPerTile / (Rows * Warps), Warps, Rows>, sequence<Lanes, KVec>>,
            tuple<sequence<1>, sequence<1, 2>>,
            tuple<sequence<1>, sequence<2, 0>>,
            sequence<1, 2>,
            sequence<0, 1>>{});
}
} // namespace ck_tile

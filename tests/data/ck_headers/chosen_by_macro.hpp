#pragma once
#include "ck_tile/core.hpp"
#define A_LDS_PADDED 0
#define A_VECTOR 4
// Floats; a macro chooses between a padded layout and rows as they come.
namespace ck_tile {
struct ChosenByMacroPolicy
{
    using ADataType = float;

#if A_LDS_PADDED
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeALdsBlockDescriptor()
    {
        return make_naive_tensor_descriptor(
            make_tuple(number<Problem::kM>{}, number<Problem::kK>{}),
            make_tuple(number<Problem::kK + A_VECTOR>{}, number<1>{}));
    }
#else
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeALdsBlockDescriptor()
    {
        constexpr index_t kRows    = Problem::kM;
        constexpr index_t kColumns = Problem::kK;
        constexpr auto desc        = make_naive_tensor_descriptor(
            make_tuple(number<kRows>{}, number<kColumns>{}),
            make_tuple(number<kColumns>{}, number<1>{}),
            number<A_VECTOR>{},
            number<1>{});
        return desc;
    }
#endif

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto MakeADramTileDistribution()
    {
        constexpr index_t X1 = A_VECTOR;
        constexpr index_t X0 = Problem::kK / X1;
        constexpr index_t Y1 = get_warp_size() / X0;
        constexpr index_t Y0 = Problem::kBlockSize / get_warp_size();
        constexpr index_t Y2 = Problem::kM / (Y1 * Y0);
        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<1>,
                                       tuple<sequence<Y0, Y1, Y2>, sequence<X0, X1>>,
                                       tuple<sequence<1>, sequence<1, 2>>,
                                       tuple<sequence<0>, sequence<1, 0>>,
                                       sequence<1, 2>,
                                       sequence<2, 1>>{});
    }
};
} // namespace ck_tile

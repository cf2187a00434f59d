#pragma once
#include "ck_tile/core.hpp"
// A tile of 64 x 32 halves: rows are written, columns are read.
namespace scenario {
using namespace ck_tile;
using DataType              = half_t;
static constexpr index_t kM = 64;
static constexpr index_t kK = 32;

CK_TILE_HOST_DEVICE constexpr auto make_global_distribution()
{
    return make_static_tile_distribution(
        tile_distribution_encoding<sequence<1>,
                                   tuple<sequence<1, 4, 16>, sequence<4, 8>>,
                                   tuple<sequence<1>, sequence<1, 2>>,
                                   tuple<sequence<1>, sequence<2, 0>>,
                                   sequence<1, 2>,
                                   sequence<0, 1>>{});
}

CK_TILE_HOST_DEVICE constexpr auto make_lds_read_distribution()
{
    return make_static_tile_distribution(
        tile_distribution_encoding<sequence<1>,
                                   tuple<sequence<8, 8>, sequence<4, 8>>,
                                   tuple<sequence<2>, sequence<2, 1>>,
                                   tuple<sequence<0>, sequence<1, 0>>,
                                   sequence<1>,
                                   sequence<1>>{});
}

CK_TILE_HOST_DEVICE constexpr auto make_lds_descriptor()
{
    return make_naive_tensor_descriptor(make_tuple(number<kM>{}, number<kK>{}),
                                        make_tuple(number<kK>{}, number<1>{}),
                                        number<8>{},
                                        number<1>{});
}
} // namespace scenario

// Shared memory whose columns change places, written by bankwise: lanes that go down a column find
// it in other banks from row to row. tile<T, R, C, Layout> stands for T[R][C], line<T, N, Layout>
// for T[N]: elements are named, and their addresses taken, as of those. A row is no pointer.
#ifndef BANKWISE_TILE
#define BANKWISE_TILE
namespace bankwise {

// Chunks of kUnit columns are XORed with the row divided by kRows, modulo kPhases.
template <unsigned kRows, unsigned kPhases, unsigned kUnit>
struct fold {
  static __device__ __forceinline__ unsigned column(unsigned r, unsigned c) {
    return c + ((c / kUnit ^ (r / kRows & (kPhases - 1))) - c / kUnit) * kUnit;
  }
};

// One map behind another.
template <class First, class Second>
struct both {
  static __device__ __forceinline__ unsigned column(unsigned r, unsigned c) {
    return Second::column(r, First::column(r, c));
  }
};

template <class Element, unsigned kExtent, unsigned kColumns, class Layout>
struct tile {
  struct row {
    Element* first;
    unsigned number;
    __device__ __forceinline__ Element& operator[](unsigned c) const {
      return first[Layout::column(number, c)];
    }
  };
  __device__ __forceinline__ row operator[](unsigned r) { return {data[r], r}; }
  static constexpr unsigned kBytes = kExtent * kColumns * sizeof(Element);
  alignas(kBytes % 16 ? alignof(Element) : 16) Element data[kExtent][kColumns];
};

// Of one dimension: the number of an element is its row and its column.
template <class Element, unsigned kExtent, class Layout>
struct line {
  __device__ __forceinline__ Element& operator[](unsigned i) {
    return data[Layout::column(i, i)];
  }
  static constexpr unsigned kBytes = kExtent * sizeof(Element);
  alignas(kBytes % 16 ? alignof(Element) : 16) Element data[kExtent];
};

}  // namespace bankwise
#endif

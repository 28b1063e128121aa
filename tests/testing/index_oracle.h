// What gather and scatter mean, as plain loops over multi-indices: shapes and values, one element after the other.
#ifndef AXISCAST_TESTS_TESTING_INDEX_ORACLE_H_
#define AXISCAST_TESTS_TESTING_INDEX_ORACLE_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "axiscast/kit/testing/values.h"
#include "axiscast/tensor.h"
#include "tests/testing/strided.h"

namespace axiscast::test {

// Elements in row-major order.
struct DenseArray {
  DType dtype;
  Shape shape;
  std::vector<std::byte> bytes;

  std::size_t size() const { return SizeOf(dtype); }
  // The element that faces `at`, dim by dim from the left; a 1 faces everything, and so does a dim that is not there.
  std::byte* Facing(const Index& at) {
    std::int64_t offset = 0;
    for (int d = 0; d < shape.rank(); ++d) offset = offset * shape[d] + (shape[d] == 1 ? 0 : at[static_cast<std::size_t>(d)]);
    return bytes.data() + offset * static_cast<std::int64_t>(size());
  }
  std::int64_t ValueAt(const Index& at) {
    if (dtype == DType::kInt64) return static_cast<std::int64_t>(LoadBits(Facing(at), 8));
    return static_cast<std::int32_t>(LoadBits(Facing(at), 4));
  }
};

struct IndexArguments {
  std::string mode;  // "broadcast", "prefix", "same_rank"
  std::int64_t dim;
  bool wrap_negative;
  std::string reduce;  // "assign", ...
  bool include_self;
};

// False where extents do not fit: SEMANTICS' bc.
inline bool Meet(std::int64_t x, std::int64_t y, std::int64_t* extent) {
  *extent = x == 1 ? y : x;
  return x == y || x == 1 || y == 1;
}

struct IndexedShapes {
  bool fits = false;
  int d = 0;
  Shape visited, result;
};

inline IndexedShapes ShapesOf(const IndexArguments& a, Shape data, Shape index, const Shape* src) {
  IndexedShapes shapes;
  const bool zero_d = data.rank() == 0, index_zero_d = index.rank() == 0;
  if (zero_d) data = {1};
  if (index_zero_d) index = {1};
  const int r = data.rank(), q = index.rank();
  const bool broadcast = a.mode == "broadcast", prefix = a.mode == "prefix";
  if (q > r || (!broadcast && q != r) || a.dim < -q || a.dim >= q) return shapes;
  shapes.d = static_cast<int>(a.dim < 0 ? a.dim + q : a.dim);
  if (src != nullptr && src->rank() != 0 && src->rank() != r) return shapes;
  for (int i = 0; i < r; ++i) {
    const std::int64_t of_index = i < q ? index[i] : 1;
    const std::int64_t of_src = src != nullptr && src->rank() != 0 ? (*src)[i] : 1;
    std::int64_t extent = of_index;
    if (prefix) {
      if (i != shapes.d && of_index > data[i]) return shapes;
      if (src != nullptr && src->rank() != 0 && of_index > of_src) return shapes;
    } else {
      if (i != shapes.d && !Meet(data[i], of_index, &extent)) return shapes;
      std::int64_t with_src;
      if (!Meet(extent, of_src, &with_src)) return shapes;
      if (!broadcast && with_src != extent) return shapes;
      extent = with_src;
    }
    shapes.visited.push_back(extent);
  }
  shapes.fits = true;
  shapes.result = shapes.visited;
  if (src == nullptr) {
    if (index_zero_d && (zero_d || prefix)) shapes.result = {};
    return shapes;
  }
  shapes.result[shapes.d] = data[shapes.d];
  if (!broadcast) shapes.result = data;
  if (zero_d) shapes.result = {};
  return shapes;
}

// Where the index says; false where it is out of range.
inline bool Chosen(const IndexArguments& a, const IndexedShapes& shapes, DenseArray& index, std::int64_t extent, Index* at) {
  std::int64_t value = index.ValueAt(*at);
  if (value < 0 && a.wrap_negative) value += extent;
  (*at)[static_cast<std::size_t>(shapes.d)] = value;
  return value >= 0 && value < extent;
}

inline bool AllInRange(const IndexArguments& a, DenseArray& index, std::int64_t extent) {
  bool all = true;
  ForEachIndex(index.shape, [&](const Index& at) {
    const std::int64_t value = index.ValueAt(at);
    all = all && value < extent && value >= (a.wrap_negative ? -extent : 0);
  });
  return all;
}

inline void CopyElement(DType dtype, const std::byte* from, std::byte* to) {
  std::memcpy(to, from, SizeOf(dtype));
  if (dtype == DType::kBool) *to = static_cast<std::byte>(*from != std::byte{0});
}

inline DenseArray NaiveGather(const IndexArguments& a, DenseArray input, DenseArray index) {
  const IndexedShapes shapes = ShapesOf(a, input.shape, index.shape, nullptr);
  const std::int64_t extent = input.shape.rank() == 0 ? 1 : input.shape[shapes.d];
  DenseArray out{input.dtype, shapes.result, {}};
  ForEachIndex(shapes.visited, [&](Index at) {
    Chosen(a, shapes, index, extent, &at);
    out.bytes.resize(out.bytes.size() + out.size());
    CopyElement(out.dtype, input.Facing(at), out.bytes.data() + out.bytes.size() - out.size());
  });
  return out;
}

// The value that two become, in what the dtype computes in.
template <typename C>
C Combined(const std::string& reduce, C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    if (reduce == "mul") return x * y;
    if (reduce == "amin" || reduce == "amax") {
      if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<C>::quiet_NaN();
      if (x == y) return (std::signbit(x) == (reduce == "amin")) ? x : y;
    }
    if (reduce == "amin") return x < y ? x : y;
    if (reduce == "amax") return x > y ? x : y;
    return x + y;
  } else {
    const auto wide_x = static_cast<std::uint64_t>(x), wide_y = static_cast<std::uint64_t>(y);
    if (reduce == "mul") return static_cast<C>(wide_x * wide_y);
    if (reduce == "amin") return x < y ? x : y;
    if (reduce == "amax") return x > y ? x : y;
    return static_cast<C>(wide_x + wide_y);
  }
}

// `in_place`: elements of self that nothing is written to keep their bytes.
inline DenseArray NaiveScatter(const IndexArguments& a, DenseArray self, DenseArray index, DenseArray src, bool in_place) {
  const IndexedShapes shapes = ShapesOf(a, self.shape, index.shape, &src.shape);
  const std::int64_t extent = self.shape.rank() == 0 ? 1 : self.shape[shapes.d];
  DenseArray out{self.dtype, shapes.result, {}};
  ForEachIndex(shapes.result, [&](const Index& at) {
    out.bytes.resize(out.bytes.size() + out.size());
    std::byte* const to = out.bytes.data() + out.bytes.size() - out.size();
    CopyElement(out.dtype, self.Facing(at), to);
    if (in_place) *to = *self.Facing(at);
  });
  testing::WithType(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = decltype(testing::Widened(zero));
    struct Sum {
      C value;
      std::int64_t count;
      bool written;
    };
    std::vector<Sum> sums(out.bytes.size() / out.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if constexpr (!std::is_same_v<T, bool>) {
        T first;
        std::memcpy(&first, out.bytes.data() + i * out.size(), sizeof(T));
        sums[i] = {testing::Widened(first), a.include_self ? 1 : 0, false};
      }
    }
    ForEachIndex(shapes.visited, [&](const Index& at) {
      Index to = at;
      Chosen(a, shapes, index, extent, &to);
      std::byte* const destination = out.Facing(to);
      if (a.reduce == "assign") return CopyElement(out.dtype, src.Facing(at), destination);
      if constexpr (!std::is_same_v<T, bool>) {
        Sum& sum = sums[static_cast<std::size_t>(destination - out.bytes.data()) / out.size()];
        T given;
        std::memcpy(&given, src.Facing(at), sizeof(T));
        const C value = testing::Widened(given);
        sum.value = sum.count == 0 ? value : Combined<C>(a.reduce, sum.value, value);
        ++sum.count;
        sum.written = true;
      }
    });
    if constexpr (!std::is_same_v<T, bool>) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        if (!sums[i].written) continue;
        C value = sums[i].value;
        if (a.reduce == "mean") {
          if constexpr (std::is_floating_point_v<C>) {
            value /= static_cast<C>(sums[i].count);
          } else if constexpr (std::is_signed_v<C>) {
            value = static_cast<C>(static_cast<std::int64_t>(value) / sums[i].count);
          } else {
            value = static_cast<C>(static_cast<std::uint64_t>(value) / static_cast<std::uint64_t>(sums[i].count));
          }
        }
        const T result = static_cast<T>(value);
        std::memcpy(out.bytes.data() + i * out.size(), &result, sizeof(T));
      }
    }
  });
  return out;
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_INDEX_ORACLE_H_

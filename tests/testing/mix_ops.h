// Ops of the tests' own, of every arity, with operands of different sizes: the core must bring each operand right to them. They
// also check what every kernel may rely on: aligned operands and at least one row and column.
#ifndef AXISCAST_TESTS_TESTING_MIX_OPS_H_
#define AXISCAST_TESTS_TESTING_MIX_OPS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast::test {

// What a mix of operands is: depends on the values and on which operand has which.
inline std::uint64_t Mix(const std::uint64_t* values, int count) {
  constexpr std::uint64_t kFactors[] = {3, 7, 11, 19};
  std::uint64_t sum = 5;
  for (int i = 0; i < count; ++i) sum += values[i] * kFactors[i];
  return sum ^ (sum >> 9);
}

// Tiles that broke the contract of kernels.
inline std::atomic<int> bad_tiles{0};

template <typename T>
bool IsAligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % sizeof(T) == 0;
}

template <typename In>
In ElementAt(const TileInput& input, const void* data, std::int64_t r, std::int64_t c) {
  return reinterpret_cast<const In*>(static_cast<const std::byte*>(data) + r * input.row_stride)[input.splat ? 0 : c];
}

template <typename Out, typename... In, std::size_t... kInput>
void MixTileOf(const Tile& tile, const void* const* inputs, void* result, std::index_sequence<kInput...>) {
  bool good = tile.rows >= 1 && tile.cols >= 1 && IsAligned<Out>(result) && (IsAligned<In>(inputs[kInput]) && ...);
  if (tile.rows > 1) {
    good = good && tile.out_row_stride % static_cast<std::int64_t>(sizeof(Out)) == 0 &&
           ((tile.in[kInput].row_stride % static_cast<std::int64_t>(sizeof(In)) == 0) && ...);
  }
  if (!good) {
    ++bad_tiles;
    return;
  }
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    auto* out = reinterpret_cast<Out*>(static_cast<std::byte*>(result) + r * tile.out_row_stride);
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      const std::uint64_t values[] = {static_cast<std::uint64_t>(ElementAt<In>(tile.in[kInput], inputs[kInput], r, c))...};
      out[c] = static_cast<Out>(Mix(values, sizeof...(In)));
    }
  }
}

template <typename Out, typename... In>
void MixTile(const Tile& tile, const void* const* inputs, void* result) {
  MixTileOf<Out, In...>(tile, inputs, result, std::index_sequence_for<In...>());
}

template <typename Out, typename... In>
Kernel MixKernel() {
  return {{kDTypeOf<In>...}, kDTypeOf<Out>, {}, &MixTile<Out, In...>};
}

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

// A registry with mix1 to mix4 on top of `parent`.
inline Registry MixRegistry(const Registry& parent) {
  RegistryBuilder builder(parent);
  const OpDefinition definitions[] = {
      {{"mix1", 1, "a mix of one"},
       {MixKernel<U8, U8>(), MixKernel<U16, U16>(), MixKernel<U32, U32>(), MixKernel<U64, U64>(), MixKernel<bool, std::int32_t>(),
        MixKernel<U64, std::int16_t>()}},
      {{"mix2", 2, "a mix of two"},
       {MixKernel<U8, U8, U8>(), MixKernel<U16, U16, U16>(), MixKernel<U32, U32, U32>(), MixKernel<U64, U64, U64>(),
        MixKernel<U8, U64, U16>(), MixKernel<U64, U8, U32>(), MixKernel<U16, U32, U8>()}},
      {{"mix3", 3, "a mix of three"},
       {MixKernel<U32, U8, U32, U32>(), MixKernel<U8, U64, U16, U8>(), MixKernel<U64, U64, U64, U64>()}},
      {{"mix4", 4, "a mix of four"}, {MixKernel<U16, U8, U16, U32, U64>(), MixKernel<U8, U8, U8, U8, U8>()}},
  };
  for (const OpDefinition& definition : definitions) {
    if (!builder.Add(definition).ok()) std::abort();
  }
  return builder.Build();
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_MIX_OPS_H_

// Declared patterns: which axes of an operand are stretched is said before its shape is known, as in PyTensor (Theano).
#ifndef AXISCAST_PATTERN_H_
#define AXISCAST_PATTERN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "axiscast/tensor.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// What is declared of an axis without a fixed extent.
enum class Axis : std::int64_t {
  kB = std::numeric_limits<std::int64_t>::min(),      // broadcast: the extent must be 1, and is stretched
  kN = std::numeric_limits<std::int64_t>::min() + 1,  // not: never stretched, even if the extent turns out to be 1
};
inline constexpr Axis kB = Axis::kB;
inline constexpr Axis kN = Axis::kN;

/// What is declared of an axis: kB, kN, or the extent that it must have. One with a fixed extent is never stretched.
class PatternAxis {
 public:
  constexpr PatternAxis() noexcept = default;
  constexpr PatternAxis(Axis declared) noexcept : value_(static_cast<std::int64_t>(declared)) {}
  /// An extent that is negative, or more than int64 holds, is not valid.
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  constexpr PatternAxis(Integer fixed_extent) noexcept
      : value_(std::max(static_cast<std::int64_t>(fixed_extent), static_cast<std::int64_t>(Axis::kN) + 1)) {
    if (fixed_extent > 0 && value_ < 0) value_ = -1;  // it was more than int64 holds
  }
  PatternAxis(char letter) = delete;  // 'B' would be an extent of 66: write kB

  constexpr bool stretches() const noexcept { return value_ == static_cast<std::int64_t>(kB); }
  constexpr bool fixed() const noexcept { return valid() && value_ >= 0; }
  /// The fixed extent; only where there is one.
  constexpr std::int64_t extent() const noexcept { return value_; }
  /// Whether a fixed extent is not negative.
  constexpr bool valid() const noexcept { return value_ >= 0 || stretches() || value_ == static_cast<std::int64_t>(kN); }

  friend constexpr bool operator==(PatternAxis x, PatternAxis y) noexcept { return x.value_ == y.value_; }
  friend constexpr bool operator!=(PatternAxis x, PatternAxis y) noexcept { return !(x == y); }

 private:
  std::int64_t value_ = static_cast<std::int64_t>(kB);
};

/// The axes of one operand, at most kMaxRank: `Pattern{kB, kN, 10}`. A rank over kMaxRank is remembered without its axes; every
/// call that is given such a pattern refuses it.
class Pattern {
 public:
  constexpr Pattern() noexcept = default;
  constexpr Pattern(std::initializer_list<PatternAxis> axes) noexcept {
    for (const PatternAxis axis : axes) push_back(axis);
  }
  /// Reads it off a shape of valid rank: kB where the extent is 1, else kN.
  explicit Pattern(const Shape& shape) noexcept {
    for (const std::int64_t extent : shape) push_back(extent == 1 ? kB : kN);
  }

  constexpr int rank() const noexcept { return rank_; }
  constexpr PatternAxis operator[](int i) const noexcept { return axes_[i]; }
  /// The axis that faces axis `from_right` of the others, counted from the right, from 0; kB where it is missing.
  constexpr PatternAxis FromRight(int from_right) const noexcept {
    return from_right < rank_ ? axes_[rank_ - 1 - from_right] : PatternAxis();
  }
  constexpr bool valid() const noexcept {
    if (rank_ > kMaxRank) return false;
    for (int i = 0; i < rank_; ++i) {
      if (!axes_[i].valid()) return false;
    }
    return true;
  }
  constexpr void push_back(PatternAxis axis) noexcept {
    if (rank_ < kMaxRank) axes_[rank_] = axis;
    if (rank_ <= kMaxRank) ++rank_;
  }

  friend constexpr bool operator==(const Pattern& x, const Pattern& y) noexcept {
    if (x.rank_ != y.rank_) return false;
    for (int i = 0; i < x.rank_ && i < kMaxRank; ++i) {
      if (x.axes_[i] != y.axes_[i]) return false;
    }
    return true;
  }
  friend constexpr bool operator!=(const Pattern& x, const Pattern& y) noexcept { return !(x == y); }

 private:
  int rank_ = 0;
  PatternAxis axes_[kMaxRank];
};

/// The rank of the result.
constexpr int HighestRank(const Pattern* patterns, std::size_t count) noexcept {
  int rank = 0;
  for (std::size_t i = 0; i < count; ++i) rank = patterns[i].rank() > rank ? patterns[i].rank() : rank;
  return rank;
}

/// Two operands that no shapes could bring together, at an axis counted from the right, from 0.
struct PatternConflict {
  bool found = false;
  std::size_t first = 0, second = 0;
  int from_right = 0;
};

/// Finds two fixed extents of one axis that differ: the first from the right. The patterns are valid.
constexpr PatternConflict FindFixedConflict(const Pattern* patterns, std::size_t count) noexcept {
  for (int axis = 0; axis < HighestRank(patterns, count); ++axis) {
    std::size_t fixed = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (!patterns[i].FromRight(axis).fixed()) continue;
      if (fixed != count && patterns[fixed].FromRight(axis) != patterns[i].FromRight(axis)) return {true, fixed, i, axis};
      if (fixed == count) fixed = i;
    }
  }
  return {};
}

/// Finds an axis along which the first operand, as the destination, would have to be stretched: the first from the right.
constexpr PatternConflict FindStretchedDestination(const Pattern* patterns, std::size_t count) noexcept {
  for (int axis = 0; axis < HighestRank(patterns, count); ++axis) {
    for (std::size_t i = 1; i < count && patterns[0].FromRight(axis).stretches(); ++i) {
      if (!patterns[i].FromRight(axis).stretches()) return {true, 0, i, axis};
    }
  }
  return {};
}

/// The pattern of the result, of valid patterns without a conflict: a fixed extent where an operand has one, else kN where one has
/// it, else kB.
constexpr Pattern BroadcastPatterns(const Pattern* patterns, std::size_t count) noexcept {
  Pattern result;
  for (int axis = HighestRank(patterns, count) - 1; axis >= 0; --axis) {
    PatternAxis broadcast = kB;
    for (std::size_t i = 0; i < count; ++i) {
      const PatternAxis own = patterns[i].FromRight(axis);
      if (own.fixed() || broadcast.stretches()) broadcast = own;
      if (own.fixed()) break;
    }
    result.push_back(broadcast);
  }
  return result;
}

/// A pattern written as template arguments: `Declared<kB, kN, 10>`.
template <auto... axes>
struct Declared {
  static_assert(((std::is_same_v<decltype(axes), Axis> ||
                  (std::is_integral_v<decltype(axes)> && !std::is_same_v<decltype(axes), bool> &&
                   !std::is_same_v<decltype(axes), char>)) &&
                 ...),
                "write kB (extent 1, is stretched), kN (never stretched) or an extent for each axis, as in Declared<kB, kN, 10>");
  static_assert((PatternAxis(axes).valid() && ...),
                "a fixed extent must not be negative, nor more than int64 holds: write kB, kN or an extent of 0 or more");
  static_assert(sizeof...(axes) <= kMaxRank, "a pattern has at most kMaxRank axes");

  static constexpr Pattern kPattern = {PatternAxis(axes)...};
};

using ScalarPattern = Declared<>;
using VectorPattern = Declared<kN>;
using MatrixPattern = Declared<kN, kN>;
using RowPattern = Declared<kB, kN>;
using ColPattern = Declared<kN, kB>;

template <class Operand>
struct IsDeclared : std::false_type {};
template <auto... axes>
struct IsDeclared<Declared<axes...>> : std::true_type {};

/// The patterns of a call, checked by the compiler: `DeclaredCall<RowPattern, MatrixPattern>`. For ResolveOptions::patterns:
/// kPatterns.
template <class... Operands>
struct DeclaredCall {
  static_assert(sizeof...(Operands) > 0 && (IsDeclared<Operands>::value && ...),
                "a call has one operand or more: write a Declared<...> for each");
  static constexpr std::size_t kCount = sizeof...(Operands);
  static constexpr Pattern kPatterns[] = {Operands::kPattern...};
  static_assert(!FindFixedConflict(kPatterns, kCount).found,
                "operands fix different extents for one axis: write the same extent for it in all of them, or kN");
  static constexpr Pattern kResult = BroadcastPatterns(kPatterns, kCount);
};

/// The same with the first operand as the destination.
template <class... Operands>
struct DeclaredInPlace : DeclaredCall<Operands...> {
  static_assert(
      !FindStretchedDestination(DeclaredCall<Operands...>::kPatterns, sizeof...(Operands)).found,
      "the destination is never stretched: write kN, or an extent, for each axis of the first operand where another has one");
};

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_PATTERN_H_

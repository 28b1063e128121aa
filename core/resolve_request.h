// The operands of a call to the resolver as its parts see them: extents, and numbers that stand for unknown ones.
#ifndef AXISCAST_CORE_RESOLVE_REQUEST_H_
#define AXISCAST_CORE_RESOLVE_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "axiscast/infer.h"
#include "axiscast/resolve.h"

namespace axiscast {

struct ModeRule;

// Unknown extents are numbers from kAnonymous on, far below every extent that has been checked: the anonymous one first, then for a
// named one the place where it stands. So one resolver serves shapes with and without them.
inline constexpr std::int64_t kAnonymous = std::numeric_limits<std::int64_t>::min();
inline bool IsUnknown(std::int64_t extent) noexcept { return extent < 0; }

// The operands of a call: `shapes`, or `symbols` where there are unknown extents. Operand number `count` is `out`, if there is one.
struct ResolveRequest {
  const Shape* shapes;
  std::size_t count;
  const ResolveOptions& options;
  const SymbolicShape* symbols = nullptr;
  const Shape* out = nullptr;
  const SymbolicShape* symbolic_out = nullptr;
  const std::int64_t* axes = nullptr;  // in mode numpy, where each operand's first dim lies in the result; -1 aligns it right
  bool in_place = false;               // the first operand is the destination
  const ModeRule* rule = nullptr;      // null until the mode is known
  std::int64_t axis = -1;              // as given, else -1
  bool quiet = false;                  // errors need no message: there is another way

  bool symbolic() const noexcept { return symbols != nullptr; }
  bool has_out() const noexcept { return out != nullptr || symbolic_out != nullptr; }
  const SymbolicShape& symbol(std::size_t operand) const noexcept { return operand == count ? *symbolic_out : symbols[operand]; }
  // Its unknown extents are 0.
  const Shape& shape(std::size_t operand) const noexcept {
    if (symbolic()) return symbol(operand).extents();
    return operand == count ? *out : shapes[operand];
  }
  int rank(std::size_t operand) const noexcept { return shape(operand).rank(); }
  const Pattern* pattern(std::size_t operand) const noexcept {
    return options.patterns != nullptr && operand < count ? &options.patterns[operand] : nullptr;
  }
  // Of one that does not align right; else -1.
  std::int64_t own_axis(std::size_t operand) const noexcept { return axes != nullptr && operand < count ? axes[operand] : -1; }
  bool known(std::size_t operand, int dim) const noexcept { return !symbolic() || symbol(operand).known(dim); }
  // An extent, or the number of an unknown one. What is declared of an unknown one is taken to be true.
  std::int64_t extent(std::size_t operand, int dim) const noexcept {
    return symbolic() ? SymbolicExtent(operand, dim) : shape(operand)[dim];
  }
  std::int64_t SymbolicExtent(std::size_t operand, int dim) const noexcept;
  // What an extent or the number of an unknown one stands for.
  SymbolicDim Dim(std::int64_t extent) const noexcept {
    if (!symbolic() || !IsUnknown(extent)) return SymbolicDim(extent);
    if (extent == kAnonymous) return SymbolicDim();
    const std::int64_t place = extent - kAnonymous - 1;
    return symbol(static_cast<std::size_t>(place / kMaxRank))[static_cast<int>(place % kMaxRank)];
  }
  // Whether two numbers of unknown extents are one unknown.
  bool IsSameUnknown(std::int64_t x, std::int64_t y) const noexcept {
    return x != kAnonymous && y != kAnonymous && Dim(x).name() == Dim(y).name();
  }
};

struct Alignment;

// Does all of a call: fills in the request's rule and axis, and gives what is written (with numbers of unknown extents) and where
// the operands lie in the result that they alone give.
Status ResolveRequested(ResolveRequest* request, Shape* shape, Alignment* alignment) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_RESOLVE_REQUEST_H_

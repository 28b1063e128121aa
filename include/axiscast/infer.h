// Shapes whose extents are not all known yet, as importers of graphs have them: what they broadcast to, and the check once they
// are.
#ifndef AXISCAST_INFER_H_
#define AXISCAST_INFER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "axiscast/resolve.h"
#include "axiscast/status.h"
#include "axiscast/tensor.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// One dim of a symbolic shape: an extent, a named unknown, or an anonymous one. A name is looked at, not copied: its text must
/// live as long as the shapes that it is in, the results too.
class SymbolicDim {
 public:
  /// An anonymous unknown.
  SymbolicDim() noexcept = default;
  template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
  SymbolicDim(Integer extent) noexcept : known_(true), extent_(static_cast<std::int64_t>(extent)) {}
  /// The unknown of that name, which stands for one extent wherever it occurs. "?" and "" are anonymous.
  SymbolicDim(std::string_view name) noexcept : name_(name == "?" ? std::string_view() : name) {}
  SymbolicDim(const char* name) noexcept : SymbolicDim(std::string_view(name)) {}

  bool known() const noexcept { return known_; }
  /// The extent; only where it is known.
  std::int64_t extent() const noexcept { return extent_; }
  /// Empty where the extent is known, and of an anonymous unknown.
  std::string_view name() const noexcept { return name_; }

  /// Whether both are written alike; two anonymous unknowns are, and need not be one extent.
  friend bool operator==(const SymbolicDim& x, const SymbolicDim& y) noexcept {
    return x.known_ == y.known_ && x.extent_ == y.extent_ && x.name_ == y.name_;
  }
  friend bool operator!=(const SymbolicDim& x, const SymbolicDim& y) noexcept { return !(x == y); }

 private:
  bool known_ = false;
  std::int64_t extent_ = 0;
  std::string_view name_;
};

/// Up to kMaxRank dims, held inline: `SymbolicShape{"N", 1, 5}`. Copying costs as many dims as the rank. A rank outside
/// [0, kMaxRank] is remembered without its dims; every call that is given such a shape refuses it.
class SymbolicShape {
 public:
  SymbolicShape() noexcept = default;
  SymbolicShape(std::initializer_list<SymbolicDim> dims) noexcept {
    for (const SymbolicDim& dim : dims) push_back(dim);
  }
  /// All extents known.
  SymbolicShape(const Shape& shape) noexcept : extents_(shape) {}
  SymbolicShape(const SymbolicShape& other) noexcept : extents_(other.extents_), unknown_(other.unknown_) { CopyNames(other); }
  SymbolicShape& operator=(const SymbolicShape& other) noexcept {
    extents_ = other.extents_;
    unknown_ = other.unknown_;
    CopyNames(other);
    return *this;
  }

  /// As of Dims.
  int rank() const noexcept { return extents_.rank(); }
  std::int64_t given_rank() const noexcept { return extents_.given_rank(); }
  bool valid() const noexcept { return extents_.valid(); }

  bool known(int i) const noexcept { return (unknown_ >> i & 1) == 0; }
  bool known() const noexcept { return unknown_ == 0; }
  SymbolicDim operator[](int i) const noexcept {
    if (known(i)) return SymbolicDim(extents_[i]);
    return SymbolicDim(std::string_view(names_[i].text, names_[i].length));
  }
  /// The shape, where every extent is known; else unknown ones are 0 in it.
  const Shape& extents() const noexcept { return extents_; }
  /// Appends a dim; a full shape becomes one of invalid rank.
  void push_back(const SymbolicDim& dim) noexcept {
    if (valid() && rank() < kMaxRank && !dim.known()) {
      unknown_ |= std::uint64_t{1} << rank();
      names_[rank()] = {dim.name().data(), dim.name().size()};
    }
    extents_.push_back(dim.known() ? dim.extent() : 0);
  }

  friend bool operator==(const SymbolicShape& x, const SymbolicShape& y) noexcept {
    if (x.extents_ != y.extents_ || x.unknown_ != y.unknown_) return false;
    for (int i = 0; x.valid() && i < x.rank(); ++i) {
      if (x[i] != y[i]) return false;
    }
    return true;
  }
  friend bool operator!=(const SymbolicShape& x, const SymbolicShape& y) noexcept { return !(x == y); }

 private:
  // No std::string_view: its constructor would fill all of them each time.
  struct Name {
    const char* text;
    std::size_t length;
  };
  static_assert(kMaxRank <= 64, "a bit for each dim");

  void CopyNames(const SymbolicShape& other) noexcept {
    for (int i = 0; valid() && i < rank(); ++i) {
      if (!known(i)) names_[i] = other.names_[i];
    }
  }

  Shape extents_;
  std::uint64_t unknown_ = 0;  // a bit for each dim
  Name names_[kMaxRank];       // of the unknown ones
};

/// Infers the shape that `count` >= 1 operands broadcast to, as far as it can be said before all extents are known.
///
/// Facing dims, in any order of the operands: 1s give way; a known extent other than 1 is the result's; unknowns of one name give
///   that unknown; otherwise the result is an anonymous unknown. Where 1s do not stretch (mode none), a 1 is an extent as others.
///   In mode axis an unknown dim that would hang over is taken as 1; with equal ranks and an axis other than -1 and 0 all dims must
///   turn out identical. In modes onnx_legacy and pointwise the result has the first operand's shape. An unknown may turn out to be
///   a 1, any other extent or 0; BindShape decides. Inference refuses nothing that BindShape could take.
/// Modes: all but legacy_pointwise, which takes known extents alone: without them not even the rank of its result is known.
/// Errors: as ResolveShape, and in mode legacy_pointwise kInvalidArgument; *result is then untouched.
/// Cost: O(count * rank), no allocation unless it fails. Threads: any. `result` may be one of the operands.
///
///   // (N, 1, 5) & (N, 4, 1) -> (N, 4, 5)
///   Status status = axiscast::InferShape({{"N", 1, 5}, {"N", 4, 1}}, {}, &result);
Status InferShape(const SymbolicShape* shapes, std::size_t count, const ResolveOptions& options, SymbolicShape* result) noexcept;
Status InferShape(std::initializer_list<SymbolicShape> shapes, const ResolveOptions& options, SymbolicShape* result) noexcept;

/// Infers what is written when the first operand is the destination: its shape, with all that the others say of its unknown
/// extents. Errors: also where the result cannot turn out to have that shape.
Status InferInPlace(const SymbolicShape* shapes, std::size_t count, const ResolveOptions& options, SymbolicShape* result) noexcept;

/// Infers what is written to a destination of shape `out`, which takes part as in ResolveOut: its shape, with all that the operands
/// say of its unknown extents. Errors: also where the result cannot turn out to fit.
Status InferOut(const SymbolicShape* shapes, std::size_t count, const ResolveOptions& options, const SymbolicShape& out,
                SymbolicShape* result) noexcept;

/// Checks that shapes[i] is what declared[i] turned out to be: the same rank, the known extents, and one extent for each name in
/// all of them. A destination can be one of them. With ResolveShape, ResolveInPlace or ResolveOut after it, everything is checked
/// that inference left open. Errors: kInvalidShape. Cost: O(count * rank), and for each unknown dim with a name a search for where
/// that name was first.
Status BindUnknowns(const SymbolicShape* declared, const Shape* shapes, std::size_t count, const ResolveOptions& options) noexcept;

/// BindUnknowns, then ResolveShape of `shapes`. Errors as both; *result is then untouched.
Status BindShape(const SymbolicShape* declared, const Shape* shapes, std::size_t count, const ResolveOptions& options,
                 Shape* result) noexcept;

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_INFER_H_

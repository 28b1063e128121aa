// Shapes in, shape out: how operands face each other. No data is touched.
#ifndef AXISCAST_RESOLVE_H_
#define AXISCAST_RESOLVE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "axiscast/pattern.h"
#include "axiscast/status.h"
#include "axiscast/tensor.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// How the dims of the operands face each other; in the last two modes elements may be paired instead: in row-major order, nothing
/// stretches, the result has the first operand's shape. Calls that compute make a dense copy of an input whose strides cannot say
/// where its elements lie in the first one's shape; those of dense ones always can.
enum class Mode : int {
  kNumpy,            // align right, missing dims are 1, either side stretches; any number of operands (NumPy, PyTorch, ONNX >= 7)
  kAxis,             // Paddle's elementwise_*(x, y, axis): the operand of lower rank is anchored at axis; exactly two operands
  kOnnxLegacy,       // ONNX < 7 broadcast=1, axis=k and Caffe2: only y stretches, the result has x's shape; exactly two operands
  kNone,             // shapes must be identical
  kSameRank,         // ranks must be equal, 1s stretch
  kPattern,          // PyTensor's declared patterns: numpy's alignment, and what stretches has been declared
  kLegacyPointwise,  // PyTorch < 0.4: numpy; where that fails, elements are paired if all element counts are equal and not 0
  kPointwise,        // PyTorch < 0.2: element counts are equal, elements are paired
};

/// One row of the table of modes.
struct ModeRow {
  Mode mode;
  const char* name;     // as the command spells it
  const char* summary;  // one line
  bool takes_axis;
};

/// Every mode, indexed by the enum's value.
extern const ModeRow kModes[];
extern const std::size_t kModeCount;

/// Finds a mode by name; on kUnknownName the message lists those that exist, near ones first.
Status FindMode(std::string_view name, Mode* mode) noexcept;

/// What can be said of a call that is valid and may mean something else than its author thinks.
enum class DiagnosticCode : int {
  kBroadcastNotPaired,  // operands of different shapes and equal element counts broadcast, (4, 1) and (4) to (4, 4): PyTorch's
                        // backcompat.broadcast_warning. Reported for each operand at most once, with the first of those before it
  kPairedNotBroadcast,  // legacy_pointwise paired elements, as shapes do not broadcast, (4) and (2, 2) to (4): PyTorch's
                        // deprecation
};

/// Whom to tell. `report` is called in the thread of the call, once its shapes fit, and must not throw; the message lives as long
/// as that call of it, and is empty where there is no memory for it.
struct Diagnostics {
  void (*report)(void* context, DiagnosticCode code, const char* message) = nullptr;  // null: nobody
  void* context = nullptr;
};

/// Which mode, and what messages call the operands.
struct ResolveOptions {
  std::optional<Mode> mode;            // unset: kPattern when patterns are set, kAxis when axis is, else kNumpy
  std::optional<std::int64_t> axis;    // kAxis and kOnnxLegacy only; unset: -1
  const char* caller = nullptr;        // what messages begin with; null: "resolve"
  const char* const* names = nullptr;  // a name per operand; null: x, y, z, or x0, x1, ... for more than three
  Diagnostics diagnostics = {};
  const Pattern* patterns = nullptr;  // kPattern only, and needed there: one per operand
};

/// Computes the shape that `count` >= 1 operands broadcast to.
///
/// Extents: facing extents must be equal, or one of them 1; 1 against 0 gives 0.
/// Errors: kInvalidShape (extents that do not fit, a rank over kMaxRank, a negative extent, more elements than int64 counts),
///   kOutOfRange (axis), kInvalidArgument (an axis with a mode that takes none, the number of operands); *result is then untouched.
/// Cost: O(count * rank), no allocation unless it fails or reports. Threads: any.
/// Source: NumPy broadcasting; Paddle elementwise_* (axis); ONNX opset < 7; PyTorch's notes on broadcasting, backwards
/// compatibility.
Status ResolveShape(const Shape* shapes, std::size_t count, const ResolveOptions& options, Shape* result) noexcept;
Status ResolveShape(std::initializer_list<Shape> shapes, const ResolveOptions& options, Shape* result) noexcept;

/// Checks the patterns of `count` operands, options.patterns, as far as it can be done before shapes are known, and gives the
/// result's. ResolveShape and the other calls check them too, and with them that each shape has its pattern's rank, extent 1 where
/// it is B, its fixed extents, and that all other facing extents are equal. Errors: kInvalidShape (different fixed extents of an
/// axis; in place also a destination that is B where another operand is not),
///   kInvalidArgument (a negative fixed extent, a rank over kMaxRank, no patterns); *result is then untouched.
/// Cost: O(count * rank), no allocation unless it fails. Threads: any. Source: PyTensor's and Theano's broadcastable patterns.
Status ResolvePatterns(std::size_t count, const ResolveOptions& options, Pattern* result) noexcept;
Status ResolvePatternsInPlace(std::size_t count, const ResolveOptions& options, Pattern* result) noexcept;

/// Checks that the first operand can be the destination: the result must have its shape. Errors as ResolveShape.
Status ResolveInPlace(const Shape* shapes, std::size_t count, const ResolveOptions& options) noexcept;

/// Checks that `out` can be the destination: it takes part in the broadcast, aligned right with the operands' result, and is never
/// stretched. The operands may be stretched to a larger out. Errors as ResolveShape.
Status ResolveOut(const Shape* shapes, std::size_t count, const ResolveOptions& options, const Shape& out) noexcept;

/// Expands a view to `shape` without a copy: stretched dims get stride 0.
///
/// axis: unset or -1 aligns right; else the view's dims face [axis, axis + rank) as in kAxis. The view must stretch to exactly
/// `shape`. Aliasing: the result refers to the view's memory, and is for reading only (its elements share addresses). Errors: as
/// ResolveShape; *result is then untouched. `result` may be `&view`.
Status BroadcastTo(const TensorView& view, const Shape& shape, std::optional<std::int64_t> axis, TensorView* result) noexcept;

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_RESOLVE_H_

// The text of the resolver's errors: who asked, what is asked of shapes, what was found, the values last.
#ifndef AXISCAST_CORE_RESOLVE_MESSAGE_H_
#define AXISCAST_CORE_RESOLVE_MESSAGE_H_

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "core/modes.h"

namespace axiscast {

// Builds one message. Begins with "<caller>: ".
class ResolveMessage {
 public:
  explicit ResolveMessage(const ResolveRequest& request);

  ResolveMessage& Text(std::string_view text);
  ResolveMessage& Number(std::int64_t number);
  // [2, N, 5]; of a Shape: extents, in a symbolic request also numbers of unknown ones.
  ResolveMessage& Extents(const Shape& shape);
  ResolveMessage& Extents(const SymbolicShape& shape);
  // The operand's name; that of number `count` is out.
  ResolveMessage& Name(std::size_t operand);
  // BN, or 10,N, or (), as the command spells patterns
  ResolveMessage& Declared(const Pattern& pattern);
  // 10 of x and 7 of y at axis -1
  ResolveMessage& Conflict(const PatternConflict& conflict);
  // x [2, N, 5], with an axis of its own x@1 [2, N, 5], with a pattern x [2, N, 5] as BNN, without a shape x as BNN
  ResolveMessage& Operand(std::size_t operand);
  // x[2] = 5
  ResolveMessage& Dim(std::size_t operand, int dim);
  ResolveMessage& Dim(std::string_view name, const Shape& shape, int dim);
  // " (x [2, 3, 5], y [3, 4], axis 1)": every operand, and the axis where the mode takes one. With `result`, it and out too.
  ResolveMessage& Facts(const Shape* result = nullptr);

  const std::string& text() const { return text_; }

 private:
  ResolveMessage& Extent(const SymbolicDim& dim);
  ResolveMessage& DeclaredAxis(PatternAxis axis);

  const ResolveRequest& request_;
  std::string text_;
};

// A status with the message that `write` builds.
template <typename Write>
Status Refuse(const ResolveRequest& request, StatusCode code, Write write) noexcept {
  if (request.quiet) return Status(code, "");
  try {
    ResolveMessage message(request);
    write(message);
    return Status(code, message.text());
  } catch (const std::exception&) {
    return Status(StatusCode::kOutOfMemory, "");
  }
}

}  // namespace axiscast

#endif  // AXISCAST_CORE_RESOLVE_MESSAGE_H_

// The text of the resolver's errors.
#include "core/resolve_message.h"

namespace axiscast {
namespace {

constexpr const char* kShortNames[] = {"x", "y", "z"};
constexpr std::size_t kShortNameCount = sizeof(kShortNames) / sizeof(kShortNames[0]);

}  // namespace

ResolveMessage::ResolveMessage(const ResolveRequest& request) : request_(request) {
  text_ = request.options.caller != nullptr ? request.options.caller : "resolve";
  text_ += ": ";
}

ResolveMessage& ResolveMessage::Text(std::string_view text) {
  text_ += text;
  return *this;
}

ResolveMessage& ResolveMessage::Number(std::int64_t number) { return Text(std::to_string(number)); }

ResolveMessage& ResolveMessage::Extents(const Shape& shape) {
  text_ += '[';
  for (int d = 0; d < shape.rank(); ++d) {
    if (d > 0) text_ += ", ";
    Number(shape[d]);
  }
  text_ += ']';
  return *this;
}

ResolveMessage& ResolveMessage::Name(std::size_t operand) {
  const char* const* names = request_.options.names;
  if (names != nullptr && names[operand] != nullptr) return Text(names[operand]);
  if (request_.count <= kShortNameCount) return Text(kShortNames[operand]);
  return Text("x").Text(std::to_string(operand));
}

ResolveMessage& ResolveMessage::Operand(std::size_t operand) { return Name(operand).Text(" ").Extents(request_.shapes[operand]); }

ResolveMessage& ResolveMessage::Dim(std::size_t operand, int dim) { return Name(operand).Dim("", request_.shapes[operand], dim); }

ResolveMessage& ResolveMessage::Dim(std::string_view name, const Shape& shape, int dim) {
  return Text(name).Text("[").Number(dim).Text("] = ").Number(shape[dim]);
}

ResolveMessage& ResolveMessage::Facts(const Shape* result, const Shape* out) {
  text_ += " (";
  for (std::size_t i = 0; i < request_.count; ++i) {
    if (i > 0) text_ += ", ";
    Operand(i);
  }
  if (request_.rule != nullptr && request_.rule->row.takes_axis) Text(", axis ").Number(request_.axis);
  if (result != nullptr) Text(", result ").Extents(*result);
  if (out != nullptr) Text(", out ").Extents(*out);
  text_ += ')';
  return *this;
}

}  // namespace axiscast

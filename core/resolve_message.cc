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

ResolveMessage& ResolveMessage::Extent(const SymbolicDim& dim) {
  if (dim.known()) return Number(dim.extent());
  return Text(dim.name().empty() ? "?" : dim.name());
}

ResolveMessage& ResolveMessage::Extents(const SymbolicShape& shape) {
  Text("[");
  for (int d = 0; d < shape.rank(); ++d) {
    if (d > 0) Text(", ");
    Extent(shape[d]);
  }
  return Text("]");
}

ResolveMessage& ResolveMessage::Extents(const Shape& shape) {
  SymbolicShape symbolic;
  for (const std::int64_t extent : shape) symbolic.push_back(request_.Dim(extent));
  return Extents(symbolic);
}

ResolveMessage& ResolveMessage::Name(std::size_t operand) {
  if (operand == request_.count) return Text("out");
  const char* const* names = request_.options.names;
  if (names != nullptr && names[operand] != nullptr) return Text(names[operand]);
  if (request_.count <= kShortNameCount) return Text(kShortNames[operand]);
  return Text("x").Text(std::to_string(operand));
}

ResolveMessage& ResolveMessage::DeclaredAxis(PatternAxis axis) {
  return axis.stretches() ? Text("B") : axis == kN ? Text("N") : Number(axis.extent());
}

ResolveMessage& ResolveMessage::Declared(const Pattern& pattern) {
  if (pattern.rank() == 0) return Text("()");
  bool letters = true;
  for (int d = 0; d < pattern.rank(); ++d) letters = letters && (pattern[d] == kB || pattern[d] == kN);
  for (int d = 0; d < pattern.rank(); ++d) {
    if (d > 0 && !letters) Text(",");
    DeclaredAxis(pattern[d]);
  }
  return *this;
}

ResolveMessage& ResolveMessage::Conflict(const PatternConflict& conflict) {
  const Pattern* const patterns = request_.options.patterns;
  DeclaredAxis(patterns[conflict.first].FromRight(conflict.from_right)).Text(" of ").Name(conflict.first).Text(" and ");
  DeclaredAxis(patterns[conflict.second].FromRight(conflict.from_right)).Text(" of ").Name(conflict.second);
  return Text(" at axis ").Number(-1 - conflict.from_right);
}

ResolveMessage& ResolveMessage::Operand(std::size_t operand) {
  Name(operand);
  if (request_.own_axis(operand) >= 0) Text("@").Number(request_.own_axis(operand));
  if (request_.symbolic()) {
    Text(" ").Extents(request_.symbol(operand));
  } else if (request_.shapes != nullptr) {
    Text(" ").Extents(request_.shape(operand));
  }
  const Pattern* const pattern = request_.pattern(operand);
  return pattern != nullptr ? Text(" as ").Declared(*pattern) : *this;
}

ResolveMessage& ResolveMessage::Dim(std::size_t operand, int dim) {
  Name(operand).Text("[").Number(dim).Text("] = ");
  return Extent(request_.symbolic() ? request_.symbol(operand)[dim] : SymbolicDim(request_.shape(operand)[dim]));
}

ResolveMessage& ResolveMessage::Dim(std::string_view name, const Shape& shape, int dim) {
  return Text(name).Text("[").Number(dim).Text("] = ").Extent(request_.Dim(shape[dim]));
}

ResolveMessage& ResolveMessage::Facts(const Shape* result) {
  text_ += " (";
  for (std::size_t i = 0; i < request_.count; ++i) {
    if (i > 0) text_ += ", ";
    Operand(i);
  }
  if (request_.rule != nullptr && request_.rule->row.takes_axis) Text(", axis ").Number(request_.axis);
  if (result != nullptr) {
    Text(", result ").Extents(*result);
    if (request_.has_out()) Text(", ").Operand(request_.count);
  }
  text_ += ')';
  return *this;
}

}  // namespace axiscast

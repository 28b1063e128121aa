// Expressions from text: what names mean is looked up here, and all is checked that needs no shapes and no dtypes.
#include "core/expression.h"

#include <algorithm>
#include <utility>

#include "core/attribute.h"
#include "core/program.h"
#include "core/request.h"

namespace axiscast {
namespace {

constexpr const char* kCaller = "expression";

Status Wrong(StatusCode code, const std::string& message) { return Status(code, std::string(kCaller) + ": " + message); }

// One call: its op, its attributes by the op's own names.
Status LookUp(const std::string& text, const Registry& registry, TextCall&& read, ExpressionCall* call) {
  const auto where = [&] { return InPart(text, read.text); };
  // The place before what there is instead, which is long.
  if (const Status status = registry.Find(read.name, &call->op); !status.ok())
    return Wrong(status.code(), PlaceOf(text, read.name).substr(1) + ": " + status.message());
  const Op& op = *call->op;
  if (!op.elementwise()) {
    return Wrong(StatusCode::kUnsupported,
                 std::string("the ops of an expression must be elementwise; ") + op.name() + " is a call by itself" + where());
  }
  if (read.values.size() != static_cast<std::size_t>(op.arity())) {
    std::string attributes;
    for (int i = 0; i < op.info().attribute_count; ++i)
      attributes += (i == 0 ? "" : ", ") + std::string(op.info().attributes[i].name);
    if (!attributes.empty()) attributes = ", and attributes by name (" + attributes + ")";
    return Wrong(StatusCode::kInvalidArgument, std::string(op.name()) + " takes " +
                                                   InputsText(static_cast<std::size_t>(op.arity())) + attributes + "; got " +
                                                   std::to_string(read.values.size()) + where());
  }
  std::vector<std::string> names;  // until the attributes have the op's
  for (const CallAttribute& attribute : read.attributes) names.emplace_back(attribute.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    call->attributes.push_back(read.attributes[i].number);
    call->attributes.back().name = names[i].c_str();
  }
  if (const Status status = CheckAttributes(op, kCaller, call->attributes); !status.ok())
    return Status(status.code(), status.message() + where());
  for (Attribute& attribute : call->attributes) {
    const AttributeInfo* const end = op.info().attributes + op.info().attribute_count;
    attribute.name = std::find_if(op.info().attributes, end, [&](const AttributeInfo& info) {
                       return std::string_view(info.name) == attribute.name;
                     })->name;
  }
  call->read = std::move(read);
  return Status();
}

// The inputs in the order of the text, which is not the one of the calls: those are behind what they read.
Status FindInputs(Expression::Impl* impl) {
  std::vector<CallValue*> values;
  for (ExpressionCall& call : impl->calls) {
    for (CallValue& value : call.read.values) {
      if (value.kind == CallValue::Kind::kName) values.push_back(&value);
    }
  }
  std::sort(values.begin(), values.end(), [](const CallValue* x, const CallValue* y) { return x->text.data() < y->text.data(); });
  std::vector<std::string_view> first;  // where each input occurs first
  for (CallValue* value : values) {
    const auto found = std::find(impl->names.begin(), impl->names.end(), value->name);
    value->index = static_cast<int>(found - impl->names.begin());
    const std::int64_t axis = value->axis.value_or(-1);
    if (found == impl->names.end()) {
      impl->names.emplace_back(value->name);
      impl->axes.push_back(axis);
      first.push_back(value->text);
    } else if (const auto i = static_cast<std::size_t>(value->index); impl->axes[i] != axis) {
      return Wrong(StatusCode::kInvalidArgument, "an input must have the same axis wherever it occurs; got \"" +
                                                     std::string(first[i]) + "\" and \"" + std::string(value->text) + "\"" +
                                                     PlaceOf(impl->text, value->text));
    }
  }
  for (const std::string& name : impl->names) impl->name_pointers.push_back(name.c_str());
  if (impl->names.empty()) {
    return Wrong(StatusCode::kInvalidArgument,
                 "an expression must have an input; got numbers alone" + InPart(impl->text, impl->text));
  }
  return Status();
}

Status Read(Expression::Impl* impl, const Registry& registry) {
  std::vector<TextCall> calls;
  try {
    CallReader reader(impl->text);
    const CallValue result = reader.Read(&calls);
    if (!reader.AtEnd()) reader.Refuse("there must be nothing behind an expression", true);
    if (result.kind != CallValue::Kind::kCall) {
      return Wrong(StatusCode::kInvalidArgument,
                   "an expression must be a call of an op, as in add(x, y); got \"" + std::string(result.text) + "\"");
    }
  } catch (const Malformed& malformed) {
    return Wrong(StatusCode::kInvalidArgument, malformed.message);
  }
  if (calls.size() > kMaxSteps) {
    return Wrong(StatusCode::kUnsupported,
                 "an expression has at most " + std::to_string(kMaxSteps) + " calls; got " + std::to_string(calls.size()));
  }
  for (TextCall& call : calls) {
    if (const Status status = LookUp(impl->text, registry, std::move(call), &impl->calls.emplace_back()); !status.ok())
      return status;
  }
  if (const Status status = FindInputs(impl); !status.ok()) return status;
  if (impl->names.size() < kMaxOperands) return Status();
  // Numbers count too; how many differ is known when their dtypes are.
  return Wrong(StatusCode::kUnsupported, "an expression has at most " + std::to_string(kMaxOperands - 1) +
                                             " inputs and numbers; got " + std::to_string(impl->names.size()) + " inputs");
}

}  // namespace

Status Expression::Parse(std::string_view text, const Registry& registry, Expression* expression) noexcept try {
  if (expression == nullptr) return Wrong(StatusCode::kInvalidArgument, "the pointer to the expression is null");
  auto impl = std::make_shared<Impl>();
  impl->text = text;
  if (const Status status = Read(impl.get(), registry); !status.ok()) return status;
  expression->impl_ = std::move(impl);
  return Status();
} catch (...) {
  return OutOfMemory(kCaller);
}

const char* Expression::text() const noexcept { return impl_ != nullptr ? impl_->text.c_str() : ""; }

int Expression::input_count() const noexcept { return impl_ != nullptr ? static_cast<int>(impl_->names.size()) : 0; }

const char* Expression::input_name(int i) const noexcept {
  return i >= 0 && i < input_count() ? impl_->name_pointers[static_cast<std::size_t>(i)] : nullptr;
}

}  // namespace axiscast

// Reads what an op declares as its gradient: `multiply(dout, y); multiply(dout, x)`, an expression for each input.
#include "core/call_text.h"
#include "core/gradient.h"
#include "core/registry.h"
#include "core/request.h"

namespace axiscast {
namespace {

class Reader {
 public:
  Reader(const OpInfo& info, const FindOpFunction& find)
      : info_(info), find_(find), text_(info.gradient), reader_(text_), operands_(SplitWords(info.operands)) {
    if (operands_.empty()) operands_ = {"x", "y", "z", "w"};
    operands_.resize(static_cast<std::size_t>(info.arity));
    operands_.emplace_back("dout");
  }

  // Throws Malformed.
  std::vector<GradientProgram> ReadAll() {
    std::vector<GradientProgram> programs;
    do programs.push_back(ReadProgram());
    while (reader_.Skip(";"));
    if (!reader_.AtEnd()) reader_.Refuse("there must be \";\" or the end here");
    if (programs.size() != static_cast<std::size_t>(info_.arity)) {
      throw Malformed{"there must be an expression for each of the " + std::to_string(info_.arity) + " inputs; got " +
                      std::to_string(programs.size()) + " in \"" + info_.gradient + "\""};
    }
    return programs;
  }

 private:
  [[noreturn]] void Refuse(const std::string& message, std::string_view part) const {
    throw Malformed{message + " \"" + std::string(part) + "\"" + PlaceOf(text_, part)};
  }

  GradientProgram ReadProgram() {
    GradientProgram program;
    std::vector<TextCall> calls;
    const CallValue result = reader_.Read(&calls);
    program.offered = result.text != "none";
    if (calls.empty() && program.offered && result.text != "dout")
      Refuse("an expression must be a call of an op, dout or none; got", result.text);
    for (const TextCall& call : calls) program.steps.push_back(ToStep(call));
    return program;
  }

  GradientStep ToStep(const TextCall& call) const {
    GradientStep step;
    const std::string name(call.name);
    step.op = name == info_.name ? nullptr : find_(name);
    if (step.op == nullptr && name != info_.name) Refuse("there is no op", call.name);
    const OpInfo& called = step.op != nullptr ? step.op->info() : info_;
    if (step.op != nullptr && !step.op->elementwise()) Refuse("the ops of a gradient must be elementwise; got", call.name);
    if (!call.attributes.empty()) Refuse("an attribute cannot be given in a gradient; got", call.attributes[0].name);
    for (int i = 0; step.op != nullptr && i < called.attribute_count; ++i) {
      if (called.attributes[i].absent == AttributeDefault::kRequired)
        Refuse(std::string("an op whose attribute ") + called.attributes[i].name + " must be given cannot be called; got",
               call.name);
    }
    for (const CallValue& value : call.values) step.arguments.push_back(ToValue(value));
    if (step.arguments.size() != static_cast<std::size_t>(called.arity)) {
      Refuse(name + " takes " + InputsText(static_cast<std::size_t>(called.arity)) + "; got " +
                 std::to_string(step.arguments.size()) + " in",
             call.text);
    }
    return step;
  }

  GradientValue ToValue(const CallValue& value) const {
    if (value.kind == CallValue::Kind::kCall) return {GradientValue::Kind::kStep, value.index};
    if (value.kind == CallValue::Kind::kNumber) return {GradientValue::Kind::kConstant, 0, *value.number};
    if (value.axis) Refuse("an axis cannot be given in a gradient; got", value.text);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (value.name == operands_[i]) return {GradientValue::Kind::kInput, static_cast<int>(i)};
    }
    for (int i = 0; i < info_.attribute_count; ++i) {
      if (value.name == info_.attributes[i].name) return {GradientValue::Kind::kAttribute, i};
    }
    Refuse("there is no operand or attribute", value.name);
  }

  const OpInfo& info_;
  const FindOpFunction& find_;
  const std::string_view text_;
  CallReader reader_;
  std::vector<std::string> operands_;  // and dout
};

}  // namespace

Status ReadGradient(const OpInfo& info, const FindOpFunction& find, std::vector<GradientProgram>* programs) {
  try {
    *programs = Reader(info, find).ReadAll();
    return Status();
  } catch (const Malformed& malformed) {
    return Status(StatusCode::kInvalidArgument,
                  std::string("registry: op ") + info.name + ": its gradient cannot be read: " + malformed.message);
  }
}

std::vector<Kernel> GradientSignatures(const Op& forward, const std::vector<GradientProgram>& programs) {
  std::vector<Kernel> signatures;
  for (const Kernel& kernel : forward.kernels()) {
    // Of floats, and where the input that the gradient is for is one: not of true_divide of ints.
    bool offered = KindOf(kernel.output) == DTypeKind::kFloat;
    for (int i = 0; i < forward.arity(); ++i)
      offered = offered && (!programs[static_cast<std::size_t>(i)].offered || kernel.inputs[i] == kernel.output);
    if (!offered) continue;
    Kernel signature{};
    for (int i = 0; i < forward.arity(); ++i) signature.inputs[i] = kernel.inputs[i];
    signature.inputs[forward.arity()] = signature.output = kernel.output;
    signatures.push_back(signature);
  }
  return signatures;
}

void DescribeGradient(const Op& forward, Gradient* gradient) {
  const OpInfo& info = forward.info();
  const std::vector<std::string>& names = forward.entry().names;
  gradient->forward = &forward;
  gradient->name = std::string(info.name) + "_grad";
  for (std::size_t n = 1; n < names.size(); ++n) gradient->aliases += (n == 1 ? "" : " ") + names[n] + "_grad";
  gradient->doc = std::string("out = dout times the derivative of ") + info.name + " for input wrt, summed to that input's shape";
  gradient->special = "Elementwise, by input: " + std::string(info.gradient) +
                      ". Each op rounds its result, as if it were stored; " +
                      "then sum_to. dout has the shape of the forward result.";
  for (const std::string& operand : forward.entry().operands) {
    if (&operand - forward.entry().operands.data() < info.arity) gradient->operands += operand + " ";
  }
  gradient->operands += "dout";
  for (std::size_t i = 0; i < gradient->programs.size(); ++i) {
    if (!gradient->programs[i].offered) continue;
    gradient->wrt_doc += (gradient->wrt_doc.empty() ? "" : " or ") + std::to_string(i) + " (" + forward.entry().operands[i] + ")";
  }
  OpInfo& made = gradient->info;
  made.name = gradient->name.c_str();
  made.arity = info.arity + 1;
  made.doc = gradient->doc.c_str();
  made.special = gradient->special.c_str();
  made.aliases = gradient->aliases.c_str();
  made.source = info.source;
  made.operands = gradient->operands.c_str();
  for (int i = 0; i < info.attribute_count; ++i) made.attributes[i] = info.attributes[i];
  made.attributes[info.attribute_count] = {.name = "wrt", .doc = gradient->wrt_doc.c_str(), .type = AttributeType::kInteger};
  made.attribute_count = info.attribute_count + 1;
}

}  // namespace axiscast

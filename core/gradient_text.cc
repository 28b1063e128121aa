// Reads what an op declares as its gradient: `multiply(dout, y); multiply(dout, x)`, an expression for each input.
#include <cctype>
#include <charconv>

#include "core/gradient.h"
#include "core/registry.h"

namespace axiscast {
namespace {

// What is wrong, thrown to the end of reading: expressions are nested.
struct Malformed {
  std::string message;
};

class Reader {
 public:
  Reader(const OpInfo& info, const FindOpFunction& find) : info_(info), find_(find), left_(info.gradient) {
    operands_ = SplitWords(info.operands);
    if (operands_.empty()) operands_ = {"x", "y", "z", "w"};
    operands_.resize(static_cast<std::size_t>(info.arity));
  }

  std::vector<GradientProgram> ReadAll() {
    std::vector<GradientProgram> programs;
    do {
      GradientProgram program;
      SkipSpace();
      program.offered = NextWord() != "none";
      if (!program.offered) Skip("none");
      if (program.offered) {
        program.result = ReadValue(&program);
        const bool is_dout = program.result.kind == GradientValue::Kind::kDout;
        if (program.steps.empty() && !is_dout) throw Malformed{"an expression must be a call of an op, dout or none"};
      }
      programs.push_back(std::move(program));
    } while (Skip(";"));
    if (!left_.empty()) throw Malformed{"there is `" + std::string(left_) + "` where `;` or the end was expected"};
    if (programs.size() != static_cast<std::size_t>(info_.arity)) {
      throw Malformed{"there must be an expression for each of the " + std::to_string(info_.arity) + " inputs; got " +
                      std::to_string(programs.size())};
    }
    return programs;
  }

 private:
  void SkipSpace() {
    while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
  }
  bool Skip(std::string_view sign) {
    SkipSpace();
    if (left_.substr(0, sign.size()) != sign) return false;
    left_.remove_prefix(sign.size());
    SkipSpace();
    return true;
  }
  // The letters, digits and underlines that come next.
  std::string_view NextWord() const {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::size_t length = 0;
    while (length < left_.size() && in_word(left_[length])) ++length;
    return left_.substr(0, length);
  }
  void Expect(std::string_view word) {
    if (!Skip(word)) throw Malformed{"`" + std::string(word) + "` is missing before `" + std::string(left_) + "`"};
  }

  GradientValue ReadValue(GradientProgram* program) {
    SkipSpace();
    if (!left_.empty() && std::string_view("-.0123456789").find(left_.front()) != std::string_view::npos) {  // else `nan_to_num`
      double number = 0;
      const auto [at, error] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
      if (error != std::errc()) throw Malformed{"there is no number at `" + std::string(left_) + "`"};
      left_.remove_prefix(static_cast<std::size_t>(at - left_.data()));
      return {GradientValue::Kind::kConstant, 0, number};
    }
    const std::string word(NextWord());
    left_.remove_prefix(word.size());
    if (Skip("(")) return ReadCall(word, program);
    if (word == "dout") return {GradientValue::Kind::kDout};
    for (int i = 0; i < info_.arity; ++i) {
      if (word == operands_[static_cast<std::size_t>(i)]) return {GradientValue::Kind::kInput, i};
    }
    for (int i = 0; i < info_.attribute_count; ++i) {
      if (word == info_.attributes[i].name) return {GradientValue::Kind::kAttribute, i};
    }
    throw Malformed{"there is no operand or attribute `" + word + "`"};
  }

  GradientValue ReadCall(const std::string& name, GradientProgram* program) {
    GradientStep step;
    step.op = name == info_.name ? nullptr : find_(name);
    if (step.op == nullptr && name != info_.name) throw Malformed{"there is no op `" + name + "`"};
    const OpInfo& called = step.op != nullptr ? step.op->info() : info_;
    if (step.op != nullptr && !step.op->elementwise()) throw Malformed{"the op `" + name + "` is not elementwise"};
    for (int i = 0; step.op != nullptr && i < called.attribute_count; ++i) {
      if (called.attributes[i].absent == AttributeDefault::kRequired)
        throw Malformed{"the op `" + name + "` has an attribute that must be given, " + called.attributes[i].name};
    }
    do step.arguments.push_back(ReadValue(program));
    while (Skip(","));
    Expect(")");
    if (step.arguments.size() != static_cast<std::size_t>(called.arity)) {
      throw Malformed{"`" + name + "` takes " + std::to_string(called.arity) + " inputs; got " +
                      std::to_string(step.arguments.size())};
    }
    program->steps.push_back(std::move(step));
    return {GradientValue::Kind::kStep, static_cast<int>(program->steps.size()) - 1};
  }

  const OpInfo& info_;
  const FindOpFunction& find_;
  std::string_view left_;
  std::vector<std::string> operands_;
};

}  // namespace

Status ReadGradient(const OpInfo& info, const FindOpFunction& find, std::vector<GradientProgram>* programs) {
  try {
    *programs = Reader(info, find).ReadAll();
    return Status();
  } catch (const Malformed& malformed) {
    return Status(StatusCode::kInvalidArgument, std::string("registry: op ") + info.name + ": its gradient cannot be read: " +
                                                    malformed.message + " (\"" + info.gradient + "\")");
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

// Plans of expressions: kernels by the dtypes of the inputs, the shape that all inputs give, and one program of all calls.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attribute.h"
#include "core/expression.h"
#include "core/form.h"
#include "core/kernel_choice.h"
#include "core/plan.h"
#include "core/program_builder.h"
#include "core/request.h"
#include "core/resolve.h"

namespace axiscast {
namespace {

// A call whose kernel is settled, its attributes and the numbers that it is given.
struct SettledCall {
  const Kernel* kernel = nullptr;
  AttributeSlot attributes[kMaxAttributes];
  AttributeSlot numbers[kMaxArity];
};

class Planner {
 public:
  Planner(const Expression& expression, const TensorView* inputs, std::size_t count, const PlanOptions& options)
      : expression_(*expression.impl()),
        inputs_(inputs),
        count_(count),
        options_(options),
        caller_(CallerOf(options)),
        names_(AreAllNamed(options.names, std::min(count, expression_.name_pointers.size())) ? options.names
                                                                                             : expression_.name_pointers.data()) {}

  static const char* CallerOf(const PlanOptions& options) { return options.caller != nullptr ? options.caller : "expression"; }

  Status Infer(Shape* shape, DType* dtype) {
    if (const Status status = Settle(); !status.ok()) return status;
    Shape resolved;
    if (const Status status = ResolveShapes({}, &resolved); !status.ok()) return status;
    *shape = resolved;
    *dtype = settled_.back().kernel->output;
    return Status();
  }

  Status Make(const MutableTensorView& out, std::shared_ptr<const Plan::Impl>* impl) {
    if (const Status status = Settle(); !status.ok()) return status;
    for (std::size_t i = 0; i < count_; ++i) {
      if (const Status status = CheckStrides(caller_, names_[i], inputs_[i].shape, inputs_[i].byte_strides); !status.ok())
        return status;
    }
    if (const Status status = CheckStrides(caller_, "out", out.shape, out.byte_strides); !status.ok()) return status;
    Shape shape;
    if (const Status status = ResolveShapes({&out.shape}, &shape); !status.ok()) return status;
    if (const Status status = CheckOutDType(caller_, *settled_.back().kernel, "out", out.dtype); !status.ok()) return status;
    ProgramBuilder builder(shape);
    for (std::size_t i = 0; i < count_; ++i) {
      builder.AddInput(inputs_[i].dtype, FacingStrides(inputs_[i].shape, inputs_[i].byte_strides, first_[i], shape), names_[i]);
    }
    std::int64_t elements = 0;
    const bool empty = CountElements(shape, &elements) && elements == 0;
    std::vector<DataCheck> checks;
    for (std::size_t c = 0; c < settled_.size(); ++c) {
      AddStep(c, &builder);
      if (settled_[c].kernel->check == nullptr) continue;
      if (const Status status = AddCheck(c, empty, &checks); !status.ok()) return status;
    }
    std::vector<std::string> names;
    Problem problem = builder.Finish(out.byte_strides, "out", &names);
    if (names.size() > kMaxOperands) {
      return Wrong(StatusCode::kUnsupported, "an expression has at most " + std::to_string(kMaxOperands - 1) +
                                                 " inputs and numbers that differ; got " + std::to_string(names.size() - 1));
    }
    const Movers& movers = expression_.calls[0].op->entry().kernels->movers;
    return Plan::Impl::Make(std::move(problem), movers, caller_, std::move(names), std::move(checks), impl);
  }

 private:
  Status Wrong(StatusCode code, const std::string& message) const { return Status(code, std::string(caller_) + ": " + message); }
  std::string Where(const ExpressionCall& call) const { return InPart(expression_.text, call.read.text); }
  Status At(const ExpressionCall& call, const Status& status) const {
    return status.ok() ? status : Status(status.code(), status.message() + Where(call));
  }

  // All that shapes have no part in.
  Status Settle() {
    if (const Status status = CheckOptions(); !status.ok()) return status;
    if (count_ != expression_.names.size()) {
      std::string list;
      for (const std::string& name : expression_.names) list += (list.empty() ? "" : ", ") + name;
      return Wrong(StatusCode::kInvalidArgument, "the expression takes " + InputsText(expression_.names.size()) + " (" + list +
                                                     "); got " + std::to_string(count_));
    }
    for (const ExpressionCall& call : expression_.calls) {
      if (const Status status = SettleCall(call); !status.ok()) return status;
    }
    return Status();
  }

  // What an op's call takes, and an expression has in its text.
  Status CheckOptions() const {
    if (options_.axis) {
      return Wrong(StatusCode::kInvalidArgument,
                   "an expression takes no axis: the text has it, behind the name of an input, as in bias@1; got axis " +
                       std::to_string(*options_.axis));
    }
    if (options_.patterns != nullptr) return Wrong(StatusCode::kInvalidArgument, "an expression takes no declared patterns");
    if (!options_.attributes.empty()) {
      const char* const name = options_.attributes[0].name;
      return Wrong(StatusCode::kInvalidArgument,
                   "an expression takes no attributes: the text has them, as in clip(x, min=0); got attribute " +
                       std::string(name != nullptr ? name : "null"));
    }
    if (!options_.mode || *options_.mode == Mode::kNumpy) return Status();
    const auto mode = static_cast<std::size_t>(*options_.mode);
    return Wrong(StatusCode::kInvalidArgument,
                 "an expression takes no mode but numpy, in which inputs have axes of their own, as in bias@1; got " +
                     (mode < kModeCount ? kModes[mode].name : std::to_string(mode)));
  }

  Status SettleCall(const ExpressionCall& call) {
    const Op& op = *call.op;
    std::optional<DType> dtypes[kMaxArity];
    std::vector<std::string> shown;
    for (int a = 0; a < op.arity(); ++a) {
      const CallValue& value = call.read.values[static_cast<std::size_t>(a)];
      const auto index = static_cast<std::size_t>(value.index);
      if (value.kind == CallValue::Kind::kName) dtypes[a] = inputs_[index].dtype;
      if (value.kind == CallValue::Kind::kCall) dtypes[a] = settled_[index].kernel->output;
      shown.emplace_back(dtypes[a] ? std::string(NameOf(*dtypes[a])) : std::string(value.text));
    }
    SettledCall& settled = settled_.emplace_back();
    bool several;
    settled.kernel = ChooseKernel(op, dtypes, &several);
    if (several) {
      return Wrong(StatusCode::kUnsupportedDType,
                   "the dtype of a number must follow from the inputs beside it; give the number as a 0-d input" + Where(call));
    }
    if (settled.kernel == nullptr) return Wrong(StatusCode::kUnsupportedDType, NoKernel(op, shown, DType()) + Where(call));
    for (int a = 0; a < op.arity(); ++a) {
      const CallValue& value = call.read.values[static_cast<std::size_t>(a)];
      if (value.kind != CallValue::Kind::kNumber) continue;
      const Status status = RoundNumber(caller_, *value.number, settled.kernel->inputs[a], &settled.numbers[a]);
      if (!status.ok()) return At(call, status);
    }
    return At(call, BindAttributes(op, caller_, *settled.kernel, call.attributes, settled.attributes));
  }

  // What is written, and where the inputs lie in it.
  Status ResolveShapes(const Destination& destination, Shape* shape) {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < count_; ++i) shapes.push_back(inputs_[i].shape);
    first_.resize(count_);
    const ResolveOptions options{options_.mode, {}, caller_, names_, options_.diagnostics};
    return Resolve(shapes.data(), count_, options, destination, shape, first_.data(), expression_.axes.data());
  }

  void AddStep(std::size_t number, ProgramBuilder* builder) const {
    const ExpressionCall& call = expression_.calls[number];
    const SettledCall& settled = settled_[number];
    Step step{settled.kernel, call.op->arity(), {}, {}};
    std::copy_n(settled.attributes, kMaxAttributes, step.attributes);
    for (int a = 0; a < step.arity; ++a) {
      const CallValue& value = call.read.values[static_cast<std::size_t>(a)];
      switch (value.kind) {
        case CallValue::Kind::kName:
          step.values[a] = value.index;  // inputs were added in their order
          break;
        case CallValue::Kind::kCall:
          step.values[a] = ProgramBuilder::ResultOf(value.index);
          break;
        case CallValue::Kind::kNumber:
          step.values[a] = builder->AddConstant(settled.kernel->inputs[a], settled.numbers[a], std::string(value.text));
          break;
      }
    }
    builder->AddStep(step);
  }

  // An op that looks at what it is given before anything is written can do so of an input, or now, of a number.
  Status AddCheck(std::size_t number, bool empty, std::vector<DataCheck>* checks) const {
    const ExpressionCall& call = expression_.calls[number];
    const Kernel& kernel = *settled_[number].kernel;
    const OpInfo& info = call.op->info();
    const int checked = info.checked_operand;
    const std::string& operand = call.op->entry().operands[static_cast<std::size_t>(checked)];
    const CallValue& value = call.read.values[static_cast<std::size_t>(checked)];
    if (value.kind == CallValue::Kind::kCall) {
      return Wrong(StatusCode::kUnsupported, std::string(call.op->name()) + " looks at its " + operand +
                                                 " before anything is written, so it must be an input or a number; compute it" +
                                                 " before, as an input of this expression" + Where(call));
    }
    if (value.kind == CallValue::Kind::kNumber) {
      Tile tile{};
      tile.rows = tile.cols = 1;
      if (empty || !kernel.check(tile, settled_[number].numbers[checked].bytes)) return Status();
      return Wrong(info.check_code,
                   std::string(info.check_message) + "; got " + operand + " = " + std::string(value.text) + Where(call));
    }
    const auto input = static_cast<std::size_t>(value.index);
    for (const DataCheck& check : *checks) {
      if (check.operand == value.index && check.function == kernel.check) return Status();
    }
    std::string shapes;
    for (std::size_t i = 0; i < count_; ++i) {
      shapes += (i == 0 ? "(" : ", ") + std::string(names_[i]);
      if (expression_.axes[i] >= 0) shapes += "@" + std::to_string(expression_.axes[i]);
      shapes += " " + ListOf(inputs_[i].shape);
    }
    checks->push_back(
        MakeCheck(caller_, info, kernel.check, value.index, inputs_[input], names_[input], shapes + ")" + Where(call)));
    return Status();
  }

  const Expression::Impl& expression_;
  const TensorView* const inputs_;
  const std::size_t count_;
  const PlanOptions& options_;
  const char* const caller_;
  const char* const* const names_;
  std::vector<SettledCall> settled_;
  std::vector<int> first_;
};

Status IsEmpty(const char* caller) {
  return Status(StatusCode::kInvalidArgument, std::string(caller) + ": the expression is empty; make it with Expression::Parse");
}

}  // namespace

Status Plan::Make(const Expression& expression, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
                  const PlanOptions& options, Plan* plan) noexcept try {
  const char* const caller = Planner::CallerOf(options);
  if (expression.empty()) return IsEmpty(caller);
  if (plan == nullptr) return Status(StatusCode::kInvalidArgument, std::string(caller) + ": the pointer to the plan is null");
  const FloatModeScope usual(kUsualFloatMode);  // costs are floats, and may not trap
  std::shared_ptr<const Impl> impl;
  if (const Status status = Planner(expression, inputs, input_count, options).Make(out, &impl); !status.ok()) return status;
  *plan = Plan(std::move(impl));
  return Status();
} catch (...) {
  return OutOfMemory(Planner::CallerOf(options));
}

Status Plan::Make(const Expression& expression, std::initializer_list<TensorView> inputs, const MutableTensorView& out,
                  const PlanOptions& options, Plan* plan) noexcept {
  return Make(expression, inputs.begin(), inputs.size(), out, options, plan);
}

Status InferOutput(const Expression& expression, const TensorView* inputs, std::size_t input_count, const PlanOptions& options,
                   Shape* shape, DType* dtype) noexcept try {
  if (expression.empty()) return IsEmpty(Planner::CallerOf(options));
  return Planner(expression, inputs, input_count, options).Infer(shape, dtype);
} catch (...) {
  return OutOfMemory(Planner::CallerOf(options));
}

}  // namespace axiscast

// Any bytes as calls of the C API; see c_api_bytes.h.
#include "tests/testing/c_api_bytes.h"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "axiscast/c_api.h"

namespace axiscast::test {
namespace {

constexpr std::int64_t kArena = 4096, kGuard = 256;  // bytes, and those of them at each end that no call may touch

class Calls {
 public:
  Calls(const std::uint8_t* bytes, std::size_t size, std::int64_t* executed)
      : bytes_(bytes), size_(size), executed_(executed), arena_(kArena), before_(kArena) {}

  std::string Run() {
    while (at_ < size_ && failure_.empty()) {
      Once();
      if (Below(4) == 3) Text();
    }
    return failure_;
  }

 private:
  std::uint8_t Byte() { return at_ < size_ ? bytes_[at_++] : 0; }
  int Below(int end) { return Byte() % end; }
  bool Seldom() { return Byte() >= 250; }  // so that zeros, which follow the end, are valid
  std::int64_t Number() {
    std::int64_t number = 0;
    for (int i = 0; i < 8; ++i) number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) << 8 | Byte());
    return number;
  }
  std::int32_t Number32() { return static_cast<std::int32_t>(Number()); }

  // A code that there is, with a message unless it is ok.
  bool IsOk(std::int32_t code, const char* function) {
    const std::string name = axiscast_status_name(code);
    if (name == "invalid" || name == "kInternal") failure_ += std::string(function) + " returned " + std::to_string(code) + "\n";
    if (code != AXISCAST_OK && *axiscast_last_message() == '\0') failure_ += std::string(function) + " left no message\n";
    return code == AXISCAST_OK;
  }

  struct Operand {
    std::vector<std::int64_t> shape, strides;
    std::int64_t lowest = 0, end = 0;  // bytes that it reaches
    std::int64_t offset = 0;           // of its pointer in the arena
    bool fits = true;                  // and its pointer is in the arena
  };

  // A view: mostly of few elements in the arena.
  axiscast_tensor View(std::int32_t dtype, const std::vector<std::int64_t>& like) {
    Operand& operand = operands_.emplace_back();
    if (Seldom()) dtype = Number32();
    axiscast_tensor tensor{sizeof(tensor), nullptr, dtype, 0, nullptr, nullptr};
    const std::int64_t size = axiscast_dtype_size(dtype);
    const int kind = Below(8);
    operand.shape = like;
    if (kind == 1 && !operand.shape.empty()) operand.shape.erase(operand.shape.begin());
    if (kind == 2 && !operand.shape.empty()) operand.shape[static_cast<std::size_t>(Below(static_cast<int>(like.size())))] = 1;
    if (kind == 3 && !operand.shape.empty()) operand.shape.pop_back();
    if (kind == 4) operand.shape.assign(static_cast<std::size_t>(Below(4)), Below(5));
    if (Seldom()) operand.shape.assign(1, Number());
    std::int64_t elements = 1, stride = size;
    operand.strides.resize(operand.shape.size());
    for (std::size_t d = operand.shape.size(); d-- > 0;) {
      operand.strides[d] = stride;
      const std::int64_t extent = operand.shape[d];
      operand.fits = operand.fits && extent >= 0 && extent <= kArena && elements <= kArena;
      if (!operand.fits) break;
      elements *= extent;
      stride *= extent > 0 ? extent : 1;
    }
    const int strides = Below(8);
    if (strides == 1 && operand.strides.size() > 1) std::swap(operand.strides.front(), operand.strides.back());
    if (strides == 2) {
      for (std::int64_t& each : operand.strides) each *= Below(2) != 0 ? -1 : 1;
    }
    if (strides == 3) {
      for (std::int64_t& each : operand.strides) each = static_cast<std::int8_t>(Byte());
    }
    // Of a tensor that names no strides, they stay dense: what it spans is counted by them.
    if (Seldom() && !operand.strides.empty() && strides != 0) operand.strides[0] = Number();
    if (operand.fits && elements > 0) {
      operand.end = size;
      for (std::size_t d = 0; d < operand.shape.size(); ++d) {
        if (operand.strides[d] > kArena || operand.strides[d] < -kArena) operand.fits = false;
        if (operand.fits) (operand.strides[d] < 0 ? operand.lowest : operand.end) += (operand.shape[d] - 1) * operand.strides[d];
      }
    }
    const std::int64_t room = kArena - 2 * kGuard - (operand.end - operand.lowest);
    operand.fits = operand.fits && elements <= kArena && room >= 0;
    if (operand.fits) {
      operand.offset = kGuard - operand.lowest + (Byte() * 16 + Below(3) / 2) % (room + 1);  // seldom unaligned
      tensor.data = arena_.data() + operand.offset;
    }
    tensor.rank = static_cast<std::int32_t>(operand.shape.size());
    tensor.shape = operand.shape.data();
    if (strides != 0) tensor.byte_strides = operand.strides.data();
    if (Seldom()) tensor.rank = Below(2) != 0 ? -1 - Byte() : 65 + Byte();
    if (Seldom()) tensor.shape = nullptr;
    if (Seldom()) tensor.struct_size = static_cast<std::size_t>(Below(2) != 0 ? Byte() % sizeof(tensor) : Number() | 1);
    if (Seldom()) tensor.data = nullptr, operand.fits = operand.fits && elements > 0;  // which must be refused
    return tensor;
  }

  axiscast_attribute Attribute(const axiscast_op* op, std::int32_t index) {
    axiscast_attribute_info info{};
    info.struct_size = sizeof(info);
    axiscast_attribute attribute{sizeof(attribute), "x", 0, 0, {}};
    if (axiscast_op_attribute(op, index, &info) == AXISCAST_OK) attribute.name = info.name;
    if (Seldom()) attribute.name = nullptr;
    attribute.kind = Below(info.type == AXISCAST_ATTRIBUTE_SHAPE || info.type == AXISCAST_ATTRIBUTE_NAME ? 6 : 3);
    if (info.type == AXISCAST_ATTRIBUTE_SHAPE && Below(4) != 0) attribute.kind = AXISCAST_VALUE_SHAPE;
    if (info.type == AXISCAST_ATTRIBUTE_NAME && Below(4) != 0) attribute.kind = AXISCAST_VALUE_TEXT;
    switch (attribute.kind) {
      case AXISCAST_VALUE_DOUBLE: {
        const std::int64_t bits = Number();
        std::memcpy(&attribute.value.number, &bits, sizeof(bits));
        if (Below(2) != 0) attribute.value.number = static_cast<std::int8_t>(Byte()) / 4.0;
        break;
      }
      case AXISCAST_VALUE_TEXT: {
        constexpr const char* kTexts[] = {"", "add", "none", "x", "prefix", "max"};
        attribute.value.text = Seldom() ? nullptr : kTexts[Below(6)];
        if (info.names != nullptr && *info.names != '\0' && Below(2) != 0) {
          const std::string& first = texts_.emplace_back(info.names, std::strcspn(info.names, " "));
          attribute.value.text = first.c_str();
        }
        break;
      }
      case AXISCAST_VALUE_SHAPE: {
        std::vector<std::int64_t>& shape = operands_.emplace_back().shape;
        shape.assign(shape_.begin(), shape_.end());
        if (Below(4) == 0) shape.assign(static_cast<std::size_t>(Below(5)), Below(5));
        if (Seldom()) shape.assign(1, Number());
        attribute.rank = Seldom() ? Number32() : static_cast<std::int32_t>(shape.size());
        attribute.value.shape = Seldom() ? nullptr : shape.data();
        if (attribute.rank > static_cast<std::int32_t>(shape.size()) && attribute.rank <= AXISCAST_MAX_RANK) attribute.rank = 0;
        break;
      }
      default:
        attribute.value.integer = Below(2) != 0 ? static_cast<std::int8_t>(Byte()) : Number();
    }
    return attribute;
  }

  // A call, made in all ways that there are: each gives the same code, message and bytes.
  void Once() {
    operands_.clear();
    texts_.clear();
    std::int64_t op_count = 0;
    const axiscast_op* op = nullptr;
    IsOk(axiscast_op_count(nullptr, &op_count), "op_count");
    const std::int64_t index = (Byte() | Byte() << 8) % (op_count + 1);
    if (!IsOk(axiscast_op_at(nullptr, index, &op), "op_at")) return;
    axiscast_op_info info{};
    axiscast_kernel_info kernel{};
    info.struct_size = sizeof(info);
    kernel.struct_size = sizeof(kernel);
    if (!IsOk(axiscast_op_describe(op, &info), "op_describe")) return;
    if (!IsOk(axiscast_op_kernel(op, Byte() % info.kernel_count, &kernel), "op_kernel")) return;

    shape_.assign(static_cast<std::size_t>(Below(5)), 0);
    for (std::int64_t& extent : shape_) extent = Below(6);
    std::vector<axiscast_tensor> inputs;
    const std::int64_t count = Seldom() ? Below(7) : info.arity;
    for (std::int64_t i = 0; i < count; ++i)
      inputs.push_back(View(kernel.inputs[i < 4 ? i : 0] < 0 ? 0 : kernel.inputs[i < 4 ? i : 0], shape_));
    axiscast_options options{sizeof(options), 0, 0, 0, nullptr, 0, nullptr, nullptr};
    if (Below(4) == 0) options.mode = Below(10) - 1;
    options.has_axis = Below(4) == 0;
    options.axis = Seldom() ? Number() : Below(6) - 2;
    if (Seldom()) options.caller = "a host";
    std::vector<axiscast_attribute> attributes;
    for (std::int32_t i = 0; i < info.attribute_count; ++i) {
      if (Below(8) != 7) attributes.push_back(Attribute(op, i));
    }
    if (Seldom()) attributes.push_back(Attribute(op, Below(8)));
    options.attributes = attributes.data();
    options.attribute_count = static_cast<std::int64_t>(attributes.size());
    axiscast_execute_options execute{sizeof(execute), Below(3), Below(3), nullptr, nullptr};
    if (Seldom()) execute.stores = Number32();

    // What comes out, and a destination of mostly that shape.
    std::int64_t extents[AXISCAST_MAX_RANK];
    std::int32_t rank = 0, dtype = kernel.output;
    std::vector<std::int64_t> result = shape_;
    (void)IsOk(axiscast_resolve_shape(inputs.data(), count, &options, extents, Byte() % 70, &rank), "resolve_shape");
    (void)IsOk(axiscast_infer_shape(inputs.data(), count, &options, extents, AXISCAST_MAX_RANK, &rank), "infer_shape");
    if (IsOk(axiscast_infer_output(op, inputs.data(), count, &options, extents, AXISCAST_MAX_RANK, &rank, &dtype), "infer_output"))
      result.assign(extents, extents + rank);
    axiscast_tensor out = View(dtype, result);
    if (Below(8) == 0 && !inputs.empty()) out = inputs[0];
    for (std::size_t i = 0; i < arena_.size(); ++i) arena_[i] = static_cast<std::uint8_t>(i * 37 + size_);
    if (Below(2) != 0) {
      for (std::size_t i = 3; i < arena_.size(); i += 4) arena_[i] = 0;  // small integers: indices
    }
    before_ = arena_;

    axiscast_plan* plan = nullptr;
    const bool planned = IsOk(axiscast_plan_make(op, inputs.data(), count, &out, &options, &plan), "plan_make");
    const std::string message = planned ? "" : axiscast_last_message();
    if (planned != (plan != nullptr)) failure_ += "a plan and an error, or neither\n";
    bool fits = true;  // the calls may run
    for (const Operand& operand : operands_) fits = fits && operand.fits;
    if (fits || !planned) {
      const std::int32_t code = axiscast_apply(op, inputs.data(), count, &out, &options, &execute);
      const std::vector<std::uint8_t> eager = Outcome(IsOk(code, "apply"), out);
      if (code == AXISCAST_OK && !planned) failure_ += "a call without a plan: " + message + "\n";
      if (planned) Execute(plan, inputs, out, execute, code, eager);
      if (planned && info.elementwise != 0 && attributes.empty() && options.mode == 0 && options.has_axis == 0)
        ExecuteAsExpression(info, inputs, out, options, execute, code, eager);
      if (code == AXISCAST_OK) ++*executed_;
    }
    if (fits && !inputs.empty()) {
      const std::int32_t code = axiscast_apply_in_place(op, inputs.data(), inputs.data() + 1, count - 1, &options, &execute);
      (void)Outcome(IsOk(code, "apply_in_place"), inputs[0]);
    }
    (void)IsOk(axiscast_plan_free(plan), "plan_free");
  }

  // The arena after a call, which is then as before. After an error it must have been left alone; guards always.
  std::vector<std::uint8_t> Outcome(bool ok, const axiscast_tensor& out) {
    std::vector<std::uint8_t> after = arena_;
    if (!ok && after != before_) failure_ += std::string("bytes were written before the error: ") + axiscast_last_message() + "\n";
    for (std::int64_t i = 0; i < kGuard; ++i) {
      for (const std::int64_t at : {i, kArena - 1 - i}) {
        if (after[static_cast<std::size_t>(at)] != before_[static_cast<std::size_t>(at)])
          failure_ += "byte " + std::to_string(at) + " is not the call's, of rank " + std::to_string(out.rank) + "\n";
      }
    }
    arena_ = before_;
    return after;
  }

  void Execute(const axiscast_plan* plan, const std::vector<axiscast_tensor>& inputs, const axiscast_tensor& out,
               const axiscast_execute_options& execute, std::int32_t eager_code, const std::vector<std::uint8_t>& eager) {
    std::vector<const void*> pointers;
    for (const axiscast_tensor& input : inputs) pointers.push_back(input.data);
    const auto count = static_cast<std::int64_t>(pointers.size());
    // An option that is wrong is found where it is looked at.
    const std::int32_t code = axiscast_plan_execute(plan, pointers.data(), count, out.data, &execute);
    if (Outcome(IsOk(code, "plan_execute"), out) != eager || code != eager_code)
      failure_ += "a plan does something else than apply\n";
    const std::int64_t parts = 1 + Below(5);
    std::int32_t worst = AXISCAST_OK;
    for (std::int64_t part = parts; part-- > 0;) {
      const std::int32_t each = axiscast_plan_execute_part(plan, pointers.data(), count, out.data, part, parts, &execute);
      (void)IsOk(each, "plan_execute_part");
      if (part + 1 < parts && (each == AXISCAST_OK) != (worst == AXISCAST_OK)) failure_ += "parts disagree\n";
      if (each != AXISCAST_OK) worst = each;
    }
    const std::vector<std::uint8_t> after = Outcome(worst == AXISCAST_OK, out);
    if (worst == AXISCAST_OK && after != eager) failure_ += "parts do something else than apply\n";
    if (worst == AXISCAST_OK && code != AXISCAST_OK) failure_ += "parts find nothing wrong\n";
    axiscast_plan_info info{};
    info.struct_size = sizeof(info);
    (void)IsOk(axiscast_plan_describe(plan, &info), "plan_describe");
    if (parts > 1 && worst == AXISCAST_OK && info.divisible == 0 && code == AXISCAST_OK && after != before_)
      failure_ += "an indivisible plan ran in parts\n";
  }

  // An expression of one call does what the op does.
  void ExecuteAsExpression(const axiscast_op_info& info, const std::vector<axiscast_tensor>& inputs, const axiscast_tensor& out,
                           const axiscast_options& options, const axiscast_execute_options& execute, std::int32_t eager_code,
                           const std::vector<std::uint8_t>& eager) {
    std::string text = std::string(info.name) + "(";
    for (std::int32_t i = 0; i < info.arity; ++i) text += (i == 0 ? "" : ", ") + std::string(info.operands[i]);
    axiscast_expression* expression = nullptr;
    axiscast_plan* plan = nullptr;
    if (!IsOk(axiscast_expression_create(nullptr, (text + ")").c_str(), &expression), "expression_create") ||
        !IsOk(axiscast_plan_make_expression(expression, inputs.data(), info.arity, &out, &options, &plan),
              "plan_make_expression")) {
      failure_ += "an expression of one call is refused: " + std::string(axiscast_last_message()) + "\n";
    } else {
      Execute(plan, inputs, out, execute, eager_code, eager);
    }
    (void)IsOk(axiscast_plan_free(plan), "plan_free");
    (void)IsOk(axiscast_expression_free(expression), "expression_free");
  }

  // Parts of expressions in any order, and any bytes: read or refused. Then planned, all inputs being alike.
  void Text() {
    constexpr const char* kParts[] = {"add(", "abs(", "clip(", "where(", ")",   ")",    ",", ",",
                                      "x",    "y",    "@",     "1",      "-.5", "min=", " ", "less("};
    std::string text;
    for (int parts = Byte() % 24; parts > 0; --parts) {
      const std::uint8_t byte = Byte();
      text += byte < 240 ? std::string(kParts[byte % 16]) : std::string(1, static_cast<char>(Byte()));
    }
    axiscast_expression* expression = nullptr;
    if (!IsOk(axiscast_expression_create(nullptr, text.c_str(), &expression), "expression_create")) return;
    std::int32_t count = -1;
    (void)IsOk(axiscast_expression_input_count(expression, &count), "expression_input_count");
    if (count < 1 || count > 31) failure_ += "an expression of " + std::to_string(count) + " inputs\n";
    const std::int64_t shape[] = {2, 3};
    const axiscast_tensor like{sizeof(like), nullptr, Below(13), Below(3), shape, nullptr};
    const std::vector<axiscast_tensor> inputs(static_cast<std::size_t>(count), like);
    std::int64_t extents[AXISCAST_MAX_RANK];
    axiscast_tensor out = like;
    axiscast_plan* plan = nullptr;
    out.shape = extents;
    if (IsOk(axiscast_expression_infer_output(expression, inputs.data(), count, nullptr, extents, 64, &out.rank, &out.dtype),
             "expression_infer_output")) {
      (void)IsOk(axiscast_plan_make_expression(expression, inputs.data(), count, &out, nullptr, &plan), "plan_make_expression");
    }
    (void)IsOk(axiscast_plan_free(plan), "plan_free");
    (void)IsOk(axiscast_expression_free(expression), "expression_free");
  }

  const std::uint8_t* const bytes_;
  const std::size_t size_;
  std::size_t at_ = 0;
  std::int64_t* const executed_;
  std::vector<std::uint8_t> arena_, before_;
  std::vector<std::int64_t> shape_;
  std::deque<Operand> operands_;
  std::deque<std::string> texts_;
  std::string failure_;
};

}  // namespace

std::string RunBytes(const std::uint8_t* bytes, std::size_t size, std::int64_t* executed) {
  return Calls(bytes, size, executed).Run();
}

}  // namespace axiscast::test

// Random expressions; see random_expression.h.
#include "tests/testing/random_expression.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

namespace axiscast::test {
namespace {

constexpr std::size_t kMostInputs = 12, kMostNumbers = 10;

struct CaseOp {
  const Op* op;
  const Kernel* kernel;
};

// Every op by what it gives; but for those that read the sign of a NaN, which is not promised.
std::vector<CaseOp> OpsThatGive(DType dtype) {
  std::vector<CaseOp> ops;
  for (const Op* op : Registry::BuiltIn().ops()) {
    const std::string_view name = op->name();
    if (!op->elementwise() || name == "signbit" || name == "copysign") continue;
    for (const Kernel& kernel : op->kernels()) {
      if (kernel.output == dtype) ops.push_back({op, &kernel});
    }
  }
  return ops;
}

template <typename T>
Bytes BytesOf(double number) {
  const T value = static_cast<T>(static_cast<std::conditional_t<std::is_arithmetic_v<T>, T, float>>(number));
  Bytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// A number that every dtype of the kind holds exactly.
ExpressionNode RandomNumber(Random& random, DType dtype) {
  const DTypeKind kind = KindOf(dtype);
  double number = static_cast<double>(dtype == DType::kBool ? random.Below(2) : random.In(1, 8));
  if (kind == DTypeKind::kFloat) number /= 4;
  if ((kind == DTypeKind::kFloat || kind == DTypeKind::kSigned) && random.Chance(50)) number = -number;
  char text[32];
  std::snprintf(text, sizeof(text), "%g", number);
  ExpressionNode node{text, dtype};
  switch (dtype) {
#define AXISCAST_CASE(enumerator, name, type, kind_of)     \
  case DType::enumerator:                                  \
    node.number = Value{dtype, {}, BytesOf<type>(number)}; \
    break;
    AXISCAST_FOR_EACH_DTYPE(AXISCAST_CASE)
#undef AXISCAST_CASE
  }
  return node;
}

class Generator {
 public:
  Generator(Random& random, const Shape& result) : random_(random), result_(result) {}

  // A call that gives the dtype, of `calls` calls or some less.
  ExpressionNode Call(DType dtype, std::int64_t calls) {
    const CaseOp chosen = random_.Of(OpsThatGive(dtype));
    const OpInfo& info = chosen.op->info();
    ExpressionNode node{"", dtype};
    node.op = chosen.op;
    const std::vector<std::string> aliases = Words(info.aliases);
    node.text = (!aliases.empty() && random_.Chance(20) ? random_.Of(aliases) : info.name) + "(";
    --calls;
    for (int a = 0; a < chosen.op->arity(); ++a) {
      if (a > 0) node.text += random_.Chance(80) ? ", " : " ,\n";
      const DType wanted = chosen.kernel->inputs[a];
      const bool checked = chosen.kernel->check != nullptr && a == info.checked_operand;
      const std::int64_t share = a + 1 == chosen.op->arity() ? calls : calls > 0 ? random_.In(0, calls) : 0;
      const bool has_data_beside = std::any_of(node.arguments.begin(), node.arguments.end(),
                                               [&](const ExpressionNode& other) { return !other.number && other.dtype == wanted; });
      if (share > 0 && !checked) {
        node.arguments.push_back(Call(wanted, share));
        calls -= share;
      } else if (has_data_beside && numbers_ < kMostNumbers && random_.Chance(30) && SettlesDType(chosen, node)) {
        node.arguments.push_back(RandomNumber(random_, wanted));
        ++numbers_;
      } else {
        node.arguments.push_back(InputOf(wanted));
      }
      node.text += node.arguments.back().text;
    }
    for (int a = 0; a < info.attribute_count; ++a) {
      if (!random_.Chance(70)) continue;
      const ExpressionNode number = RandomNumber(random_, chosen.kernel->attributes);
      node.text += std::string(", ") + info.attributes[a].name + "=" + number.text;
      node.attributes.emplace_back(info.attributes[a].name, std::stod(number.text));
    }
    node.text += ")";
    return node;
  }

  std::vector<ExpressionInput> inputs;

 private:
  static std::vector<std::string> Words(const char* text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }
  // Whether the arguments so far leave one kernel: then a number's dtype is that one's.
  static bool SettlesDType(const CaseOp& chosen, const ExpressionNode& node) {
    for (const Kernel& kernel : chosen.op->kernels()) {
      bool fits = &kernel != chosen.kernel;
      for (std::size_t a = 0; a < node.arguments.size(); ++a)
        fits = fits && (node.arguments[a].number || kernel.inputs[a] == node.arguments[a].dtype);
      if (fits) return false;
    }
    return true;
  }

  ExpressionNode InputOf(DType dtype) {
    std::vector<std::size_t> same;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].dtype == dtype) same.push_back(i);
    }
    std::size_t chosen = inputs.size();
    if (!same.empty() && (random_.Chance(40) || inputs.size() >= kMostInputs)) {
      chosen = random_.Of(same);
    } else {
      inputs.push_back(NewInput(dtype));
    }
    ExpressionNode node{"x" + std::to_string(chosen), dtype};
    node.input = static_cast<int>(chosen);
    if (inputs[chosen].axis >= 0) {
      node.text += "@" + std::to_string(inputs[chosen].axis);
    } else if (random_.Chance(10)) {
      node.text += "@-1";
    }
    return node;
  }

  // The first one has the result's rank, which axes refer to.
  ExpressionInput NewInput(DType dtype) {
    const int rank = result_.rank();
    const int own_rank = inputs.empty() ? rank : static_cast<int>(random_.In(0, rank));
    ExpressionInput input{dtype, {}, -1, {}};
    int first = rank - own_rank;
    if (rank > 0 && random_.Chance(40)) first = static_cast<int>(input.axis = random_.In(0, std::min(rank - own_rank, rank - 1)));
    for (int d = 0; d < own_rank; ++d) input.shape.push_back(random_.Chance(25) ? 1 : result_[first + d]);
    // 1s that hang over; not of a higher rank than the result's.
    while (input.axis >= 0 && first + own_rank == rank && input.shape.rank() < rank && random_.Chance(20)) input.shape.push_back(1);
    input.strides = StridesOf(RandomView(random_, input.shape.rank(), input.size(), true), input.shape, input.size());
    return input;
  }

  Random& random_;
  const Shape& result_;
  std::size_t numbers_ = 0;
};

}  // namespace

ExpressionCase RandomExpression(Random& random) {
  Shape wanted;
  std::int64_t budget = random.Chance(10) ? 20'000 : 200;
  const std::int64_t rank = random.Below(5);
  for (int d = 0; d < rank; ++d) {
    const std::int64_t extent =
        std::min(random.Chance(20) ? random.In(1, 200) : random.In(1, 6), std::max<std::int64_t>(budget, 1));
    wanted.push_back(random.Chance(1) ? 0 : extent);
    budget /= extent;
  }
  Generator generator(random, wanted);
  const DType dtype = kDTypes[static_cast<std::size_t>(random.Below(kDTypeCount))].dtype;
  ExpressionCase c;
  c.node = generator.Call(dtype, random.Chance(10) ? random.In(6, 32) : random.In(1, 5));
  c.inputs = std::move(generator.inputs);
  // What all inputs give is checked by way of its values; here it is known of how it was made.
  for (int d = 0; d < wanted.rank(); ++d) {
    std::int64_t extent = 1;
    for (const ExpressionInput& input : c.inputs) {
      const int own = d - static_cast<int>(input.axis >= 0 ? input.axis : wanted.rank() - input.shape.rank());
      if (own >= 0 && own < input.shape.rank() && input.shape[own] != 1) extent = input.shape[own];
    }
    c.result.push_back(extent);
  }
  if (random.Chance(15)) c.out_shape.push_back(random.In(1, 3));
  for (const std::int64_t extent : c.result) c.out_shape.push_back(extent == 1 && random.Chance(20) ? random.In(1, 4) : extent);
  c.out_strides = StridesOf(RandomView(random, c.out_shape.rank(), c.out_size(), false), c.out_shape, c.out_size());
  const Around around = AroundOf(c.out_shape, c.out_strides, c.out_size());
  c.out_at = around.before + (random.Chance(10) ? random.Below(9) : 0) + 64;
  c.out_memory = random.RandomBytes(c.out_at + around.behind + 64);
  for (ExpressionInput& input : c.inputs) {
    if (input.shape == c.out_shape && input.dtype == c.node.dtype && input.axis <= 0 && random.Chance(30)) {
      input.in_outs_memory = true;  // the output itself
      input.strides = c.out_strides;
      input.at = c.out_at;
      continue;
    }
    const Around own = AroundOf(input.shape, input.strides, input.size());
    const std::int64_t room = static_cast<std::int64_t>(c.out_memory.size()) - own.before - own.behind;
    input.in_outs_memory = room > 0 && random.Chance(10);
    input.at = own.before + (input.in_outs_memory ? random.Below(room) : random.Chance(10) ? random.Below(9) : 0);
    if (!input.in_outs_memory) input.memory = random.RandomBytes(input.at + own.behind);
    if (random.Chance(10)) std::fill(input.memory.begin(), input.memory.end(), std::byte{0});  // divisors, among others
  }
  return c;
}

std::string ToText(const Dims& dims) {
  std::string text = "[";
  for (const std::int64_t value : dims) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

std::string ToText(const ExpressionCase& c) {
  std::string text = c.node.text + "\n";
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    text += "  x" + std::to_string(i) + " " + NameOf(c.inputs[i].dtype) + " " + ToText(c.inputs[i].shape) + " strides " +
            ToText(c.inputs[i].strides) + (c.inputs[i].in_outs_memory ? " in out's memory\n" : "\n");
  }
  return text + "  out " + ToText(c.out_shape) + " strides " + ToText(c.out_strides);
}

}  // namespace axiscast::test

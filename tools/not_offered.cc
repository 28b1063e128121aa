// Ops that this build does not have: rows go as ops come.
#include "tools/not_offered.h"

#include <sstream>
#include <vector>

#include "tools/failure.h"
#include "tools/library_internals.h"
#include "tools/operators.h"

namespace axiscast::tools {
namespace {

// The canonical name, then Paddle's, NumPy's, PyTorch's and ONNX's where they differ.
constexpr const char* kRows[] = {
    "pow elementwise_pow power Pow",
    "atan2 arctan2",
    "hypot",
    "nextafter",
    "heaviside elementwise_heaviside",
    "logaddexp",
    "gcd",
    "lcm",
    "ldexp",
    "isclose",
    "equal_paddle",
    "not_equal_paddle",
    "rsqrt",
    "cbrt",
    "exp Exp",
    "exp2",
    "expm1",
    "log Log",
    "log2",
    "log10",
    "log1p",
    "sin Sin",
    "cos Cos",
    "tan Tan",
    "asin arcsin Asin",
    "acos arccos Acos",
    "atan arctan Atan",
    "sinh Sinh",
    "cosh Cosh",
    "tanh Tanh",
    "asinh arcsinh Asinh",
    "acosh arccosh Acosh",
    "atanh arctanh Atanh",
    "erf Erf",
    "erfc",
    "lgamma gammaln",
    "digamma",
    "frac",
    "cast astype Cast",
    "relu6",
    "leaky_relu LeakyRelu",
    "prelu PRelu",
    "elu Elu",
    "celu Celu",
    "selu Selu",
    "sigmoid Sigmoid",
    "log_sigmoid logsigmoid",
    "silu swish",
    "mish Mish",
    "gelu Gelu",
    "gelu_tanh",
    "softplus Softplus",
    "softsign Softsign",
    "hardswish hard_swish HardSwish",
    "hardsigmoid hard_sigmoid HardSigmoid",
    "hardtanh",
    "hardshrink hard_shrink",
    "softshrink",
    "thresholded_relu ThresholdedRelu",
    "fma",
    "lerp",
    "addcmul",
    "addcdiv",
};

std::string CanonicalName(const char* row) {
  const std::string_view names = row;
  return std::string(names.substr(0, names.find(' ')));
}

// Empty for what is none of them.
std::string FindCanonicalName(std::string_view name) {
  for (const char* const row : kRows) {
    std::istringstream names(row);
    for (std::string known; names >> known;) {
      if (known == name) return CanonicalName(row);
    }
  }
  return "";
}

// What may be asked for instead: canonical names, then aliases; gradients by themselves.
std::vector<std::string> NamesThere(const Registry& registry, bool gradients) {
  std::vector<std::string> names, aliases;
  for (const Op* const op : registry.ops()) {
    if (IsGradient(*op) != gradients) continue;
    names.emplace_back(op->name());
    std::istringstream words(op->info().aliases);
    for (std::string alias; words >> alias;) aliases.push_back(alias);
  }
  names.insert(names.end(), aliases.begin(), aliases.end());
  return names;
}

bool IsNameCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// The name that ends `text`, but for space; empty where there is none.
std::string_view LastName(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && IsNameCharacter(text[begin - 1])) --begin;
  return text.substr(begin);
}

}  // namespace

std::string NamesNotOffered() {
  std::string text;
  for (const char* const row : kRows) text += " " + CanonicalName(row);
  return text;
}

void RefuseNotOffered(const Registry& registry, std::string_view name) {
  std::string_view forward = name;
  const bool gradient = forward.ends_with(kGradientSuffix);
  if (gradient) forward.remove_suffix(kGradientSuffix.size());
  const std::string canonical = FindCanonicalName(forward);
  if (canonical.empty() || registry.Find(forward) != nullptr) return;
  Fail(StatusCode::kUnsupported,
       "the op \"" + std::string(name) + "\"" + (canonical == name ? "" : " (" + canonical + ")") +
           " is not offered by this build; there are: " + NearestFirst(name, NamesThere(registry, gradient)));
}

void RefuseCallsNotOffered(const Registry& registry, std::string_view expression) {
  for (std::size_t at = expression.find('('); at != expression.npos; at = expression.find('(', at + 1))
    RefuseNotOffered(registry, LastName(expression.substr(0, at)));
}

}  // namespace axiscast::tools

// Gradients of every op in every dtype that it offers, against the one in float64 (gradient_test has that against differences), on
// numbers for which no dtype rounds: powers of 4, whose roots, quotients and short sums are exact.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "axiscast/kit/testing/values.h"

namespace axiscast {
namespace {

const Shape kFull = {2, 3, 4}, kSmall = {3, 1};

// The values as elements of a dtype, and back.
std::vector<std::byte> BytesOf(DType dtype, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * SizeOf(dtype));
  testing::WithType(dtype, [&]<typename T>(T) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T element = static_cast<T>(static_cast<float>(values[i]));
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}
std::vector<double> ValuesOf(DType dtype, const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / SizeOf(dtype));
  testing::WithType(dtype, [&]<typename T>(T element) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = static_cast<double>(testing::Widened(element));
    }
  });
  return values;
}

// The gradient for input `wrt`, which is stretched from kSmall to kFull unless it is the only one.
std::vector<double> GradientFor(const Op& op, const Op& gradient, const Kernel& signature, int wrt) {
  std::mt19937 random(3);  // the same values for every dtype
  std::vector<std::vector<std::byte>> memory;
  std::vector<TensorView> inputs;
  for (int i = 0; i <= op.arity(); ++i) {
    const bool small = i == wrt || op.arity() == 1;
    std::vector<double> values(small ? 3 : 24);
    for (double& value : values) {
      const double magnitude = std::ldexp(1.0, 2 * (static_cast<int>(random() % 3) - 1));
      value = random() % 2 == 0 || op.info().name == std::string("sqrt") ? magnitude : -magnitude;
      if (signature.inputs[i] == DType::kBool) value = value > 0;
    }
    memory.push_back(BytesOf(signature.inputs[i], values));
    inputs.emplace_back(memory.back().data(), signature.inputs[i], small ? kSmall : kFull);
  }
  ApplyOptions options;
  options.attributes = {{"wrt", wrt}};
  if (op.info().name == std::string("clip")) options.attributes.emplace_back("max", 1);
  std::vector<std::byte> out(3 * SizeOf(signature.output));
  const Status status =
      Apply(gradient, inputs.data(), inputs.size(), MutableTensorView(out.data(), signature.output, kSmall), options);
  EXPECT_TRUE(status.ok()) << status.message();
  return ValuesOf(signature.output, out);
}

TEST(GradientDType, IsTheSameInEveryDType) {
  int calls = 0;
  for (const Op* op : Registry::BuiltIn().ops()) {
    if (*op->info().gradient == '\0') continue;
    SCOPED_TRACE(op->name());
    const Op& gradient = *FindOp(std::string(op->name()) + "_grad");
    ASSERT_EQ(gradient.kernels().size(), 4u) << "the floats, and no others";
    for (int wrt = op->kernels()[0].inputs[0] == op->kernels()[1].inputs[0] ? 1 : 0; wrt < op->arity(); ++wrt) {  // where's x
      const std::vector<double> wanted = GradientFor(*op, gradient, gradient.kernels().back(), wrt);
      for (const Kernel& signature : gradient.kernels()) {
        // Sums of eight numbers of few bits are rounded once, to the dtype.
        const double eps = signature.output == DType::kBFloat16 ? 0x1p-8 : signature.output == DType::kFloat16 ? 0x1p-11 : 0;
        const std::vector<double> values = GradientFor(*op, gradient, signature, wrt);
        for (std::size_t i = 0; i < values.size(); ++i)
          EXPECT_NEAR(values[i], wanted[i], eps * std::fabs(wanted[i])) << wrt << " " << NameOf(signature.output);
        ++calls;
      }
    }
  }
  EXPECT_GT(calls, 100);
}

}  // namespace
}  // namespace axiscast

// Several ops in one pass: a scale and a bias per channel, the sum with another image, and a ReLU. Memory is read and written once.
#include <axiscast/axiscast.h>

#include <cstdio>
#include <vector>

int main() {
  const axiscast::Shape shape = {2, 3, 4, 5};
  const std::vector<float> image(2 * 3 * 4 * 5, 2.0f), skipped(image.size(), -20.0f), scales = {1, 10, 20}, biases = {3, 4, 5};
  std::vector<float> result(image.size());
  const axiscast::TensorView x(image.data(), shape), scale(scales.data(), {3}), bias(biases.data(), {3}),
      skip(skipped.data(), shape);
  const axiscast::MutableTensorView out(result.data(), shape);

  const char* const text = "maximum(add(add(multiply(x, scale@1), bias@1), skip), 0)";
  axiscast::Expression expression;
  axiscast::Plan plan;
  axiscast::Status status = axiscast::Expression::Parse(text, axiscast::Registry::BuiltIn(), &expression);
  if (status.ok()) status = axiscast::Plan::Make(expression, {x, scale, bias, skip}, out, {}, &plan);
  if (status.ok()) status = plan.Execute({x.data, scale.data, bias.data, skip.data}, out.data);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  std::printf("%g %g %g\n", result[0], result[20], result[40]);  // 0 4 25: one of each channel
}

// A program that uses its own ops: a registry on top of the built-in one, broadcasting, every float dtype, threads and gradients.
#include <axiscast/axiscast.h>
#include <axiscast/kit/add_ops.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "own_ops.h"

namespace {

constexpr std::int64_t kImages = 4, kChannels = 16, kPixels = 56 * 56;
constexpr std::size_t kElements = kImages * kChannels * kPixels, kGates = kImages * kChannels;

// What hard_gate means, with the default slope.
double GateOf(double y) { return std::fmin(std::fmax(0.25 * y + 0.5, 0), 1); }

int Fail(const char* what) { return std::fprintf(stderr, "%s\n", what), 1; }

// A feature map [4, 16, 56, 56] times a gate for each image and channel [4, 16], along axis 0; and the gate's gradient.
template <typename T>
int Run(const axiscast::Registry& registry, double max_error) {
  std::vector<T> x(kElements), gate(kGates), out(kElements), alone(kElements), gate_gradient(kGates);
  for (std::size_t i = 0; i < kElements; ++i) x[i] = T(static_cast<float>(i % 17) - 8);
  for (std::size_t i = 0; i < kGates; ++i) gate[i] = T(static_cast<float>(i % 13) / 2 - 3);
  const axiscast::Shape shape = {kImages, kChannels, 56, 56};
  const axiscast::TensorView x_view(x.data(), shape), gate_view(gate.data(), {kImages, kChannels});

  axiscast::ApplyOptions options;
  options.axis = 0;
  const axiscast::Op& hard_gate = *registry.Find("hard_gate");
  axiscast::Status status = axiscast::Apply(hard_gate, {x_view, gate_view}, {out.data(), shape}, options);
  options.max_threads = 1;
  if (status.ok()) status = axiscast::Apply(hard_gate, {x_view, gate_view}, {alone.data(), shape}, options);
  // d/dgate of the sum of out, that is with dout = 1: one pass over x, in which hard_gate, where, multiply, ... are fused.
  const T one(1.0f);
  std::vector<T> dout(kElements, one);
  options.attributes = {{"wrt", 1}};
  if (status.ok()) {
    status = axiscast::Apply(*registry.Find("hard_gate_grad"), {x_view, gate_view, {dout.data(), shape}},
                             {gate_gradient.data(), {kImages, kChannels}}, options);
  }
  if (!status.ok()) return Fail(status.message());

  if (std::memcmp(out.data(), alone.data(), kElements * sizeof(T)) != 0) return Fail("the number of threads changes the result");
  for (std::size_t i = 0; i < kElements; ++i) {
    const double expected = static_cast<double>(static_cast<float>(x[i])) * GateOf(static_cast<float>(gate[i / kPixels]));
    if (!(std::fabs(static_cast<float>(out[i]) - expected) <= max_error * 8)) return Fail("hard_gate is wrong");
  }
  for (std::size_t g = 0; g < kGates; ++g) {
    const double y = static_cast<float>(gate[g]);
    double expected = 0;
    for (std::size_t p = 0; p < kPixels; ++p)
      expected += std::fabs(0.25 * y) < 0.5 ? 0.25 * static_cast<double>(static_cast<float>(x[g * kPixels + p])) : 0;
    if (!(std::fabs(static_cast<float>(gate_gradient[g]) - expected) <= max_error * 64)) return Fail("hard_gate_grad is wrong");
  }
  std::printf("hard_gate on %s: as the naive loop has it, and its gradient\n", NameOf(axiscast::kDTypeOf<T>));
  return 0;
}

}  // namespace

int main() {
  axiscast::RegistryBuilder builder(axiscast::Registry::BuiltIn());
  const axiscast::Status added = axiscast::AddOps(own::Ops(), axiscast::Registry::BuiltIn().target(), &builder);
  if (!added.ok()) return Fail(added.message());
  const axiscast::Registry registry = builder.Build();

  // All results here are exact in float and double; the 16-bit floats round once.
  if (Run<float>(registry, 0) != 0 || Run<double>(registry, 0) != 0 || Run<axiscast::Float16>(registry, 0x1p-11) != 0 ||
      Run<axiscast::BFloat16>(registry, 0x1p-8) != 0)
    return 1;

  const std::int8_t x[] = {-1, 2, -3}, y[] = {1, -1};
  bool out[6];
  const axiscast::Status status = axiscast::Apply(*registry.Find("opposite_signs"), {{x, {3}}, {y, {2, 1}}}, {out, {2, 3}});
  if (!status.ok()) return Fail(status.message());
  std::printf("opposite_signs: %d%d%d %d%d%d\n", out[0], out[1], out[2], out[3], out[4], out[5]);
}

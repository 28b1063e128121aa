// An op of one's own in a registry of one's own, on top of the built-in one: plain C++, any shape, any strides, all threads.
#include <axiscast/axiscast.h>

#include <cstdio>

namespace {

// out = x + y, at most 255. One block of the result: all that a kernel ever sees.
void SaturatingAdd(const axiscast::Tile& tile, const void* const* inputs, void* result) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* x = static_cast<const std::uint8_t*>(inputs[0]) + r * tile.in[0].row_stride;
    const auto* y = static_cast<const std::uint8_t*>(inputs[1]) + r * tile.in[1].row_stride;
    auto* out = static_cast<std::uint8_t*>(result) + r * tile.out_row_stride;
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      const int sum = x[tile.in[0].splat ? 0 : c] + y[tile.in[1].splat ? 0 : c];
      out[c] = static_cast<std::uint8_t>(sum < 255 ? sum : 255);
    }
  }
}

}  // namespace

int main() {
  axiscast::OpDefinition definition;
  definition.info.name = "saturating_add";
  definition.info.arity = 2;
  definition.info.doc = "out = min(x + y, 255)";
  axiscast::Kernel kernel{};
  kernel.inputs[0] = kernel.inputs[1] = kernel.output = axiscast::DType::kUInt8;
  kernel.run = &SaturatingAdd;
  definition.kernels.push_back(kernel);

  axiscast::RegistryBuilder builder(axiscast::Registry::BuiltIn());
  axiscast::Status status = builder.Add(definition);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  const axiscast::Registry registry = builder.Build();

  const std::uint8_t rows[] = {0, 100, 200}, cols[] = {1, 2, 3, 100};
  std::uint8_t out[12];
  status = axiscast::Apply(*registry.Find("saturating_add"), {{rows, {3, 1}}, {cols, {4}}}, {out, {3, 4}});
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  std::printf("%d %d %d\n", out[0], out[7], out[11]);  // 1 200 255
}

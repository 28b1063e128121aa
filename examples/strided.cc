// Views of memory that is not dense: a pointer to element [0, ..., 0], and for each dim the bytes to its next element.
#include <axiscast/axiscast.h>

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  std::vector<float> pixels(2 * 3 * 3), bias = {100, 200, 300}, out(pixels.size());
  std::iota(pixels.begin(), pixels.end(), 0.0f);  // 2 rows of 3 pixels, each its red, green and blue

  // The same memory as [channel, row, column], columns from right to left.
  constexpr std::int64_t kValue = sizeof(float), kPixel = 3 * kValue, kRow = 3 * kPixel;
  const axiscast::TensorView mirrored(&pixels[2 * 3], axiscast::DType::kFloat32, {3, 2, 3}, {kValue, kRow, -kPixel});
  const axiscast::Status status =
      axiscast::Apply(*axiscast::FindOp("add"), {mirrored, {bias.data(), {3, 1, 1}}}, {out.data(), {3, 2, 3}});
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  std::printf("%g %g %g ... %g\n", out[0], out[1], out[2], out[17]);  // reds of the first row; the last blue
}

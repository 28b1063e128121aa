// Adds a per-channel bias to an NCHW image, in place, on memory of one's own.
#include <axiscast/axiscast.h>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> image(2 * 3 * 4 * 5, 1.0f), bias = {10, 20, 30};
  const axiscast::MutableTensorView x(image.data(), {2, 3, 4, 5});
  const axiscast::Status status = axiscast::elementwise_add(x, {bias.data(), {3}}, x, /*axis=*/1);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  std::printf("%g %g %g\n", image[0], image[20], image[40]);  // 11 21 31: one of each channel
}

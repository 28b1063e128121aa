// A foreign program: adds a per-channel bias to its own NCHW batch, in place, and prints what came out. C++17, installed headers
// only.
#include <axiscast/axiscast.h>

#include <cstdio>

int main() {
  float image[2 * 3 * 2] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const float bias[3] = {100, 200, 300};
  const axiscast::Status status = axiscast::elementwise_add({image, {2, 3, 2}}, {bias, {3}}, {image, {2, 3, 2}}, 1);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message());
    return 1;
  }
  float doubled[6];  // symbols beyond Paddle's functions: a registry, an op, a call in NumPy's mode
  const axiscast::Status added =
      axiscast::Apply(*axiscast::FindOp("add"), {{image, {6}}, {image, {6}}}, {doubled, {6}}, axiscast::ApplyOptions());
  if (!added.ok() || doubled[5] != 610) return 1;
  for (const float value : image) std::printf("%g ", static_cast<double>(value));
  std::printf("\n");
  return 0;
}

// A plan made once and executed many times: image * scale, the scale's channels facing dim 1 of NCHW.
#include <axiscast/axiscast.h>

#include <cstdio>
#include <vector>

int main() {
  const axiscast::Shape shape = {8, 16, 7, 7};
  std::vector<float> image(8 * 16 * 7 * 7, 2.0f), scale(16), out(image.size());
  for (std::size_t c = 0; c < scale.size(); ++c) scale[c] = static_cast<float>(c);

  const axiscast::Op* multiply = axiscast::FindOp("multiply");
  axiscast::PlanOptions options;
  options.axis = 1;
  axiscast::Plan plan;
  axiscast::Status status =
      axiscast::Plan::Make(*multiply, {{image.data(), shape}, {scale.data(), {16}}}, {out.data(), shape}, options, &plan);
  for (int batch = 0; batch < 100 && status.ok(); ++batch) {
    status =
        plan.Execute({image.data(), scale.data()}, out.data());  // pointers only: no allocation, no lock; any number of threads
  }
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  std::printf("%g %g\n", out[0], out[15 * 49]);  // 0 30: channels 0 and 15
}

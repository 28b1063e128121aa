// A plan for declared patterns: made before any shape is known, it serves every batch, and refuses what was not declared.
#include <axiscast/axiscast.h>

#include <cstdio>
#include <vector>

int main() {
  using Call = axiscast::DeclaredCall<axiscast::MatrixPattern, axiscast::RowPattern>;  // NN and BN; conflicts do not compile
  axiscast::PlanOptions options;
  options.patterns = Call::kPatterns;
  axiscast::PatternPlan plan;
  axiscast::Status status =
      axiscast::PatternPlan::Make(*axiscast::FindOp("add"), {axiscast::DType::kFloat32, axiscast::DType::kFloat32}, options, &plan);
  const std::vector<float> x(32, 1.0F), bias = {10, 20, 30, 40};
  std::vector<float> sum(32);
  for (const std::int64_t rows : {2, 8}) {
    if (status.ok()) status = plan.Execute({{x.data(), {rows, 4}}, {bias.data(), {1, 4}}}, {sum.data(), {rows, 4}});
    if (!status.ok()) break;
    std::printf("%d rows, the last sum %g\n", static_cast<int>(rows),
                static_cast<double>(sum[static_cast<std::size_t>(rows) * 4 - 1]));
  }
  if (!status.ok()) {
    std::printf("%s\n", status.message());
    return 1;
  }
  status = plan.Execute({{x.data(), {4, 4}}, {x.data(), {4, 4}}}, {sum.data(), {4, 4}});
  std::printf("%s\n", status.message());
  return 0;
}

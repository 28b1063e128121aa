// The broadcast patterns, and the loop that they are compared with.
#include "bench/patterns.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace axiscast::bench {

const std::vector<Pattern> kPatterns = {
    {"same_shape", {kFree}, {kFree}, {}, Goal::kRoof},
    {"in_place", {kFree}, {kFree}, {}, Goal::kRoof, Layout::kInPlace},
    {"scalar", {kFree}, {}, {}, Goal::kRoof},
    {"row_bias_64", {kFree, 64}, {64}, {}, Goal::kRoof},
    {"row_bias_1000", {kFree, 1000}, {1000}, {}, Goal::kRoof},
    {"channel_56x56", {kFree, 8, 56, 56}, {8}, 1, Goal::kRoof},
    {"channel_14x14", {kFree, 64, 14, 14}, {64}, 1, Goal::kRoof},
    {"channel_7x7", {kFree, 64, 7, 7}, {64}, 1, Goal::kRoof},
    {"channel_2x2", {kFree, 64, 2, 2}, {64}, 1},
    {"inner_3", {kFree, 3}, {3}, {}, Goal::kScalar},
    {"inner_4", {kFree, 4}, {4}, {}, Goal::kScalar},
    {"inner_7", {kFree, 7}, {7}, {}, Goal::kScalar},
    {"column_3", {kFree, 3}, {kFree, 1}, {}, Goal::kScalar},
    {"anchored_3x4", {kFree, 3, 4, 5}, {3, 4}, 1, Goal::kScalar},
    {"mask_of_keys", {kFree, 4, 64, 64}, {kFree, 1, 1, 64}},
    {"mask_of_pairs", {kFree, 4, 64, 64}, {64, 64}},
    {"outer_product", {kFree, 1}, {512}},
    {"transposed", {kFree, 256}, {kFree, 256}, {}, Goal::kNone, Layout::kTransposedY},
    {"step_2_input", {kFree}, {kFree}, {}, Goal::kNone, Layout::kStepTwoX},
    {"step_2_output", {kFree}, {kFree}, {}, Goal::kNone, Layout::kStepTwoOut},
};

namespace {

using Element = float;
constexpr std::int64_t kSize = sizeof(Element);
constexpr std::int64_t kGap = 5 * 64;  // between operands: they shall not begin at the same place of a page

Shape WithExtent(Shape shape, std::int64_t extent) {
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == kFree) shape[d] = extent;
  }
  return shape;
}

std::int64_t Elements(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

std::string Text(const Shape& shape) {
  std::string text = "(";
  for (int d = 0; d < shape.rank(); ++d) text += (d > 0 ? "," : "") + std::to_string(shape[d]);
  return text + ")";
}

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message());
  std::exit(1);
}

}  // namespace

Problem MakeProblemWithExtent(const Pattern& pattern, std::int64_t extent, std::byte* memory) {
  const Shape x = WithExtent(pattern.x, extent), y = WithExtent(pattern.y, extent);
  Shape out;
  ResolveOptions options;
  options.axis = pattern.axis;
  Require(ResolveShape({x, y}, options, &out));
  ByteStrides x_strides = DenseStrides(x, DType::kFloat32), y_strides = DenseStrides(y, DType::kFloat32),
              out_strides = DenseStrides(out, DType::kFloat32);
  std::int64_t x_span = Elements(x) * kSize, out_span = Elements(out) * kSize;  // whole cache lines, gaps included
  std::string suffix = pattern.axis.has_value() ? "@" + std::to_string(*pattern.axis) : "";
  switch (pattern.layout) {
    case Layout::kDense:
      break;
    case Layout::kInPlace:
      suffix += " in place";
      break;
    case Layout::kTransposedY:
      y_strides = {kSize, y[0] * kSize};
      suffix += ".T";
      break;
    case Layout::kStepTwoX:
      x_strides[0] *= 2;
      x_span *= 2;
      suffix += ", x[::2]";
      break;
    case Layout::kStepTwoOut:
      out_strides[0] *= 2;
      out_span *= 2;
      suffix += ", out[::2]";
      break;
  }
  const auto after = [](std::int64_t offset) { return (offset + 63) / 64 * 64 + kGap; };
  const std::int64_t y_at = after(x_span), y_span = Elements(y) * kSize;
  std::byte* out_data = pattern.layout == Layout::kInPlace ? memory : memory + after(y_at + y_span);
  Problem problem;
  problem.text = Text(x) + "+" + Text(y) + suffix;
  problem.x = TensorView(memory, DType::kFloat32, x, x_strides);
  problem.y = TensorView(memory + y_at, DType::kFloat32, y, y_strides);
  problem.out = MutableTensorView(out_data, DType::kFloat32, out, out_strides);
  problem.axis = pattern.axis;
  problem.unique_bytes = (Elements(x) + Elements(y) + Elements(out)) * kSize;
  problem.traffic = {memory, x_span + y_span, out_data, out_span};
  return problem;
}

Problem MakeProblem(const Pattern& pattern, std::int64_t bytes, std::byte* memory) {
  const std::int64_t one = MakeProblemWithExtent(pattern, 1, memory).unique_bytes;
  const std::int64_t each = MakeProblemWithExtent(pattern, 2, memory).unique_bytes - one;
  return MakeProblemWithExtent(pattern, std::max<std::int64_t>((bytes - one) / each + 1, 1), memory);
}

ScalarLoop::ScalarLoop(const Problem& problem) : out_(problem.out) {
  const Shape& shape = out_.shape;
  const auto axis_of = [&](const TensorView& view) { return view.shape.rank() < shape.rank() ? problem.axis : std::nullopt; };
  Require(BroadcastTo(problem.x, shape, axis_of(problem.x), &x_));
  Require(BroadcastTo(problem.y, shape, axis_of(problem.y), &y_));
}

void ScalarLoop::Run() const {
  const Shape& shape = out_.shape;
  const int last = shape.rank() - 1;
  const std::int64_t extent = shape[last], x_step = x_.byte_strides[last], y_step = y_.byte_strides[last],
                     out_step = out_.byte_strides[last];
  const auto* from_x = static_cast<const std::byte*>(x_.data);
  const auto* from_y = static_cast<const std::byte*>(y_.data);
  auto* to = static_cast<std::byte*>(out_.data);
  std::int64_t index[kMaxRank] = {};
  for (;;) {
    for (std::int64_t i = 0; i < extent; ++i) {
      *reinterpret_cast<Element*>(to + i * out_step) =
          *reinterpret_cast<const Element*>(from_x + i * x_step) + *reinterpret_cast<const Element*>(from_y + i * y_step);
    }
    int d = last - 1;
    for (; d >= 0; --d) {
      from_x += x_.byte_strides[d];
      from_y += y_.byte_strides[d];
      to += out_.byte_strides[d];
      if (++index[d] < shape[d]) break;
      index[d] = 0;
      from_x -= shape[d] * x_.byte_strides[d];
      from_y -= shape[d] * y_.byte_strides[d];
      to -= shape[d] * out_.byte_strides[d];
    }
    if (d < 0) return;
  }
}

}  // namespace axiscast::bench

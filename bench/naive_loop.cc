// The loop that calls are compared with.
#include <cstring>

#include "bench/call.h"

namespace axiscast::bench {

NaiveLoop::NaiveLoop(const Call& call) : call_(call) {
  const Shape& shape = call.out.shape;
  for (const TensorView& input : call.inputs) {
    TensorView stretched;
    const Status status = BroadcastTo(input, shape, input.shape.rank() < shape.rank() ? call.axis : std::nullopt, &stretched);
    if (!status.ok()) Fail(status.message());
    inputs_.push_back(stretched);
  }
  plain_add_ =
      call.steps.size() == 1 && std::strcmp(call.steps[0].op->info().name, "add") == 0 && call.out.dtype == DType::kFloat32;
}

void NaiveLoop::AddRow(const std::byte* const* from, std::byte* to) const {
  const int last = call_.out.shape.rank() - 1;
  const std::int64_t extent = call_.out.shape[last], x_step = inputs_[0].byte_strides[last], y_step = inputs_[1].byte_strides[last],
                     out_step = call_.out.byte_strides[last];
  const std::byte *const x = from[0], *const y = from[1];
  for (std::int64_t i = 0; i < extent; ++i) {
    *reinterpret_cast<float*>(to + i * out_step) =
        *reinterpret_cast<const float*>(x + i * x_step) + *reinterpret_cast<const float*>(y + i * y_step);
  }
}

void NaiveLoop::StepRow(const std::byte* const* from, std::byte* to) const {
  const int last = call_.out.shape.rank() - 1;
  for (std::int64_t i = 0; i < call_.out.shape[last]; ++i) {
    alignas(16) std::byte result[16];  // so far
    std::size_t next = 0;              // input
    for (const CallStep& step : call_.steps) {
      Tile tile{};
      tile.rows = tile.cols = 1;
      const void* inputs[kMaxArity];
      alignas(16) std::byte x[16];
      std::memcpy(x, result, sizeof(x));
      for (int a = 0; a < step.op->arity(); ++a) {
        const bool so_far = a == 0 && &step != call_.steps.data();
        inputs[a] = so_far ? x : from[next] + i * inputs_[next].byte_strides[last];
        next += so_far ? 0 : 1;
      }
      step.kernel->reference(tile, inputs, result);
    }
    std::memcpy(to + i * call_.out.byte_strides[last], result, SizeOf(call_.out.dtype));
  }
}

void NaiveLoop::Run() const {
  const Shape& shape = call_.out.shape;
  const int last = shape.rank() - 1;
  const std::byte* from[kMaxRank];
  for (std::size_t i = 0; i < inputs_.size(); ++i) from[i] = static_cast<const std::byte*>(inputs_[i].data);
  auto* to = static_cast<std::byte*>(call_.out.data);
  std::int64_t index[kMaxRank] = {};
  const auto move = [&](int d, std::int64_t steps) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) from[i] += steps * inputs_[i].byte_strides[d];
    to += steps * call_.out.byte_strides[d];
  };
  for (;;) {
    if (plain_add_) {
      AddRow(from, to);
    } else {
      StepRow(from, to);
    }
    int d = last - 1;
    for (; d >= 0; --d) {
      move(d, 1);
      if (++index[d] < shape[d]) break;
      index[d] = 0;
      move(d, -shape[d]);
    }
    if (d < 0) return;
  }
}

}  // namespace axiscast::bench

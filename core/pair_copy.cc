// Dense copies of inputs that are paired; see pair_copy.h.
#include "core/pair_copy.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/copy.h"
#include "core/element_size.h"
#include "core/resolve.h"
#include "core/tiling.h"

namespace axiscast {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;  // more than there is memory

class PlanRoutine : public Routine {
 public:
  explicit PlanRoutine(std::shared_ptr<const Plan::Impl> plan) : plan_(std::move(plan)) {}

  Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept override {
    const void* pointers[kMaxArity];
    std::copy_n(inputs, plan_->problem.given_count(), pointers);
    return plan_->Execute(pointers, out, options);
  }
  void Describe(PlanDescription* description) const override { *description = Plan(plan_).Describe(); }

 private:
  const std::shared_ptr<const Plan::Impl> plan_;
};

struct Copied {
  std::size_t input;
  std::string name;
  DType dtype;
  Shape shape;
  ByteStrides byte_strides;
  std::int64_t at;  // in the memory of all copies
};

class CopyingRoutine : public Routine {
 public:
  CopyingRoutine(std::unique_ptr<const Routine> then, const Request& request, std::uint32_t copied)
      : then_(std::move(then)), movers_(request.op.entry().kernels->movers), caller_(request.caller()), count_(request.count) {
    for (std::size_t i = 0; i < request.count; ++i) {
      if (((copied >> i) & 1) == 0) continue;
      const TensorView& input = *request.inputs[i];
      std::int64_t elements = 0;
      CountElements(input.shape, &elements);
      copies_.push_back({i, request.names()[i], input.dtype, input.shape, input.byte_strides, bytes_});
      const std::int64_t bytes = SaturatingProduct(elements, SizeInBytes(input.dtype));
      bytes_ = bytes < kMostBytes - bytes_ ? bytes_ + (bytes + 63) / 64 * 64 : kMostBytes;
    }
  }

  Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept override try {
    const HeapBlock memory(bytes_);
    if (memory.data == nullptr) {
      return Status(StatusCode::kOutOfMemory, caller_ + ": there is no memory for dense copies of " + std::to_string(bytes_) +
                                                  " bytes of strided inputs, whose elements are to be paired");
    }
    const std::byte* pointers[kMaxArity];
    std::copy_n(inputs, count_, pointers);
    for (const Copied& copy : copies_) {
      std::byte* const dense = memory.data + copy.at;
      CopyElements(movers_, copy.dtype, copy.shape, copy.byte_strides, inputs[copy.input], DenseStrides(copy.shape, copy.dtype),
                   dense, options);
      pointers[copy.input] = dense;
    }
    return then_->Execute(pointers, out, options);
  } catch (...) {
    return OutOfMemory("execute");
  }

  void Describe(PlanDescription* description) const override {
    then_->Describe(description);
    for (PlanDescription::Operand& operand : description->operands) {
      for (const Copied& copy : copies_) {
        if (operand.name == copy.name) operand.delivery = "copied first: " + operand.delivery;
      }
    }
  }

 private:
  const std::unique_ptr<const Routine> then_;
  const Movers& movers_;
  const std::string caller_;
  const std::size_t count_;
  std::vector<Copied> copies_;
  std::int64_t bytes_ = 0;
};

}  // namespace

ByteStrides FaceInput(const TensorView& input, int first, const Shape& first_shape, int first_first, const Shape& shape,
                      bool* copied) {
  *copied = false;
  if (first != kPaired) return FacingStrides(input.shape, input.byte_strides, first, shape);
  ByteStrides reshaped;
  if (!ReshapeStrides(input.shape, input.byte_strides, first_shape, &reshaped)) {
    *copied = true;
    reshaped = DenseStrides(first_shape, input.dtype);
  }
  return FacingStrides(first_shape, reshaped, first_first, shape);
}

std::unique_ptr<const Routine> CopyFirst(std::unique_ptr<const Routine> then, const Request& request, std::uint32_t copied) {
  return std::make_unique<const CopyingRoutine>(std::move(then), request, copied);
}

std::unique_ptr<const Routine> RunPlan(std::shared_ptr<const Plan::Impl> plan) {
  return std::make_unique<const PlanRoutine>(std::move(plan));
}

}  // namespace axiscast

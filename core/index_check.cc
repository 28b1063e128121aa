// The look at an index; see index_check.h.
#include "core/index_check.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/copy.h"
#include "core/index_shapes.h"
#include "core/parallel.h"

namespace axiscast {
namespace {

constexpr std::int64_t kGrainElements = 8 * 1024;  // 0.6 us
constexpr double kSecondsPerElement = 0.08e-9;     // in a near cache

struct Look {
  const IndexKernels& kernels;
  const Canonical& canonical;
  const std::byte* index;
  int type;
  std::int64_t lowest, highest;
  std::atomic<bool> in_range{true};

  // Steps [begin, end) of dim `dim`, and all of the dims within.
  bool InRange(std::size_t dim, std::int64_t begin, std::int64_t end, const std::byte* at) const {
    const std::int64_t stride = canonical.strides[0][dim];
    if (dim + 1 == canonical.extents.size())
      return kernels.in_range[type](at + begin * stride, stride, end - begin, lowest, highest);
    for (std::int64_t i = begin; i < end; ++i) {
      if (!InRange(dim + 1, 0, canonical.extents[dim + 1], at + i * stride)) return false;
    }
    return true;
  }
};

std::int64_t ValueAt(const std::byte* at, int type) {
  std::int32_t narrow;
  std::int64_t wide;
  std::memcpy(&narrow, at, sizeof(narrow));
  if (type == 0) return narrow;
  std::memcpy(&wide, at, sizeof(wide));
  return wide;
}

}  // namespace

IndexCheck::IndexCheck(const FormCall& call, int dim, std::int64_t extent, bool wrap_negative)
    : caller_(call.request.caller()),
      name_(call.request.names()[1]),
      data_name_(call.request.names()[0]),
      facts_(IndexFactsOf(call)),
      data_shape_(call.request.inputs[0]->shape),
      dim_(dim),
      lowest_(wrap_negative ? -extent : 0),
      highest_(extent - 1),
      type_(call.request.inputs[1]->dtype == DType::kInt64 ? 1 : 0),
      shape_(call.request.inputs[1]->shape),
      byte_strides_(call.request.inputs[1]->byte_strides),
      empty_(std::find(shape_.begin(), shape_.end(), 0) != shape_.end()) {
  if (empty_) return;
  const Distinct distinct = DistinctElements(shape_, byte_strides_);
  canonical_ = Canonicalise(distinct.shape, {distinct.byte_strides});
}

bool IndexCheck::InRange(const IndexKernels& kernels, const std::byte* index, const ExecuteOptions& options) const {
  Look look{kernels, canonical_, index + canonical_.offsets[0], type_, lowest_, highest_};
  std::int64_t inner = 1;
  for (std::size_t d = 1; d < canonical_.extents.size(); ++d) inner *= canonical_.extents[d];
  const std::int64_t grain = std::max<std::int64_t>(kGrainElements / inner, 1);
  const Work work = [](void* state, Pieces& pieces) {
    Look& l = *static_cast<Look*>(state);
    std::int64_t begin, end;
    while (pieces.Take(&begin, &end)) {
      if (!l.InRange(0, begin, end, l.index)) l.in_range.store(false, std::memory_order_relaxed);
    }
  };
  if (const double elements = static_cast<double>(canonical_.extents[0]) * static_cast<double>(inner);
      IsShared(elements * kSecondsPerElement, options)) {
    RunParallel(canonical_.extents[0], {grain}, options, work, &look);
  } else {
    RunSerial(canonical_.extents[0], work, &look);
  }
  return look.in_range.load(std::memory_order_relaxed);
}

Status IndexCheck::Run(const IndexKernels& kernels, const std::byte* index, const ExecuteOptions& options) const {
  if (empty_ || InRange(kernels, index, options)) return Status();
  return Refuse(index);
}

Status IndexCheck::Refuse(const std::byte* index) const {
  std::int64_t at[kMaxRank] = {};
  std::int64_t value;
  for (;;) {
    std::int64_t offset = 0;
    for (int d = 0; d < shape_.rank(); ++d) offset += at[d] * (shape_[d] == 1 ? 0 : byte_strides_[d]);
    value = ValueAt(index + offset, type_);
    if (value < lowest_ || value > highest_) break;
    int d = shape_.rank() - 1;
    while (d >= 0 && ++at[d] == shape_[d]) at[d--] = 0;
    if (d < 0) return Status();  // another thread has changed it meanwhile
  }
  const std::string position = shape_.rank() == 0 ? "" : ListOf(Dims(at, shape_.rank()));
  const auto to_highest = [this](std::int64_t lowest) { return std::to_string(lowest) + " to " + std::to_string(highest_); };
  std::string range = highest_ < 0 ? "none" : to_highest(lowest_);
  if (lowest_ == 0 && value < 0 && value >= -highest_ - 1) range += " (with wrap_negative " + to_highest(-highest_ - 1) + ")";
  return Status(StatusCode::kOutOfRange, caller_ + ": index out of range; got " + name_ + position + " = " + std::to_string(value) +
                                             ", accepted are " + range + " along dim " + std::to_string(dim_) + " of " +
                                             data_name_ + " " + ListOf(data_shape_) + " " + facts_);
}

}  // namespace axiscast

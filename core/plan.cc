// Making plans of programs, and executing them: null pointers, overlap, alignment and refused data are dealt with here, before a
// tile.
#include "core/plan.h"

#include <algorithm>
#include <cstring>

#include "core/copy.h"
#include "core/element_size.h"
#include "core/execute.h"
#include "core/request.h"
#include "core/resolve.h"

namespace axiscast {
namespace {

std::string ListOf(const Shape& index) {
  std::string text = "[";
  for (int d = 0; d < index.rank(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(index[d]);
  return text + "]";
}

void MakeLayouts(const Movers& movers, const Canonical& canonical, const std::vector<DType>& dtypes, const std::vector<Step>& steps,
                 CheckFunction check, bool far, Layout* layouts) {
  const std::uint64_t unaligned = UnalignedStrides(canonical, dtypes);
  layouts[0] = MakeLayout(canonical, dtypes, steps,
                          {.unaligned = unaligned, .check = check, .far = far, .vector_bytes = movers.vector_bytes});
  layouts[1] = MakeLayout(canonical, dtypes, steps,
                          {.unaligned = ~std::uint64_t{0}, .check = check, .far = far, .vector_bytes = movers.vector_bytes});
}

std::vector<DType> DTypesOf(const Problem& problem) {
  std::vector<DType> dtypes;
  for (const Operand& operand : problem.operands) dtypes.push_back(operand.dtype);
  return dtypes;
}

std::vector<ByteStrides> StridesOf(const Problem& problem) {
  std::vector<ByteStrides> strides;
  for (const Operand& operand : problem.operands) strides.push_back(operand.byte_strides);
  return strides;
}

// The first element, in row-major order, that the check refuses. Found one by one: this ends in an error message.
Shape FirstRefused(const DataCheck& check, const std::byte* data, std::int64_t size) {
  Shape index = check.shape;
  for (int d = 0; d < index.rank(); ++d) index[d] = 0;
  for (;;) {
    std::int64_t offset = 0;
    for (int d = 0; d < index.rank(); ++d) offset += index[d] * check.byte_strides[d];
    alignas(16) std::byte element[16];
    std::memcpy(element, data + offset, static_cast<std::size_t>(size));
    Tile tile{};
    tile.rows = tile.cols = 1;
    if (check.function(tile, element)) return index;
    // Along a stretched dim all elements are the one at 0.
    int d = index.rank() - 1;
    while (d >= 0 && (check.byte_strides[d] == 0 || ++index[d] == check.shape[d])) index[d--] = 0;
    if (d < 0) return index;
  }
}

// Where an operand may not lie relative to the output.
void SetNear(const Reach& out, CheckedOperand* operand) {
  const auto bytes = [](std::int64_t signed_bytes) { return static_cast<std::uintptr_t>(signed_bytes); };
  operand->near_from = bytes(out.lowest) - bytes(operand->reach.end) + 1;
  operand->near_bytes = bytes(out.end) - bytes(operand->reach.lowest) - operand->near_from;
  operand->may_lie = operand->like_out ? 0 : operand->near_from - 1;
}

}  // namespace

Status CheckExecuteOptions(const ExecuteOptions& options, const std::string& caller) noexcept try {
  const auto refuse = [&caller](const std::string& what) { return Status(StatusCode::kInvalidArgument, caller + ": " + what); };
  if (options.max_threads < 0) return refuse("max_threads must be 0 or more; got " + std::to_string(options.max_threads));
  if (options.stores > StorePolicy::kStream) {
    return refuse("stores must be a value of its enum, 0 to " + std::to_string(static_cast<int>(StorePolicy::kStream)) + "; got " +
                  std::to_string(static_cast<int>(options.stores)));
  }
  if (options.pool == nullptr) return Status();
  const axiscast_thread_pool& pool = *options.pool;
  if (pool.struct_size < sizeof(axiscast_thread_pool)) {
    return refuse("the thread pool's struct_size must be " + std::to_string(sizeof(axiscast_thread_pool)) + " or more; got " +
                  std::to_string(pool.struct_size));
  }
  if (pool.parallel_for == nullptr || pool.concurrency == nullptr) {
    return refuse("the thread pool must have both functions, parallel_for and concurrency");
  }
  return Status();
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "execute: out of memory");
}

Status Plan::Impl::Make(Problem problem, const Movers& movers, std::string caller, std::vector<std::string> names,
                        std::vector<DataCheck> checks, std::shared_ptr<const Impl>* result) noexcept try {
  if (problem.operands.size() > kMaxOperands || problem.steps.size() > kMaxSteps) {
    return Status(StatusCode::kUnsupported, caller + ": a program has at most " + std::to_string(kMaxOperands) + " operands and " +
                                                std::to_string(kMaxSteps) + " steps; got " +
                                                std::to_string(problem.operands.size()) + " and " +
                                                std::to_string(problem.steps.size()));
  }
  auto impl = std::make_shared<Impl>();
  bool is_checked_directly = false;
  std::int64_t elements;
  if (!CountElements(problem.shape, &elements)) {
    return Status(StatusCode::kInvalidShape, caller + ": the result has more elements than int64 counts");
  }
  impl->empty = elements == 0;
  const std::size_t out = problem.operands.size() - 1;
  for (std::size_t i = 0; i <= out; ++i) {
    Reach reach;
    const std::int64_t size = SizeInBytes(problem.operands[i].dtype);
    if (!ComputeReach(problem.shape, problem.operands[i].byte_strides, size, &reach)) {
      return Status(StatusCode::kInvalidShape, caller + ": the byte offsets of " + names[i] + " do not fit in int64 (result " +
                                                   ListOf(problem.shape) + ", byte strides " +
                                                   ListOf(problem.operands[i].byte_strides) + ")");
    }
    impl->operands.push_back({{.low_bits = static_cast<std::uintptr_t>(size - 1)}, reach, false});
  }
  if (!impl->empty) {
    if (OverlapsItself(problem.shape, problem.operands[out].byte_strides, SizeInBytes(problem.operands[out].dtype))) {
      return Status(StatusCode::kInvalidArgument,
                    caller + ": " + names[out] +
                        " overlaps itself, so that elements of the result would be written over each other; " +
                        "use a destination with memory of its own for each element (" + names[out] + " " + ListOf(problem.shape) +
                        ", byte strides " + ListOf(problem.operands[out].byte_strides) + ")");
    }
    impl->canonical = Canonicalise(problem.shape, StridesOf(problem));
    const std::vector<DType> dtypes = DTypesOf(problem);
    impl->kernels.reserve(problem.steps.size());
    for (Step& step : problem.steps) {
      impl->kernels.push_back(*step.kernel);
      step.kernel = &impl->kernels.back();
    }
    impl->any_float_mode =
        std::all_of(impl->kernels.begin(), impl->kernels.end(), [](const Kernel& kernel) { return kernel.any_float_mode; });
    MakeLayouts(movers, impl->canonical, dtypes, problem.steps, nullptr, problem.far, impl->layouts);
    for (std::size_t i = 0; i <= out; ++i) {
      impl->operands[i].like_out = SizeOf(problem.operands[i].dtype) == SizeOf(problem.operands[out].dtype) &&
                                   impl->canonical.strides[i] == impl->canonical.strides[out];
      SetNear(impl->operands[out].reach, &impl->operands[i]);
    }
    impl->direct.Set(impl->layouts[0], impl->operands, problem.constants);
    for (DataCheck& check : checks) {
      const Distinct distinct = DistinctElements(check.shape, check.byte_strides);
      MakeLayouts(movers, Canonicalise(distinct.shape, {distinct.byte_strides}),
                  {problem.operands[static_cast<std::size_t>(check.operand)].dtype}, {}, check.function, false, check.layouts);
    }
    is_checked_directly = checks.size() == 1 && impl->direct.SetCheck(checks[0].operand, checks[0].layouts[0]);
  }
  impl->movers = &movers;
  impl->plain = !impl->empty && (checks.empty() || is_checked_directly);
  impl->caller = std::move(caller);
  impl->names = std::move(names);
  impl->checks = std::move(checks);
  impl->problem = std::move(problem);
  *result = std::move(impl);
  return Status();
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "plan: out of memory");
}

Status Plan::Impl::Execute(const void* const* inputs, void* out, const ExecuteOptions& options) const noexcept {
  if (ExecuteDirect(inputs, out, options)) return Status();
  return ExecuteAny(inputs, out, options);
}

static Status EmptyPlan() { return Status(StatusCode::kInvalidArgument, "execute: the plan is empty; make it with Plan::Make"); }

Status Plan::Execute(const void* const* inputs, void* out, const ExecuteOptions& options) const noexcept {
  if (impl_ == nullptr) return EmptyPlan();
  if (impl_->ExecuteDirect(inputs, out, options)) return Status();
  return impl_->ExecuteAny(inputs, out, options);
}

const void* const* Plan::Impl::WithConstants(const void* const* given, const void** all) const noexcept {
  if (problem.constants.empty()) return given;
  const void** end = std::copy_n(given, problem.given_count(), all);
  for (const AttributeSlot& constant : problem.constants) *end++ = constant.bytes;
  return all;
}

Status Plan::Impl::ExecuteAny(const void* const* given, void* out, const ExecuteOptions& options) const noexcept {
  if (empty) return Status();
  const FloatModeScope usual(kUsualFloatMode);
  if (!IsPlain(options)) {
    if (const Status status = CheckExecuteOptions(options, caller); !status.ok()) return status;
  }
  if (routine != nullptr) return ExecuteRoutine(*this, given, out, options);
  const void* all[kMaxOperands];
  const void* const* const inputs = WithConstants(given, all);
  std::byte* pointers[kMaxOperands];
  const int count = static_cast<int>(operands.size()) - 1;
  std::uintptr_t low_bits = 0;
  std::uint32_t overlapping = 0;
  bool null = false;
  for (int i = 0; i <= count; ++i) {
    const CheckedOperand& operand = operands[static_cast<std::size_t>(i)];
    const void* const pointer = i < count ? inputs[i] : out;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    pointers[i] = const_cast<std::byte*>(static_cast<const std::byte*>(pointer));  // inputs are only read
    low_bits |= address & operand.low_bits;
    null = null || pointer == nullptr;
    if (!operand.IsClear(address - reinterpret_cast<std::uintptr_t>(out))) overlapping |= std::uint32_t{1} << i;
  }
  if (null || overlapping != 0 || !checks.empty()) {
    // Off the hot path: messages, copies and checks may allocate.
    try {
      for (int i = 0; i <= count; ++i) {
        if (pointers[i] != nullptr) continue;
        return Status(StatusCode::kInvalidArgument, caller + ": the pointer of " + names[static_cast<std::size_t>(i)] +
                                                        " is null, but there are elements behind it");
      }
      if (const Status status = Check(pointers, options); !status.ok()) return status;
      for (int i = 0; i < count; ++i) {
        if (((overlapping >> i) & 1) == 0) continue;
        const Operand& x = problem.operands[static_cast<std::size_t>(i)];
        const Operand& y = problem.operands.back();
        if (!MayOverlap(problem.shape, x.byte_strides, SizeInBytes(x.dtype), problem.shape, y.byte_strides, SizeInBytes(y.dtype),
                        pointers[count] - pointers[i])) {
          overlapping &= ~(std::uint32_t{1} << i);
        }
      }
      if (overlapping != 0) return ExecuteWithCopies(pointers, overlapping, options);
    } catch (...) {
      return Status(StatusCode::kOutOfMemory, "execute: out of memory for a message or a plan");
    }
  }
  // Of what has been checked by now, a direct call may refuse what is not aligned, near and yet clear, for several threads, or
  // streamed.
  if (!direct.Run</*kIsChecked=*/true>(given, out, options)) axiscast::Execute(layouts[low_bits != 0], *movers, pointers, options);
  return Status();
}

Status Plan::Impl::Check(std::byte* const* pointers, const ExecuteOptions& options) const {
  for (const DataCheck& check : checks) {
    const std::byte* data = pointers[check.operand];
    const std::int64_t size = SizeInBytes(problem.operands[static_cast<std::size_t>(check.operand)].dtype);
    const bool unaligned = !IsAligned(data, problem.operands[static_cast<std::size_t>(check.operand)].dtype);
    if (!ExecuteCheck(check.layouts[unaligned], *movers, data, options)) continue;
    return Status(check.code,
                  check.message + (check.shape.rank() == 0 ? "" : ListOf(FirstRefused(check, data, size))) + " " + check.shapes);
  }
  return Status();
}

Status Plan::Impl::ExecuteWithCopies(std::byte* const* pointers, std::uint32_t copied, const ExecuteOptions& options) const {
  Canonical dense = canonical;
  std::vector<HeapBlock> copies;
  std::byte* moved[kMaxOperands];
  std::copy_n(pointers, problem.operands.size(), moved);
  for (int i = 0; i < problem.input_count(); ++i) {
    if (((copied >> i) & 1) == 0) continue;
    // The distinct elements, dense in canonical order.
    const DType dtype = problem.operands[static_cast<std::size_t>(i)].dtype;
    std::pmr::vector<std::int64_t>& strides = dense.strides[static_cast<std::size_t>(i)];
    const Distinct distinct =
        DistinctElements(Shape(canonical.extents.data(), canonical.rank()), ByteStrides(strides.data(), canonical.rank()));
    std::int64_t bytes = SizeInBytes(dtype);
    for (std::size_t d = strides.size(); d-- > 0;) {
      if (canonical.extents[d] == 1 || strides[d] == 0) continue;
      strides[d] = bytes;
      bytes *= canonical.extents[d];
    }
    copies.emplace_back(bytes);
    std::byte* copy = copies.back().data;
    if (copy == nullptr) {
      return Status(StatusCode::kOutOfMemory, caller + ": " + names[static_cast<std::size_t>(i)] + " overlaps " + names.back() +
                                                  ", and there is no memory for a copy of " + std::to_string(bytes) + " bytes");
    }
    CopyElements(*movers, dtype, distinct.shape, distinct.byte_strides,
                 pointers[i] + canonical.offsets[static_cast<std::size_t>(i)], DenseStrides(distinct.shape, dtype), copy, options);
    moved[i] = copy;
    dense.offsets[static_cast<std::size_t>(i)] = 0;
  }
  Layout layout_pair[2];
  MakeLayouts(*movers, dense, DTypesOf(problem), problem.steps, nullptr, problem.far, layout_pair);
  bool unaligned = false;
  for (std::size_t i = 0; i < problem.operands.size(); ++i)
    unaligned = unaligned || !IsAligned(moved[i], problem.operands[i].dtype);
  axiscast::Execute(layout_pair[unaligned], *movers, moved, options);
  return Status();
}

}  // namespace axiscast

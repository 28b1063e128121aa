// Bytes by the level that they live in, and the cycles of all passes.
#include "core/work_estimate.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/caches.h"
#include "core/element_size.h"
#include "core/speed.h"
#include "core/tiling.h"

namespace axiscast {
namespace {

constexpr double kScratchCycles = 1.5;   // for 64 bytes of a result that goes through scratch
constexpr double kWideningCycles = 1.6;  // for 64 bytes of an input, with AVX-512

// Bytes per second of one thread whose operands fit a level of the caches, to three quarters of it.
double BytesPerSecond(double bytes, bool streams) {
  const Caches& caches = MachineCaches();
  const Speed& speed = MachineSpeed();
  if (bytes <= 0.75 * static_cast<double>(caches.l1)) return speed.l1;
  if (bytes <= 0.75 * static_cast<double>(caches.l2)) return speed.l2;
  if (bytes <= 0.75 * static_cast<double>(caches.l3)) return speed.l3;
  return streams ? speed.streamed : speed.memory;
}

// Bytes of the widest element that a kernel reads or writes.
std::int64_t WidestOf(const Kernel& kernel, int arity) {
  std::int64_t widest = SizeInBytes(kernel.output);
  for (int i = 0; i < arity; ++i) widest = std::max(widest, SizeInBytes(kernel.inputs[i]));
  return widest;
}

// Whether a step's value is one for all, or for each of rows that kernels take as they are: no tiling joins dims to such long ones.
bool IsOneForLongRows(int value, const Canonical& canonical, std::int64_t element_size) {
  if (value + 1 >= static_cast<int>(canonical.strides.size())) return false;  // not an input, but a result
  const std::pmr::vector<std::int64_t>& strides = canonical.strides[value];
  if (std::all_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride == 0; })) return true;
  return strides.back() == 0 && SaturatingProduct(canonical.extents.back(), element_size) >= kFlattenBytes;
}

double CyclesOf(const Step& step, const Canonical& canonical) {
  const Kernel& kernel = *step.kernel;
  if (kernel.cycles_by_splat == 0) return kernel.cycles;
  const bool is_one = IsOneForLongRows(step.values[1], canonical, SizeInBytes(kernel.inputs[0]));
  return is_one ? kernel.cycles_by_splat : kernel.cycles;
}

}  // namespace

std::int64_t UniqueBytes(const Canonical& canonical, int operand, std::int64_t size) {
  std::int64_t bytes = size;
  for (int d = 0; d < canonical.rank(); ++d) {
    if (canonical.strides[operand][d] != 0) bytes = SaturatingProduct(bytes, canonical.extents[d]);
  }
  return bytes;
}

double BytesWithGaps(const Canonical& canonical, int operand, std::int64_t size) {
  std::int64_t nearest = kLineBytes;
  bool is_one = true;
  for (int d = 0; d < canonical.rank(); ++d) {
    const std::int64_t stride = canonical.strides[operand][d];
    if (stride == 0 || canonical.extents[d] == 1) continue;
    is_one = false;
    if (stride > -nearest && stride < nearest) nearest = std::abs(stride);
  }
  const auto bytes = static_cast<double>(UniqueBytes(canonical, operand, size));
  return is_one || nearest <= size ? bytes : bytes * static_cast<double>(nearest) / static_cast<double>(size);
}

void EstimateWork(const Canonical& canonical, std::span<const Step> steps, const Passes& passes, double bytes, double written,
                  bool streams, Estimate* estimate) {
  const auto elements = static_cast<double>(BlockElements(canonical, 0));
  double cycles = 0, widest = 0;  // of an element
  for (const Pass& pass : passes.all()) {
    double pass_widest = 0;
    for (const Step& step : steps.subspan(static_cast<std::size_t>(pass.first), static_cast<std::size_t>(pass.count))) {
      const auto step_widest = static_cast<double>(WidestOf(*step.kernel, step.arity));
      cycles += CyclesOf(step, canonical) / 64 * step_widest;
      pass_widest = std::max(pass_widest, step_widest);
    }
    if (&pass != &passes.all().back()) cycles += kScratchCycles / 64 * pass_widest;
    widest = std::max(widest, pass_widest);
  }
  const double moved = streams ? bytes : bytes + (MachineSpeed().stores - 1) * written;
  estimate->bytes = {bytes, moved / BytesPerSecond(bytes, streams)};
  estimate->vectors = elements * widest / 64;
  const double seconds = cycles * elements * MachineSpeed().cycle_seconds;
  estimate->arithmetic = {cycles * elements, std::max(seconds - estimate->bytes.seconds, 0.0)};
}

Spent Widening(const Estimate& estimate) {
  const double cycles = estimate.vectors * kWideningCycles;
  return {cycles, std::min(cycles * MachineSpeed().cycle_seconds, estimate.arithmetic.seconds)};
}

void TakeOffSpared(Estimate* estimate) {
  estimate->arithmetic.count -= estimate->spared.count;
  estimate->arithmetic.seconds = std::max(estimate->arithmetic.seconds - estimate->spared.seconds, 0.0);
  estimate->spared = {};
}

}  // namespace axiscast

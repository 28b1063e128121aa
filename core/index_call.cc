// Parts of gather's and scatter's routines; see index_call.h.
#include "core/index_call.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/element_size.h"
#include "core/overlap.h"
#include "core/resolve.h"

namespace axiscast {
namespace {

// Seconds of one thread, roughly: a row's index and address, and bytes that come from the second cache.
constexpr double kSecondsPerRow = 1e-9;
constexpr double kSecondsPerByte = 1 / 40e9;

// From one value of the index to the next; a single value needs no step.
std::int64_t StepOf(const TensorView& view, int dim) {
  return dim < view.shape.rank() && view.shape[dim] > 1 ? view.byte_strides[dim] : 0;
}

std::int64_t ElementsOf(const Shape& shape) {
  std::int64_t elements = 0;
  (void)CountElements(shape, &elements);  // shapes have been looked at
  return elements;
}

PlanDescription DescribeCall(const RoutineCall& routine, const IndexShapes& shapes, const IndexNest& nest) {
  PlanDescription description{};
  description.shape = shapes.result;
  const std::int64_t visited = ElementsOf(shapes.visited);
  const std::vector<NestLoop>& loops = nest.loops();
  if (visited == 0) description.store = "nothing to write";
  const std::size_t out = routine.operands.size() - 1;
  double seconds = 0;
  for (std::size_t i = 0; i <= out; ++i) {
    const RoutineOperand& operand = routine.operands[i];
    // Scatter's self is copied to the output; the loops know nothing of it.
    const bool is_copied = out == 3 && i == 0;
    const NestOperand in_nest = i == 1 ? kNestIndex : i == out ? kNestOut : kNestX;
    const bool is_indexed = i == (out == 3 ? out : 0);
    PlanDescription::Operand described{operand.name, operand.dtype, {}, "", 0};
    for (const NestLoop& loop : loops) described.byte_strides.push_back(is_copied ? 0 : loop.strides[in_nest]);
    described.delivery = is_copied ? "copied to the output" : i == 1 ? "index" : is_indexed ? "rows by index" : "rows";
    const std::int64_t elements = ElementsOf(operand.shape);
    const bool all = is_copied || i == 1 || i == out;
    description.operands.push_back(std::move(described));
    description.operands.back().unique_bytes = (all ? elements : std::min(elements, visited)) * SizeInBytes(operand.dtype);
    seconds += kSecondsPerByte * static_cast<double>(description.operands.back().unique_bytes);
  }
  if (visited == 0) return description;
  for (const NestLoop& loop : loops) description.extents.push_back(loop.extent);
  description.tile_rows = loops[loops.size() - 2].extent;
  description.tile_cols = loops.back().extent;
  description.tiles = visited / (description.tile_rows * description.tile_cols);
  description.grain_tiles = 1;
  description.parallel = nest.parallel();
  description.store = "direct";
  description.estimated_seconds = seconds + kSecondsPerRow * static_cast<double>(visited / description.tile_cols);
  return description;
}

}  // namespace

IndexCall MakeIndexCall(const FormCall& call, const IndexShapes& shapes, const RoutineCall& routine,
                        const std::vector<NestView>& views, const std::vector<bool>& ordered) {
  const Shape& data = call.request.inputs[0]->shape;
  const std::int64_t extent = AtLeast1d(data)[shapes.dim];
  const bool wraps = call.attributes[kWrapNegativeAttribute].integer != 0;
  IndexNest nest;
  if (!HasNoElements(shapes.visited)) {
    NestSteps steps;
    std::vector<NestLoop> loops;
    for (int d = 0; d < shapes.visited.rank(); ++d) {
      loops.push_back({shapes.visited[d]});
      loops.back().ordered = !ordered.empty() && ordered[static_cast<std::size_t>(d)];
    }
    const auto add = [&](const NestView& nest_view) {
      const TensorView& view = nest_view.view;
      if (nest_view.indexed) steps.bytes[nest_view.operand] = StepOf(view, shapes.dim);
      for (int d = 0; d < std::min(view.shape.rank(), shapes.visited.rank()); ++d) {
        if (view.shape[d] == 1 || (nest_view.indexed && d == shapes.dim)) continue;
        loops[static_cast<std::size_t>(d)].strides[nest_view.operand] = view.byte_strides[d];
      }
    };
    add({kNestIndex, *call.request.inputs[1], false});
    for (const NestView& view : views) add(view);
    nest = IndexNest(std::move(loops), steps, steps.bytes[kNestOut], call.request.inputs[1]->dtype, wraps ? extent : 0);
    const auto step = static_cast<double>(std::max(std::abs(steps.bytes[kNestX]), std::abs(steps.bytes[kNestOut])));
    const std::size_t size = SizeOf(routine.operands.back().dtype);
    nest.SetSizes(extent, static_cast<double>(extent) * step,
                  static_cast<double>(ElementsOf(shapes.result)) * static_cast<double>(size), std::countr_zero(size));
  }
  PlanDescription description = DescribeCall(routine, shapes, nest);
  return {&call.request.op.entry().kernels->index, IndexCheck(call, shapes.dim, extent, wraps), HasNoElements(shapes.visited),
          std::move(nest), std::move(description)};
}

RoutineCall OperandsOf(const FormCall& call, const MutableTensorView& out, const char* out_name) {
  RoutineCall routine;
  for (std::size_t i = 0; i < call.request.count; ++i) {
    const TensorView& input = *call.request.inputs[i];
    routine.operands.push_back({call.request.names()[i], input.dtype, input.shape, input.byte_strides});
  }
  routine.operands.push_back({out_name, out.dtype, out.shape, out.byte_strides});
  return routine;
}

bool HaveReaches(const RoutineCall& routine) {
  return std::all_of(routine.operands.begin(), routine.operands.end(), [](const RoutineOperand& operand) {
    Reach reach;
    return ComputeReach(operand.shape, operand.byte_strides, SizeInBytes(operand.dtype), &reach);
  });
}

bool HasNoElements(const Shape& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

}  // namespace axiscast

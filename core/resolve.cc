// The resolver: checks the operands, lets the mode align them, and works out the one shape that they and the destination give.
#include "core/resolve.h"

#include <algorithm>

#include "core/modes.h"
#include "core/resolve_check.h"
#include "core/resolve_message.h"
#include "core/resolve_pairing.h"

namespace axiscast {
namespace {

// The extent that dim `dim` of the result gets: all that face each other are equal, or 1 where the mode lets a 1 stretch. Unknown
// ones are taken to fit.
Status ResolveDim(const ResolveRequest& request, const Alignment& alignment, int dim, std::int64_t* extent) noexcept {
  const auto own_dim = [&](std::size_t i) noexcept { return dim - alignment.First(i, request.rank(i)); };
  const auto mismatch = [&](std::size_t i, std::size_t j) noexcept {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text(request.rule->extents).Text("; got ").Dim(i, own_dim(i)).Text(" and ").Dim(j, own_dim(j)).Facts();
    });
  };
  std::size_t decider = 0;
  std::int64_t unknown = 1;  // 1: there is none
  bool any_1 = false;
  *extent = 1;
  for (std::size_t i = 0; i < request.count; ++i) {
    const int rank = request.rank(i);
    const int own = dim - alignment.First(i, rank);
    if (own < 0 || own >= rank) continue;
    const std::int64_t facing = request.extent(i, own);
    any_1 = any_1 || facing == 1;
    if (facing == 1 || facing == *extent) continue;
    if (IsUnknown(facing)) {
      unknown = unknown == 1 || request.IsSameUnknown(unknown, facing) ? facing : kAnonymous;
      continue;
    }
    if (*extent != 1) return mismatch(decider, i);
    *extent = facing;
    decider = i;
  }
  if (*extent == 1) *extent = unknown;
  if (any_1 && *extent != 1 && request.rule->rigid != nullptr) {
    for (std::size_t i = 0; i < request.count; ++i) {
      const int own = own_dim(i);
      if (own < 0 || own >= request.rank(i) || request.extent(i, own) != 1) continue;
      if (!request.rule->rigid(request, alignment, i, own)) continue;
      if (!IsUnknown(*extent)) return mismatch(std::min(i, decider), std::max(i, decider));
      *extent = 1;
      break;
    }
  }
  if (request.rule->gives_first_shape) *extent = request.extent(0, dim);
  return Status();
}

// The shape that the operands alone give. Of several mismatches the first one from the right is reported; in a mode with an axis
// the first one from the anchor on.
Status ResolveOperands(const ResolveRequest& request, const Alignment& alignment, Shape* result) noexcept {
  const bool from_anchor = request.rule->row.takes_axis;
  std::int64_t extents[kMaxRank];
  bool known = true;
  for (int step = 0; step < alignment.rank; ++step) {
    const int dim = from_anchor ? step : alignment.rank - 1 - step;  // in front of the anchor an operand is alone
    if (Status status = ResolveDim(request, alignment, dim, &extents[dim]); !status.ok()) return status;
    known = known && !IsUnknown(extents[dim]);
  }
  *result = Shape(extents, alignment.rank);
  std::int64_t elements;
  if (!known || CountElements(*result, &elements)) return Status();
  return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
    message.Text("the number of elements must be less than 2^63; got result ").Extents(*result).Facts();
  });
}

// The shape that operands give whose elements are paired: the first one's.
void PairWithFirst(const ResolveRequest& request, Alignment* alignment, Shape* result) noexcept {
  alignment->paired = true;
  alignment->rank = request.rank(0);
  *result = request.shape(0);
  for (int d = 0; d < alignment->rank; ++d) (*result)[d] = request.extent(0, d);
}

// The shape that the operands give in their mode.
Status ResolveMode(ResolveRequest* request, Alignment* alignment, Shape* result) noexcept {
  if (request->rule->pairs_at_last && CanPair(*request)) {
    request->quiet = true;
    const bool broadcasts = request->rule->align(*request, alignment).ok() && ResolveOperands(*request, *alignment, result).ok();
    request->quiet = false;
    if (!broadcasts) PairWithFirst(*request, alignment, result);
    return Status();
  }
  if (Status status = request->rule->align(*request, alignment); !status.ok()) return status;
  if (!alignment->paired) return ResolveOperands(*request, *alignment, result);
  PairWithFirst(*request, alignment, result);
  return Status();
}

// Where the operands lie in the shape that is written. Those that are paired and have another shape than the first one lie nowhere.
void FindFirst(const ResolveRequest& request, const Alignment& alignment, const Shape& written, int* first) noexcept {
  const int missing = written.rank() - alignment.rank;  // dims that out alone has
  for (std::size_t i = 0; i < request.count; ++i) {
    const bool paired = alignment.paired && request.shape(i) != request.shape(0);
    first[i] = paired ? kPaired : missing + alignment.First(i, request.rank(i));
  }
}

// Whether an extent of the result can turn out to be that of a destination.
bool CanBe(std::int64_t extent, std::int64_t destination) noexcept {
  return extent == destination || IsUnknown(extent) || IsUnknown(destination);
}

// What is written is the first operand's shape. What the result says of its unknown extents stays.
Status WriteInPlace(const ResolveRequest& request, Shape* result) noexcept {
  bool fits = result->rank() == request.rank(0);
  for (int d = 0; fits && d < result->rank(); ++d) fits = CanBe((*result)[d], request.extent(0, d));
  if (!fits) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("the result ").Extents(*result).Text(" does not have the shape of ").Operand(0);
    });
  }
  for (int d = 0; d < result->rank(); ++d) {
    if (IsUnknown((*result)[d])) (*result)[d] = request.extent(0, d);
  }
  return Status();
}

// What is written is out's shape. What the result says of its unknown extents stays, unless a 1 may be stretched to it.
Status WriteOut(const ResolveRequest& request, Shape* result) noexcept {
  const std::size_t out = request.count;
  if (Status status = CheckShape(request, out); !status.ok()) return status;
  const int missing = request.rank(out) - result->rank();
  if (missing < 0) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("out is never stretched, so its rank must be that of the result or higher; got rank ");
      message.Number(request.rank(out)).Text(" of out and rank ").Number(result->rank()).Text(" of the result").Facts(result);
    });
  }
  const int rank = request.rank(out);
  std::int64_t written[kMaxRank];
  for (int d = rank - 1; d >= 0; --d) {
    written[d] = request.extent(out, d);
    const std::int64_t extent = d < missing ? 1 : (*result)[d - missing];
    if (extent == 1 || extent == written[d]) continue;
    if (!CanBe(extent, written[d])) {
      return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
        message.Text("out is never stretched, so dimensions of the result must be equal to out's or 1; got ");
        message.Dim("result", *result, d - missing).Text(" and ").Dim(out, d).Facts(result);
      });
    }
    if (IsUnknown(written[d]) && !IsUnknown(extent)) written[d] = extent;
  }
  *result = Shape(written, rank);
  return Status();
}

}  // namespace

bool CountElements(const Shape& shape, std::int64_t* count) noexcept {
  std::int64_t product = 1;
  bool fits = true;
  for (const std::int64_t extent : shape) {
    if (extent == 0) {  // no elements, however large the other extents are and wherever the 0 stands
      *count = 0;
      return true;
    }
    if (fits && __builtin_mul_overflow(product, extent, &product)) fits = false;
  }
  if (fits) *count = product;
  return fits;
}

Status ResolveRequested(ResolveRequest* request, Shape* shape, Alignment* alignment) noexcept {
  if (Status status = CheckRequest(request); !status.ok()) return status;
  if (Status status = ResolveMode(request, alignment, shape); !status.ok()) return status;
  if (request->in_place) {
    if (Status status = WriteInPlace(*request, shape); !status.ok()) return status;
  }
  if (request->has_out()) {
    if (Status status = WriteOut(*request, shape); !status.ok()) return status;
  }
  if (request->options.diagnostics.report != nullptr) ReportPairing(*request, *alignment);
  return Status();
}

Status Resolve(const Shape* shapes, std::size_t count, const ResolveOptions& options, const Destination& destination, Shape* shape,
               int* first, const std::int64_t* axes) noexcept {
  ResolveRequest request{shapes, count, options};
  request.axes = axes;
  request.out = destination.out;
  request.in_place = destination.in_place;
  Alignment alignment;
  Shape result;
  if (Status status = ResolveRequested(&request, &result, &alignment); !status.ok()) return status;
  if (first != nullptr) FindFirst(request, alignment, result, first);
  *shape = result;  // last: it may be one of the operands
  return Status();
}

ByteStrides FacingStrides(const Shape& operand, const ByteStrides& strides, int first, const Shape& shape) noexcept {
  ByteStrides facing = shape;
  for (int d = 0; d < shape.rank(); ++d) {
    const int own = d - first;
    const bool faces = own >= 0 && own < operand.rank() && operand[own] == shape[d];
    facing[d] = faces ? strides[own] : 0;
  }
  return facing;
}

Status ResolveShape(const Shape* shapes, std::size_t count, const ResolveOptions& options, Shape* result) noexcept {
  return Resolve(shapes, count, options, {}, result, nullptr);
}

Status ResolveShape(std::initializer_list<Shape> shapes, const ResolveOptions& options, Shape* result) noexcept {
  return ResolveShape(shapes.begin(), shapes.size(), options, result);
}

Status ResolveInPlace(const Shape* shapes, std::size_t count, const ResolveOptions& options) noexcept {
  Shape result;
  return Resolve(shapes, count, options, {nullptr, true}, &result, nullptr);
}

Status ResolveOut(const Shape* shapes, std::size_t count, const ResolveOptions& options, const Shape& out) noexcept {
  Shape result;
  return Resolve(shapes, count, options, {&out, false}, &result, nullptr);
}

}  // namespace axiscast

// Inference for shapes with unknown extents: the resolver's work, with numbers for the unknown ones.
#include "axiscast/infer.h"

#include "core/modes.h"
#include "core/resolve_message.h"
#include "core/resolve_request.h"

namespace axiscast {
namespace {

Status Infer(ResolveRequest request, SymbolicShape* result) noexcept {
  Alignment alignment;
  Shape extents;
  if (Status status = ResolveRequested(&request, &extents, &alignment); !status.ok()) return status;
  SymbolicShape inferred;
  for (const std::int64_t extent : extents) inferred.push_back(request.Dim(extent));
  *result = inferred;  // last: it may be one of the operands
  return Status();
}

ResolveRequest RequestOf(const SymbolicShape* shapes, std::size_t count, const ResolveOptions& options) noexcept {
  ResolveRequest request{nullptr, count, options};
  request.symbols = shapes;
  return request;
}

// The place (operand and dim) where an unknown is first.
struct Place {
  std::size_t operand;
  int dim;
};

Place FirstPlaceOf(const SymbolicShape* shapes, std::string_view name) noexcept {
  for (std::size_t i = 0;; ++i) {
    for (int d = 0; d < shapes[i].rank(); ++d) {
      if (!shapes[i].known(d) && shapes[i][d].name() == name) return {i, d};
    }
  }
}

}  // namespace

std::int64_t ResolveRequest::SymbolicExtent(std::size_t operand, int dim) const noexcept {
  if (known(operand, dim)) return shape(operand)[dim];
  if (const Pattern* declared = pattern(operand); declared != nullptr && dim < declared->rank()) {
    if ((*declared)[dim].stretches()) return 1;
    if ((*declared)[dim].fixed()) return (*declared)[dim].extent();
  }
  if (symbol(operand)[dim].name().empty()) return kAnonymous;
  return kAnonymous + 1 + static_cast<std::int64_t>(operand * kMaxRank) + dim;
}

Status InferShape(const SymbolicShape* shapes, std::size_t count, const ResolveOptions& options, SymbolicShape* result) noexcept {
  return Infer(RequestOf(shapes, count, options), result);
}

Status InferShape(std::initializer_list<SymbolicShape> shapes, const ResolveOptions& options, SymbolicShape* result) noexcept {
  return InferShape(shapes.begin(), shapes.size(), options, result);
}

Status InferInPlace(const SymbolicShape* shapes, std::size_t count, const ResolveOptions& options, SymbolicShape* result) noexcept {
  ResolveRequest request = RequestOf(shapes, count, options);
  request.in_place = true;
  return Infer(request, result);
}

Status InferOut(const SymbolicShape* shapes, std::size_t count, const ResolveOptions& options, const SymbolicShape& out,
                SymbolicShape* result) noexcept {
  ResolveRequest request = RequestOf(shapes, count, options);
  request.symbolic_out = &out;
  return Infer(request, result);
}

Status BindUnknowns(const SymbolicShape* declared, const Shape* shapes, std::size_t count, const ResolveOptions& options) noexcept {
  const ResolveRequest request{shapes, count, options};
  if (count == 0 || declared == nullptr || shapes == nullptr) {
    return Refuse(request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      if (count == 0) message.Text("needs one operand or more; got 0");
      if (count != 0) message.Text("needs pointers to the operands' shapes; got null");
    });
  }
  // " (declared x [N, 3], bound x [2, 3])"
  const auto both = [declared, shapes](ResolveMessage& message, std::size_t i) {
    message.Text(" (declared ").Name(i).Text(" ").Extents(declared[i]);
    message.Text(", bound ").Name(i).Text(" ").Extents(shapes[i]).Text(")");
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (declared[i].given_rank() != shapes[i].given_rank() || !shapes[i].valid()) {
      return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
        message.Text("a shape must have its declared rank, from 0 to ").Number(kMaxRank).Text("; got rank ");
        message.Number(shapes[i].given_rank()).Text(" of ").Name(i).Text(", declared rank ").Number(declared[i].given_rank());
      });
    }
    for (int d = 0; d < shapes[i].rank(); ++d) {
      const SymbolicDim dim = declared[i][d];
      if (dim.known()) {
        if (dim.extent() == shapes[i][d]) continue;
        return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
          message.Text("a known extent must be the declared one; got ").Dim(i, d).Text(" for ").Number(dim.extent());
          both(message, i);
        });
      }
      if (dim.name().empty()) continue;
      const Place first = FirstPlaceOf(declared, dim.name());
      if (shapes[first.operand][first.dim] == shapes[i][d]) continue;
      return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
        message.Text("an unknown must turn out to be one extent everywhere; got ").Dim(first.operand, first.dim).Text(" and ");
        message.Dim(i, d).Text(" for ").Text(dim.name());
        both(message, first.operand);
        if (first.operand != i) both(message, i);
      });
    }
  }
  return Status();
}

Status BindShape(const SymbolicShape* declared, const Shape* shapes, std::size_t count, const ResolveOptions& options,
                 Shape* result) noexcept {
  if (Status status = BindUnknowns(declared, shapes, count, options); !status.ok()) return status;
  return ResolveShape(shapes, count, options, result);
}

}  // namespace axiscast

// How the operands of gather and scatter face each other, in each of their modes.
#ifndef AXISCAST_CORE_INDEX_SHAPES_H_
#define AXISCAST_CORE_INDEX_SHAPES_H_

#include <string>

#include "axiscast/functions.h"
#include "core/form.h"

namespace axiscast {

// Attributes that gather and scatter begin with. The mode's names are in the order of IndexMode.
enum IndexAttribute { kDimAttribute, kModeAttribute, kWrapNegativeAttribute };
inline constexpr AttributeInfo kDimAttributeInfo = {
    .name = "dim", .doc = "the dim that the index chooses along, of the index", .type = AttributeType::kInteger};
inline constexpr AttributeInfo kModeAttributeInfo = {
    .name = "mode",
    .doc = "how the index faces the others: aligned left and stretched, a prefix of them, or of their rank and stretched",
    .absent = AttributeDefault::kValue,
    .type = AttributeType::kName,
    .names = "broadcast prefix same_rank"};
inline constexpr AttributeInfo kWrapNegativeAttributeInfo = {.name = "wrap_negative",
                                                             .doc = "whether a negative index counts from the end",
                                                             .absent = AttributeDefault::kValue,
                                                             .type = AttributeType::kBool};

// How whole slices of other libraries are chosen, by an index of one dim (ForeignName::how).
inline constexpr const char* kWholeSlices =
    "with dim; the index [n] has a 1 in front for each dim before that ([1, n] for dim 1); wrap_negative=true where it counts from "
    "the end";

struct IndexShapes {
  int dim;        // which the index chooses along
  Shape visited;  // what is gone through: along dim, a value of the index each. At least 1-d
  Shape result;
};

// Errors: kInvalidArgument (a broadcasting mode or an axis), kInvalidShape, kOutOfRange (dim).
Status ResolveGather(const FormCall& call, IndexShapes* shapes);
Status ResolveScatter(const FormCall& call, IndexShapes* shapes);

// "(input [2, 3], index [4], dim 0)"
std::string IndexFactsOf(const FormCall& call);

// A 0-d operand is 1-d here, of extent 1.
Shape AtLeast1d(const Shape& shape);

// The kernels' combinations of dtypes: every dtype with both of the index, and src of the first one's dtype where there is one.
std::vector<Kernel> IndexSignatures(bool has_source);

}  // namespace axiscast

#endif  // AXISCAST_CORE_INDEX_SHAPES_H_

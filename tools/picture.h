// A picture of how the dims of the operands face each other.
#ifndef AXISCAST_TOOLS_PICTURE_H_
#define AXISCAST_TOOLS_PICTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/infer.h"
#include "axiscast/resolve.h"

namespace axiscast::tools {

// The first dim of a result of rank `rank` that each operand's dim 0 faces. For shapes that the library has resolved.
std::vector<int> FirstFacingDims(const std::vector<SymbolicShape>& shapes, const std::optional<Mode>& mode,
                                 const std::optional<std::int64_t>& axis);

// One row of the picture.
struct PictureRow {
  std::string name;
  SymbolicShape shape;
  int first;  // the dim of the destination that dim 0 faces
};

// Draws operands above what is written, and says in words who is stretched along what.
std::string Picture(const std::vector<PictureRow>& operands, const std::vector<PictureRow>& results, const SymbolicShape& written);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_PICTURE_H_

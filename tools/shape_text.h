// Shapes and integers as people write them on a command line: `2,3,4`, `5`, `()`, `N,1,?`.
#ifndef AXISCAST_TOOLS_SHAPE_TEXT_H_
#define AXISCAST_TOOLS_SHAPE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "axiscast/infer.h"
#include "axiscast/pattern.h"
#include "axiscast/tensor.h"

namespace axiscast::tools {

enum class IntegerText { kFits, kTooLarge, kNotAnInteger };

// Reads a decimal integer with an optional sign, nothing before or after it. *value is set when it fits.
IntegerText ReadInteger(std::string_view text, std::int64_t* value);

// Reads a shape whose unknown extents are names or `?`; the names are parts of `text`. Negative extents are left to the library to
// refuse. Fails with kInvalidShape.
SymbolicShape ReadSymbolicShape(std::string_view text);

// Reads a shape of known extents. Fails with kInvalidShape (not a shape) or kUnsupported (unknown extents).
Shape ReadShape(std::string_view text);

// Reads a declared pattern: a letter for each axis, `BN`; with fixed extents comma-separated, `10,N`; `()`. Negative extents are
// left to the library to refuse. Fails with kUsage: patterns are values of a flag.
Pattern ReadPattern(std::string_view text);

// "[2, N, ?]", as the library's messages write shapes.
std::string ShapeText(const SymbolicShape& shape);
// "2", "N", "?"
std::string ExtentText(const SymbolicDim& dim);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_SHAPE_TEXT_H_

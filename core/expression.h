// An expression's inside: its calls, read and looked up.
#ifndef AXISCAST_CORE_EXPRESSION_H_
#define AXISCAST_CORE_EXPRESSION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "axiscast/expression.h"
#include "core/call_text.h"

namespace axiscast {

struct ExpressionCall {
  const Op* op;
  TextCall read;  // `index` of a name is its input's
  std::vector<Attribute> attributes;
};

// Stays where it was made: it refers to its own text.
struct Expression::Impl {
  std::string text;
  std::vector<ExpressionCall> calls;  // in the order in which they are computed; the last one gives the result
  // Of the inputs. An axis of -1 aligns right.
  std::vector<std::string> names;
  std::vector<const char*> name_pointers;
  std::vector<std::int64_t> axes;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_EXPRESSION_H_

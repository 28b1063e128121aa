// JSON values as the command prints them.
#ifndef AXISCAST_TOOLS_JSON_H_
#define AXISCAST_TOOLS_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "axiscast/infer.h"
#include "axiscast/tensor.h"

namespace axiscast::tools {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they are set

// One value and a line end. Bytes that are no UTF-8 (a file name may have any) are replaced: JSON must not have them.
inline std::string Print(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

inline Json DimsToJson(const Dims& dims) { return Json(std::vector<std::int64_t>(dims.begin(), dims.end())); }

// Unknown extents are strings: [2, "N", "?"].
inline Json ShapeToJson(const SymbolicShape& shape) {
  Json json = Json::array();
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.known(d)) {
      json.push_back(shape[d].extent());
    } else {
      json.push_back(shape[d].name().empty() ? "?" : std::string(shape[d].name()));
    }
  }
  return json;
}

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_JSON_H_

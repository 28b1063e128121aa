// The C API's dtypes and modes: numbers, names, DLPack's codes.
#include <string>
#include <vector>

#include "core/c_api.h"
#include "core/near_names.h"

namespace axiscast::c {
namespace {

static_assert(AXISCAST_BOOL == static_cast<int>(DType::kBool));
static_assert(AXISCAST_INT8 == static_cast<int>(DType::kInt8));
static_assert(AXISCAST_INT16 == static_cast<int>(DType::kInt16));
static_assert(AXISCAST_INT32 == static_cast<int>(DType::kInt32));
static_assert(AXISCAST_INT64 == static_cast<int>(DType::kInt64));
static_assert(AXISCAST_UINT8 == static_cast<int>(DType::kUInt8));
static_assert(AXISCAST_UINT16 == static_cast<int>(DType::kUInt16));
static_assert(AXISCAST_UINT32 == static_cast<int>(DType::kUInt32));
static_assert(AXISCAST_UINT64 == static_cast<int>(DType::kUInt64));
static_assert(AXISCAST_FLOAT16 == static_cast<int>(DType::kFloat16));
static_assert(AXISCAST_BFLOAT16 == static_cast<int>(DType::kBFloat16));
static_assert(AXISCAST_FLOAT32 == static_cast<int>(DType::kFloat32));
static_assert(AXISCAST_FLOAT64 == static_cast<int>(DType::kFloat64));
static_assert(kDTypeCount == AXISCAST_FLOAT64 + 1, "an enumerator in c_api.h for each dtype");

// The default is C's alone.
static_assert(AXISCAST_MODE_NUMPY == static_cast<int>(Mode::kNumpy) + 1);
static_assert(AXISCAST_MODE_AXIS == static_cast<int>(Mode::kAxis) + 1);
static_assert(AXISCAST_MODE_ONNX_LEGACY == static_cast<int>(Mode::kOnnxLegacy) + 1);
static_assert(AXISCAST_MODE_NONE == static_cast<int>(Mode::kNone) + 1);
static_assert(AXISCAST_MODE_SAME_RANK == static_cast<int>(Mode::kSameRank) + 1);
static_assert(AXISCAST_MODE_PATTERN == static_cast<int>(Mode::kPattern) + 1);
static_assert(AXISCAST_MODE_LEGACY_POINTWISE == static_cast<int>(Mode::kLegacyPointwise) + 1);
static_assert(AXISCAST_MODE_POINTWISE == static_cast<int>(Mode::kPointwise) + 1);

// DLPack's DLDataTypeCode.
enum DLPackCode : std::uint8_t { kDLInt, kDLUInt, kDLFloat, kDLOpaqueHandle, kDLBfloat, kDLComplex, kDLBool };

DLPackCode CodeOf(DType dtype) {
  if (dtype == DType::kBFloat16) return kDLBfloat;
  switch (KindOf(dtype)) {
    case DTypeKind::kBool:
      return kDLBool;
    case DTypeKind::kSigned:
      return kDLInt;
    case DTypeKind::kUnsigned:
      return kDLUInt;
    default:
      return kDLFloat;
  }
}

std::string DLPackName(unsigned code, unsigned bits, unsigned lanes) {
  constexpr const char* kNames[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  std::string name = code < std::size(kNames) ? kNames[code] + std::to_string(bits)
                                              : "code " + std::to_string(code) + " of " + std::to_string(bits) + " bits";
  if (lanes != 1) name += " in vectors of " + std::to_string(lanes);
  return name;
}

bool IsDType(std::int32_t dtype) { return dtype >= 0 && static_cast<std::size_t>(dtype) < kDTypeCount; }

}  // namespace
}  // namespace axiscast::c

using namespace axiscast;     // NOLINT: what follows is C's
using namespace axiscast::c;  // NOLINT

const char* axiscast_dtype_name(int32_t dtype) { return IsDType(dtype) ? NameOf(static_cast<DType>(dtype)) : "invalid"; }
int64_t axiscast_dtype_size(int32_t dtype) { return IsDType(dtype) ? static_cast<int64_t>(SizeOf(static_cast<DType>(dtype))) : 0; }

int32_t axiscast_dtype_find(const char* name, int32_t* dtype) {
  return Call(__func__, [=, function = __func__] {
    if (name == nullptr) return IsNull(function, "the name");
    if (dtype == nullptr) return IsNull(function, "the pointer to the dtype");
    DType found;
    if (FindDType(name, &found)) {
      *dtype = static_cast<int32_t>(found);
      return Status();
    }
    std::vector<std::string_view> names;
    for (const DTypeRow& row : kDTypes) names.emplace_back(row.name);
    return UnknownName("dtype", name, std::move(names));
  });
}

int32_t axiscast_dtype_from_dlpack(uint8_t code, uint8_t bits, uint16_t lanes, int32_t* dtype) {
  return Call(__func__, [=, function = __func__] {
    if (dtype == nullptr) return IsNull(function, "the pointer to the dtype");
    for (const DTypeRow& row : kDTypes) {
      if (CodeOf(row.dtype) != code || row.size * 8 != bits || lanes != 1) continue;
      *dtype = static_cast<int32_t>(row.dtype);
      return Status();
    }
    return Status(StatusCode::kUnsupportedDType,
                  std::string(function) + ": there is no dtype for DLPack's " + DLPackName(code, bits, lanes));
  });
}

int32_t axiscast_dtype_to_dlpack(int32_t dtype, uint8_t* code, uint8_t* bits, uint16_t* lanes) {
  return Call(__func__, [=, function = __func__] {
    if (code == nullptr || bits == nullptr || lanes == nullptr) return IsNull(function, "the pointer to the code, bits or lanes");
    if (!IsDType(dtype)) return NotInEnum(function, "the dtype", dtype, kDTypeCount);
    *code = CodeOf(static_cast<DType>(dtype));
    *bits = static_cast<uint8_t>(8 * SizeOf(static_cast<DType>(dtype)));
    *lanes = 1;
    return Status();
  });
}

const char* axiscast_mode_name(int32_t mode) {
  if (mode == AXISCAST_MODE_DEFAULT) return "default";
  return mode > 0 && static_cast<std::size_t>(mode) <= kModeCount ? kModes[mode - 1].name : "invalid";
}

int32_t axiscast_mode_find(const char* name, int32_t* mode) {
  return Call(__func__, [=, function = __func__] {
    if (name == nullptr) return IsNull(function, "the name");
    if (mode == nullptr) return IsNull(function, "the pointer to the mode");
    Mode found;
    Status status = FindMode(name, &found);
    if (status.ok()) *mode = static_cast<int32_t>(found) + 1;
    return status;
  });
}

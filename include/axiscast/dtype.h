// The dtype list: the one place that names the element types.
#ifndef AXISCAST_DTYPE_H_
#define AXISCAST_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "axiscast/half.h"

/// X(enumerator, name, C++ type, kind). Adding a native dtype is adding a row: ops choose their dtypes by kind.
/// bool is one byte; any non-zero byte reads as true, and results are always 0 or 1.
#define AXISCAST_FOR_EACH_DTYPE(X)               \
  X(kBool, "bool", bool, kBool)                  \
  X(kInt8, "int8", std::int8_t, kSigned)         \
  X(kInt16, "int16", std::int16_t, kSigned)      \
  X(kInt32, "int32", std::int32_t, kSigned)      \
  X(kInt64, "int64", std::int64_t, kSigned)      \
  X(kUInt8, "uint8", std::uint8_t, kUnsigned)    \
  X(kUInt16, "uint16", std::uint16_t, kUnsigned) \
  X(kUInt32, "uint32", std::uint32_t, kUnsigned) \
  X(kUInt64, "uint64", std::uint64_t, kUnsigned) \
  X(kFloat16, "float16", Float16, kFloat)        \
  X(kBFloat16, "bfloat16", BFloat16, kFloat)     \
  X(kFloat32, "float32", float, kFloat)          \
  X(kFloat64, "float64", double, kFloat)

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// What a dtype's elements are.
enum class DTypeKind : std::uint8_t { kBool, kSigned, kUnsigned, kFloat };

/// The element types.
enum class DType : std::uint8_t {
#define AXISCAST_ENUMERATOR(enumerator, name, type, kind) enumerator,
  AXISCAST_FOR_EACH_DTYPE(AXISCAST_ENUMERATOR)
#undef AXISCAST_ENUMERATOR
};

/// One row of the list.
struct DTypeRow {
  DType dtype;
  const char* name;  // NumPy's
  std::size_t size;  // bytes of an element
  DTypeKind kind;
};

/// Every dtype, indexed by the enum's value.
inline constexpr DTypeRow kDTypes[] = {
#define AXISCAST_ROW(enumerator, name, type, kind) {DType::enumerator, name, sizeof(type), DTypeKind::kind},
    AXISCAST_FOR_EACH_DTYPE(AXISCAST_ROW)
#undef AXISCAST_ROW
};
inline constexpr std::size_t kDTypeCount = sizeof(kDTypes) / sizeof(kDTypes[0]);

/// Whether `dtype` is a value of the enum (a cast from a foreign number may not be).
constexpr bool IsValid(DType dtype) noexcept { return static_cast<std::size_t>(dtype) < kDTypeCount; }

/// Bytes of an element; 0 when `dtype` is not a value of the enum.
constexpr std::size_t SizeOf(DType dtype) noexcept { return IsValid(dtype) ? kDTypes[static_cast<std::size_t>(dtype)].size : 0; }

/// NumPy's name, as in "float32"; "invalid" when `dtype` is not a value of the enum.
constexpr const char* NameOf(DType dtype) noexcept {
  return IsValid(dtype) ? kDTypes[static_cast<std::size_t>(dtype)].name : "invalid";
}

/// The kind of a valid dtype.
constexpr DTypeKind KindOf(DType dtype) noexcept { return kDTypes[static_cast<std::size_t>(dtype)].kind; }

/// Finds a dtype by NumPy's name. Returns false when there is none.
constexpr bool FindDType(std::string_view name, DType* dtype) noexcept {
  for (const DTypeRow& row : kDTypes) {
    if (name == row.name) {
      *dtype = row.dtype;
      return true;
    }
  }
  return false;
}

template <typename T>
struct DTypeTraits;  // DTypeTraits<T>::kDType exists for the element types of the list alone
#define AXISCAST_TRAITS(enumerator, name, type, kind)  \
  template <>                                          \
  struct DTypeTraits<type> {                           \
    static constexpr DType kDType = DType::enumerator; \
  };
AXISCAST_FOR_EACH_DTYPE(AXISCAST_TRAITS)
#undef AXISCAST_TRAITS

/// The dtype of a C++ element type.
template <typename T>
inline constexpr DType kDTypeOf = DTypeTraits<T>::kDType;

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_DTYPE_H_

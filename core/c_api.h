// What the C functions share: statuses that become codes and messages, structs of other sizes, handles, and C's structs as C++'s.
#ifndef AXISCAST_CORE_C_API_H_
#define AXISCAST_CORE_C_API_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "axiscast/c_api.h"
#include "axiscast/plan.h"
#include "core/request.h"

namespace axiscast::c {

// A struct's size must be a multiple of its alignment, and not beyond what any version will have.
inline constexpr std::size_t kMaxStructSize = 4096;

// Keeps the status for axiscast_last_message() unless it is ok, and returns its code.
std::int32_t Report(const Status& status) noexcept;

// The body of a C function, which returns a Status and may throw std::bad_alloc.
template <typename Body>
std::int32_t Call(const char* function, Body body) noexcept {
  try {
    return Report(body());
  } catch (...) {
    return Report(OutOfMemory(function));
  }
}

// Memory for attributes that the calling thread has left from earlier calls, and its return.
void TakeAttributes(std::vector<Attribute>* attributes) noexcept;
void GiveBackAttributes(std::vector<Attribute>* attributes) noexcept;

Status Invalid(const char* function, const std::string& message);
// "axiscast_plan_make: the pointer to the plan is null"
Status IsNull(const char* function, const char* what);
Status OutOfRange(const char* function, const char* what, std::int64_t index, std::int64_t count);
// A number that is not one of an enum of 0 to count - 1.
Status NotInEnum(const char* function, const std::string& what, std::int64_t value, std::int64_t count);

// Whether `given` can be a struct_size where `known` is the current one, and `first` that of the first version.
bool IsStructSize(std::size_t given, std::size_t known, std::size_t first, std::size_t alignment) noexcept;
Status WrongStructSize(const char* function, const std::string& what, std::size_t given, std::size_t known);

// Reads a struct that the caller's version may have with fewer fields, which are then 0, or with more, which must be 0.
template <typename Struct>
Status Read(const char* function, const char* what, const void* given, std::size_t first, Struct* known) {
  std::size_t size;
  std::memcpy(&size, given, sizeof(size));
  if (size == sizeof(Struct)) {  // the common case is to be cheap: a copy of known size
    std::memcpy(known, given, sizeof(Struct));
    return Status();
  }
  if (!IsStructSize(size, sizeof(Struct), first, alignof(Struct))) return WrongStructSize(function, what, size, sizeof(Struct));
  std::memset(known, 0, sizeof(Struct));
  std::memcpy(known, given, size < sizeof(Struct) ? size : sizeof(Struct));
  for (std::size_t i = sizeof(Struct); i < size; ++i) {
    if (static_cast<const unsigned char*>(given)[i] == 0) continue;
    return Invalid(function, "a field of " + std::string(what) + " that this library does not know must be 0: at byte " +
                                 std::to_string(i) + " of its struct, which has " + std::to_string(sizeof(Struct)) + " here");
  }
  return Status();
}

// Fills in the caller's struct as far as it goes; what it has more is 0.
template <typename Struct>
Status Write(const char* function, const char* what, const Struct& known, std::size_t first, Struct* given) {
  const std::size_t size = given->struct_size;
  if (!IsStructSize(size, sizeof(Struct), first, alignof(Struct))) return WrongStructSize(function, what, size, sizeof(Struct));
  std::memset(given, 0, size);
  std::memcpy(given, &known, size < sizeof(Struct) ? size : sizeof(Struct));
  given->struct_size = size;
  return Status();
}

// Handles.
inline const Registry& FromHandle(const axiscast_registry* registry) {
  return registry != nullptr ? *reinterpret_cast<const Registry*>(registry) : Registry::BuiltIn();
}
inline const Op& FromHandle(const axiscast_op* op) { return *reinterpret_cast<const Op*>(op); }
inline const axiscast_registry* ToHandle(const Registry* registry) { return reinterpret_cast<const axiscast_registry*>(registry); }
inline const axiscast_op* ToHandle(const Op* op) { return reinterpret_cast<const axiscast_op*>(op); }

// Gives the caller the result of an inference.
Status WriteShape(const char* function, const Shape& shape, std::int64_t* extents, std::int32_t capacity, std::int32_t* rank);

// Operands of a call: C's views as C++'s.
struct Operands {
  TensorView views[kMaxArity];
  std::size_t count = 0;
};

// Reads one of an array of tensors; of the struct, struct_size alone is checked.
Status ReadElement(const char* function, const axiscast_tensor* array, std::int64_t index, axiscast_tensor* known);
// Its shape. Data, dtype and strides are not looked at.
Status ReadShape(const char* function, std::int64_t index, const axiscast_tensor& tensor, Shape* shape);
Status ReadTensor(const char* function, const char* what, const axiscast_tensor* given, MutableTensorView* view);
// More than kMaxArity, which no op takes, are counted and not read: planning refuses them.
Status ReadOperands(const char* function, const axiscast_tensor* given, std::int64_t count, Operands* operands);

// The same for an expression that takes so many: those beyond are not read.
Status ReadOperands(const char* function, const axiscast_tensor* given, std::int64_t count, std::int64_t taken,
                    std::vector<TensorView>* views);

// The options of a call, but for how it runs. The attributes' memory is the calling thread's, and goes back to it at the end: an
// eager call that was made before allocates nothing.
struct CallOptions : PlanOptions {
  CallOptions() noexcept = default;
  ~CallOptions();
  CallOptions(const CallOptions&) = delete;
  CallOptions& operator=(const CallOptions&) = delete;
};
Status ReadOptions(const char* function, const axiscast_options* given, CallOptions* options);
Status ReadExecuteOptions(const char* function, const axiscast_execute_options* given, ExecuteOptions* options);

// What follows is for calls that are in order, their structs this version's: false where one is not, for which the functions above
// have words. By way of C++'s views and options, 8 elements took 45 ns instead of 22 by a plan, and 173 instead of 72 by an eager
// call (a Zen 3 with a busy neighbour).

// Options of an execution; null: all defaults.
bool IsInOrder(const axiscast_execute_options* given, ExecuteOptions* options) noexcept;

// The key of an eager call (core/request.h) without attributes and texts: of so many inputs, in place the first one of which is the
// destination, and of the destination, the last of the operands.
bool MakeKey(const axiscast_op* op, const axiscast_tensor* const* operands, std::int64_t inputs, bool in_place,
             const axiscast_options* options, PlanKey* key) noexcept;

}  // namespace axiscast::c

#endif  // AXISCAST_CORE_C_API_H_

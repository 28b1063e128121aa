// The C API's ground: the calling thread's last message, statuses, versions, structs of other sizes.
#include "core/c_api.h"

#include <utility>

#include "core/per_thread.h"

namespace axiscast::c {
namespace {

#define AXISCAST_SAME(name, enumerator) static_assert(name == static_cast<int>(StatusCode::enumerator))
AXISCAST_SAME(AXISCAST_OK, kOk);
AXISCAST_SAME(AXISCAST_INVALID_ARGUMENT, kInvalidArgument);
AXISCAST_SAME(AXISCAST_INVALID_SHAPE, kInvalidShape);
AXISCAST_SAME(AXISCAST_UNSUPPORTED_DTYPE, kUnsupportedDType);
AXISCAST_SAME(AXISCAST_UNKNOWN_NAME, kUnknownName);
AXISCAST_SAME(AXISCAST_OUT_OF_RANGE, kOutOfRange);
AXISCAST_SAME(AXISCAST_DIVISION_BY_ZERO, kDivisionByZero);
AXISCAST_SAME(AXISCAST_OUT_OF_MEMORY, kOutOfMemory);
AXISCAST_SAME(AXISCAST_UNSUPPORTED, kUnsupported);
AXISCAST_SAME(AXISCAST_INTERNAL, kInternal);
#undef AXISCAST_SAME

// What is kept for each thread that calls from C.
struct ThreadState {
  Status last;
  std::vector<Attribute> attributes;  // empty: memory for the next call's
};
PerThread<ThreadState> states;

}  // namespace

std::int32_t Report(const Status& status) noexcept {
  if (status.ok()) return AXISCAST_OK;
  if (ThreadState* const state = states.FindOrMake()) state->last = status;
  return static_cast<std::int32_t>(status.code());
}

void TakeAttributes(std::vector<Attribute>* attributes) noexcept {
  if (ThreadState* const state = states.FindOrMake()) std::swap(*attributes, state->attributes);
}

void GiveBackAttributes(std::vector<Attribute>* attributes) noexcept {
  attributes->clear();
  ThreadState* const state = states.Find();
  if (state != nullptr && state->attributes.capacity() < attributes->capacity()) std::swap(*attributes, state->attributes);
}

Status Invalid(const char* function, const std::string& message) {
  return Status(StatusCode::kInvalidArgument, std::string(function) + ": " + message);
}

Status IsNull(const char* function, const char* what) { return Invalid(function, std::string(what) + " is null"); }

Status OutOfRange(const char* function, const char* what, std::int64_t index, std::int64_t count) {
  return Status(StatusCode::kOutOfRange, std::string(function) + ": the index of " + what + " must be 0 or more and less than " +
                                             std::to_string(count) + "; got " + std::to_string(index));
}

Status NotInEnum(const char* function, const std::string& what, std::int64_t value, std::int64_t count) {
  return Invalid(function,
                 what + " must be a value of its enum, 0 to " + std::to_string(count - 1) + "; got " + std::to_string(value));
}

bool IsStructSize(std::size_t given, std::size_t known, std::size_t first, std::size_t alignment) noexcept {
  return given >= first && given <= kMaxStructSize && given % alignment == 0 && first <= known;
}

Status WrongStructSize(const char* function, const std::string& what, std::size_t given, std::size_t known) {
  return Invalid(function, "the struct_size of " + what + " must be sizeof of its struct, which is " + std::to_string(known) +
                               " here; got " + std::to_string(given));
}

}  // namespace axiscast::c

using namespace axiscast;  // NOLINT: what follows is C's

int32_t axiscast_abi_version(void) { return AXISCAST_ABI_VERSION; }
const char* axiscast_version(void) { return AXISCAST_VERSION; }

const char* axiscast_last_message(void) {
  const c::ThreadState* const state = c::states.Find();
  return state != nullptr ? state->last.message() : "";
}

const char* axiscast_status_name(int32_t status) { return NameOf(static_cast<StatusCode>(status)); }

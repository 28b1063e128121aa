// The C API's ground: the calling thread's last message, statuses, versions, structs of other sizes.
#include "core/c_api.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <new>
#include <utility>

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

// What is kept for each thread that calls from C, behind a key of its own; plan_cache.cc says why not thread_local.
struct ThreadState {
  Status last;
  std::vector<Attribute> attributes;  // empty: memory for the next call's
};

constexpr std::int64_t kNoKey = -1;
std::atomic<std::int64_t> thread_key{kNoKey};

void Free(void* state) { delete static_cast<ThreadState*>(state); }

// Null when there is none yet, and none is to be made or can be.
ThreadState* StateOfThisThread(bool make) noexcept {
  const std::int64_t key = thread_key.load(std::memory_order_acquire);
  if (key == kNoKey) return nullptr;
  if (void* const state = pthread_getspecific(static_cast<pthread_key_t>(key))) return static_cast<ThreadState*>(state);
  if (!make) return nullptr;
  std::unique_ptr<ThreadState> state(new (std::nothrow) ThreadState);
  if (state == nullptr || pthread_setspecific(static_cast<pthread_key_t>(key), state.get()) != 0) return nullptr;
  return state.release();
}

struct KeyOwner {
  KeyOwner() noexcept {
    pthread_key_t key;
    if (pthread_key_create(&key, &Free) == 0) thread_key.store(static_cast<std::int64_t>(key), std::memory_order_release);
  }
  // What other threads have is lost: they may be in the middle of a call, when the process ends.
  ~KeyOwner() {
    Free(StateOfThisThread(false));
    const std::int64_t key = thread_key.exchange(kNoKey);
    if (key != kNoKey) pthread_key_delete(static_cast<pthread_key_t>(key));
  }
} key_owner;

}  // namespace

std::int32_t Report(const Status& status) noexcept {
  if (status.ok()) return AXISCAST_OK;
  if (ThreadState* const state = StateOfThisThread(true)) state->last = status;
  return static_cast<std::int32_t>(status.code());
}

void TakeAttributes(std::vector<Attribute>* attributes) noexcept {
  if (ThreadState* const state = StateOfThisThread(true)) std::swap(*attributes, state->attributes);
}

void GiveBackAttributes(std::vector<Attribute>* attributes) noexcept {
  attributes->clear();
  ThreadState* const state = StateOfThisThread(false);
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
  const c::ThreadState* const state = c::StateOfThisThread(false);
  return state != nullptr ? state->last.message() : "";
}

const char* axiscast_status_name(int32_t status) { return NameOf(static_cast<StatusCode>(status)); }

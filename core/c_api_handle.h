// What C callers hold and free: plans and expressions.
#ifndef AXISCAST_CORE_C_API_HANDLE_H_
#define AXISCAST_CORE_C_API_HANDLE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "axiscast/expression.h"
#include "axiscast/plan.h"
#include "core/c_api.h"

#ifndef NDEBUG
#include <mutex>
#endif

namespace axiscast::c {

// The word at its beginning tells a handle from other memory, and from one that was freed.
template <std::uint64_t kWord, typename Held>
struct Handle {
  static constexpr std::uint64_t kAlive = kWord, kFreed = 0x66726565645f7361;
  volatile std::uint64_t word = kAlive;  // written although the memory is then freed
  Held held;
};

}  // namespace axiscast::c

struct axiscast_plan : axiscast::c::Handle<0x6178697363617374, axiscast::Plan> {
  static constexpr const char* kName = "plan";
  std::int64_t input_count = 0;
};

struct axiscast_expression : axiscast::c::Handle<0x6578707265737321, axiscast::Expression> {
  static constexpr const char* kName = "expression";
};

namespace axiscast::c {

template <typename AnyHandle>
Status CheckHandle(const char* function, const AnyHandle* handle) {
  if (handle != nullptr && handle->word == AnyHandle::kAlive) return Status();
  const std::string name = AnyHandle::kName;
  if (handle == nullptr) return IsNull(function, ("the " + name).c_str());
  return Invalid(function, handle->word == AnyHandle::kFreed ? "the " + name + " has been freed" : "this is no " + name);
}

#ifndef NDEBUG
// Handles that were freed last: their memory is kept, so that to use them is found without reading what belongs to others.
template <typename AnyHandle>
class Freed {
 public:
  void Keep(std::unique_ptr<AnyHandle> handle) {
    const std::lock_guard lock(mutex_);
    handles_[next_++ % std::size(handles_)].swap(handle);
  }

 private:
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::unique_ptr<AnyHandle> handles_[1024];
};
template <typename AnyHandle>
inline Freed<AnyHandle> freed;
#endif

template <typename AnyHandle>
Status FreeHandle(const char* function, AnyHandle* handle) {
  if (handle == nullptr) return Status();
  if (Status status = CheckHandle(function, handle); !status.ok()) return status;
  handle->word = AnyHandle::kFreed;
  std::unique_ptr<AnyHandle> owned(handle);
  owned->held = {};
#ifndef NDEBUG
  freed<AnyHandle>.Keep(std::move(owned));
#endif
  return Status();
}

}  // namespace axiscast::c

#endif  // AXISCAST_CORE_C_API_HANDLE_H_

// The first call of a process, with no memory to be had: a status, and the next call works. A program of its own, since registries
// are made once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "axiscast/axiscast.h"

namespace {
bool no_memory = false;
}

// NOLINTBEGIN: replacing the global allocator is the point. Not inlined: gcc would take the pairs for mismatched ones. The form
// that does not throw (std::stable_sort uses it) is replaced too: AddressSanitizer has its own, which is no pair of the delete
// below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return no_memory ? nullptr : std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND

namespace axiscast {
namespace {

TEST(FirstUse, WithoutMemoryIsAStatusAndTheNextCallWorks) {
  const float x[] = {1, 2, 3}, y[] = {10};
  float out[] = {7, 7, 7};
  no_memory = true;
  const Op* op = FindOp("add");
  const Status status = elementwise_add({x, {3}}, {y, {1}}, {out, {3}});
  no_memory = false;
  EXPECT_EQ(op, nullptr);
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(out[0], 7);
  const Status second = elementwise_add({x, {3}}, {y, {1}}, {out, {3}});
  EXPECT_TRUE(second.ok()) << second.message();
  EXPECT_EQ(out[2], 13);
}

}  // namespace
}  // namespace axiscast

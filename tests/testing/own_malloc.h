// Counts a program's allocations and makes them fail, in its own malloc, calloc, realloc, aligned_alloc and posix_memalign, in
// front of glibc's; operator new comes down to them. Defines them: for one source file of a program.
#ifndef AXISCAST_TESTS_TESTING_OWN_MALLOC_H_
#define AXISCAST_TESTS_TESTING_OWN_MALLOC_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/plan_cache.h"
#include "tests/testing/sanitizers.h"

// The sanitizers have a malloc of their own.
#define AXISCAST_TEST_OWN_MALLOC (!AXISCAST_TEST_SANITIZED)

namespace axiscast {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Of this thread.
inline thread_local bool counting = false;
inline thread_local std::int64_t allocations = 0;
inline thread_local std::int64_t outstanding = 0;
inline std::atomic<std::int64_t> outstanding_anywhere{0};  // the same, of all threads
inline thread_local std::int64_t first_failure = kNever;   // the number of the allocation that fails,
inline thread_local bool all_after_fail = false;           // and whether those after it do too

inline bool MayAllocate() {
  if (!counting) return true;
  const std::int64_t number = allocations++;
  if (number == first_failure || (all_after_fail && number > first_failure)) return false;
  ++outstanding;
  ++outstanding_anywhere;
  return true;
}

}  // namespace axiscast

#if AXISCAST_TEST_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) noexcept { return axiscast::MayAllocate() ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return axiscast::MayAllocate() ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* memory, std::size_t size) noexcept {
  if (!axiscast::MayAllocate()) return nullptr;
  if (axiscast::counting && memory != nullptr) --axiscast::outstanding, --axiscast::outstanding_anywhere;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return axiscast::MayAllocate() ? __libc_memalign(alignment, size) : nullptr;
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  *memory = axiscast::MayAllocate() ? __libc_memalign(alignment, size) : nullptr;
  return *memory != nullptr ? 0 : ENOMEM;
}
void free(void* memory) noexcept {
  if (axiscast::counting && memory != nullptr) --axiscast::outstanding, --axiscast::outstanding_anywhere;
  __libc_free(memory);
}
}  // extern "C"
#endif

namespace axiscast {

class Allocation : public testing::Test {
 protected:
  void SetUp() override {
    if (AXISCAST_TEST_OWN_MALLOC) return;
    std::printf("skipped: the sanitizer's malloc is in the place of this test's\n");
    GTEST_SKIP() << "the sanitizer's malloc is in the place of this test's";
  }
};

// Runs f with allocations counted; returns how many there were.
inline std::int64_t CountAllocations(const std::function<void()>& f) {
  allocations = outstanding = 0;
  first_failure = kNever;
  counting = true;
  f();
  counting = false;
  return allocations;
}

// f is made once; making it again takes no memory, and neither does the same call with other pointers.
inline void ExpectNoneAgain(const char* name, const std::function<Status()>& f, StatusCode code = StatusCode::kOk) {
  SCOPED_TRACE(name);
  ForgetPlans();
  StatusCode first, second, third;
  EXPECT_GT(CountAllocations([&] { first = f().code(); }), 5);
  EXPECT_EQ(CountAllocations([&] {
              second = f().code();
              third = f().code();
            }),
            0);
  EXPECT_EQ(first, code);
  EXPECT_EQ(second, code);
  EXPECT_EQ(third, code);
}

// Calls f with each of its allocations failing in turn, alone and with all that follow. f gives a status and drops what it made.
// It must be out of memory and leave `written` as it was, or, where it can do without (a sort's buffer), be right all the same.
// Returns how many allocations f makes when none fails.
inline std::int64_t FailEach(const std::function<Status()>& f, std::vector<std::byte>* written,
                             StatusCode usual = StatusCode::kOk) {
  const std::vector<std::byte> untouched = *written;
  EXPECT_EQ(f().code(), usual);  // what is made once and kept is made now
  const std::vector<std::byte> finished = *written;
  std::int64_t out_of_memory = 0, made = 0;
  for (const bool all : {false, true}) {
    for (std::int64_t n = 0;; ++n) {
      *written = untouched;
      allocations = outstanding = 0;
      first_failure = n;
      all_after_fail = all;
      counting = true;
      const StatusCode code = f().code();
      counting = false;
      const std::int64_t left = outstanding;
      made = allocations;
      const std::string when = std::string(all ? " from allocation " : " at allocation ") + std::to_string(n) + ": " + NameOf(code);
      EXPECT_EQ(left, 0) << "leaked, failing" << when;
      EXPECT_TRUE(code == usual || code == StatusCode::kOutOfMemory) << when;
      EXPECT_TRUE(*written == (code == StatusCode::kOk ? finished : untouched)) << "wrong bytes, failing" << when;
      out_of_memory += code == StatusCode::kOutOfMemory;
      if (made <= n) break;
    }
  }
  EXPECT_GT(out_of_memory, 0);
  *written = untouched;
  return made;
}

// The same for calls whose plan is kept: as if they were never made before. Keeping it may fail too.
inline std::int64_t FailEachEager(const std::function<Status()>& f, std::vector<std::byte>* written,
                                  StatusCode usual = StatusCode::kOk) {
  const auto forgotten = [&f] {
    const Status status = f();
    ForgetPlans();
    return status;
  };
  ForgetPlans();
  return FailEach(forgotten, written, usual);
}

}  // namespace axiscast

#endif  // AXISCAST_TESTS_TESTING_OWN_MALLOC_H_

// Memory between two pages that fault: a read or write behind its last or before its first byte ends the test.
#ifndef AXISCAST_KIT_TESTING_GUARDED_H_
#define AXISCAST_KIT_TESTING_GUARDED_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace axiscast::testing {

class GuardedArea {
 public:
  // At least `bytes` usable bytes.
  explicit GuardedArea(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (bytes + page_ - 1) / page_ * page_;
    void* mapped = mmap(nullptr, size_ + 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) abort();
    base_ = static_cast<std::byte*>(mapped);
    if (mprotect(base_, page_, PROT_NONE) != 0 || mprotect(base_ + page_ + size_, page_, PROT_NONE) != 0) abort();
  }
  GuardedArea(const GuardedArea&) = delete;
  GuardedArea& operator=(const GuardedArea&) = delete;
  ~GuardedArea() { munmap(base_, size_ + 2 * page_); }

  std::byte* begin() const { return base_ + page_; }
  std::byte* end() const { return begin() + size_; }

 private:
  std::size_t page_;
  std::size_t size_;
  std::byte* base_;
};

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_GUARDED_H_

// Calls and helpers for the seats of core/crew.h.
#ifndef AXISCAST_TESTS_TESTING_SEAT_H_
#define AXISCAST_TESTS_TESTING_SEAT_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "core/crew.h"

namespace axiscast {

struct alignas(64) SeatJob {
  std::int64_t number = -1;  // that its helper was told
};
inline const int kFirstRead = 0;
inline constexpr int kLate = 50;  // pauses
inline constexpr std::int64_t kStay = 7;

inline Crew::What Of(SeatJob* job, std::int64_t number, std::int64_t stay = kStay) { return {job, number, &kFirstRead, stay}; }

// A helper that works until it may end, and stays for so many looks at whether to.
struct SeatHelper {
  mutable int looks = 0;
  bool even = true;
  const std::atomic<bool>* may_end = nullptr;
  const std::atomic<bool>* may_look = nullptr;
  mutable std::atomic<bool> looks_now{false};
  std::atomic<int> calls{0};

  void Expect(void* what, const void* first_read) {
    EXPECT_NE(what, nullptr);
    EXPECT_EQ(first_read, &kFirstRead);
  }
  void Begin(void* what, std::int64_t number, std::int64_t stay) {
    EXPECT_TRUE(stay == 0 || stay == kStay) << stay;
    static_cast<SeatJob*>(what)->number = number;
    ++calls;
  }
  bool Work() const {
    while (may_end != nullptr && !*may_end) std::this_thread::yield();
    return even;
  }
  void End() {}
  bool Stays() const {
    looks_now = true;
    while (may_look != nullptr && !*may_look) std::this_thread::yield();
    return looks-- > 0;
  }
};

}  // namespace axiscast

#endif  // AXISCAST_TESTS_TESTING_SEAT_H_

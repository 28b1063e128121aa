// The plans that a thread made last, so that an eager call is a hash and a look-up. No lock, nothing that threads share.
#ifndef AXISCAST_CORE_PLAN_CACHE_H_
#define AXISCAST_CORE_PLAN_CACHE_H_

#include <cstdint>
#include <memory>

#include "core/plan.h"

namespace axiscast {

// A thread keeps so many plans at most; which one goes is least recently used among as many as share a set.
inline constexpr int kPlanCacheSets = 8;
inline constexpr int kPlanCacheWays = 8;

// Everything that a plan is made from, as words. What is added says how long it is, so that equal words mean equal calls.
class PlanKey {
 public:
  static constexpr int kMaxWords = 128;  // three operands of rank 20, four of rank 14; longer calls are planned each time

  void AddWord(std::uint64_t word) noexcept {
    if (std::uint64_t* to = Append(1)) *to = word;
  }
  // A null text is refused.
  void AddText(const char* text) noexcept;
  // Dtype, shape and strides of a view; not its pointer. Views whose strides do not fit their shape are refused.
  void AddView(DType dtype, const Shape& shape, const ByteStrides& strides) noexcept {
    if (!shape.valid() || shape.given_rank() != strides.given_rank()) return Refuse();
    AddView(dtype, shape.rank(), shape.begin(), strides.begin());
  }
  // The same of a rank of 0 to kMaxRank. Null strides: a dense view's, as DenseStrides gives them.
  void AddView(DType dtype, int rank, const std::int64_t* extents, const std::int64_t* strides) noexcept {
    std::uint64_t* const to = Append(1 + 2 * rank);
    if (to == nullptr) return;
    to[0] = static_cast<std::uint64_t>(dtype) << 32 | static_cast<std::uint64_t>(rank);
    std::uint64_t dense = SizeOf(dtype);
    for (int d = rank - 1; d >= 0; --d) {
      to[1 + 2 * d] = static_cast<std::uint64_t>(extents[d]);
      to[2 + 2 * d] = strides != nullptr ? static_cast<std::uint64_t>(strides[d]) : dense;
      dense *= static_cast<std::uint64_t>(extents[d] > 0 ? extents[d] : 1);
    }
  }
  void AddShape(const Shape& shape) noexcept {
    if (!shape.valid()) return Refuse();
    AddWord(static_cast<std::uint64_t>(shape.rank()));
    for (const std::int64_t extent : shape) AddWord(static_cast<std::uint64_t>(extent));
  }
  // The call has something that no plan is kept for.
  void Refuse() noexcept { valid_ = false; }
  // When all is added.
  void Finish() noexcept;

  bool valid() const noexcept { return valid_; }
  int count() const noexcept { return count_; }
  const std::uint64_t* words() const noexcept { return words_; }
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  std::uint64_t* Append(int count) noexcept {
    if (!valid_ || count > kMaxWords - count_) {
      valid_ = false;
      return nullptr;
    }
    count_ += count;
    return words_ + (count_ - count);
  }

  int count_ = 0;
  bool valid_ = true;
  std::uint64_t hash_ = 0;
  std::uint64_t words_[kMaxWords];
};

// Takes the calling thread's plan for this key out of the cache; null when it has none. While it is out, nothing that the plan runs
// (kernels, a pool, calls of axiscast in them) can make the cache drop it.
std::shared_ptr<const Plan::Impl> TakePlan(const PlanKey& key) noexcept;

// Puts a plan that was taken, or made, into the calling thread's cache. Without memory for that the plan is dropped.
void PutPlan(const PlanKey& key, std::shared_ptr<const Plan::Impl> plan) noexcept;

// Frees the calling thread's cache. Threads do so when they end; tests count what is left.
void ForgetPlans() noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_PLAN_CACHE_H_

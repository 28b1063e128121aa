// A small set-associative cache for each thread; see plan_cache.h.
#include "core/plan_cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "core/per_thread.h"

namespace axiscast {
namespace {

struct Slot {
  std::uint64_t used = 0;                  // by the cache's clock; 0: never
  int count = 0;                           // of words
  std::unique_ptr<std::uint64_t[]> words;  // the key
  std::shared_ptr<const Plan::Impl> plan;  // null: free, or the plan is out
};

struct Set {
  std::uint64_t hashes[kPlanCacheWays] = {};
  Slot slots[kPlanCacheWays];

  Slot* Find(const PlanKey& key) noexcept {
    for (int way = 0; way < kPlanCacheWays; ++way) {
      if (hashes[way] != key.hash() || slots[way].count != key.count()) continue;
      if (std::equal(key.words(), key.words() + key.count(), slots[way].words.get())) return &slots[way];
    }
    return nullptr;
  }

  // Gives the slot that was not used for longest another key; its plan is the caller's to replace. Null when there is no memory.
  Slot* Replace(const PlanKey& key) noexcept {
    std::unique_ptr<std::uint64_t[]> words(new (std::nothrow) std::uint64_t[static_cast<std::size_t>(key.count())]);
    if (words == nullptr) return nullptr;
    std::copy_n(key.words(), key.count(), words.get());
    Slot* const oldest =
        std::min_element(slots, slots + kPlanCacheWays, [](const Slot& x, const Slot& y) { return x.used < y.used; });
    hashes[oldest - slots] = key.hash();
    oldest->count = key.count();
    oldest->words = std::move(words);
    return oldest;
  }
};

struct Cache {
  std::uint64_t clock = 0;
  Set sets[kPlanCacheSets];

  // By the upper bits: those of a sum of products depend on all bits of the words.
  Set& SetOf(const PlanKey& key) noexcept {
    static_assert(kPlanCacheSets == 8);
    return sets[key.hash() >> 61];
  }
};

PerThread<Cache> caches;

// Odd factors without a pattern (splitmix64).
constexpr auto kFactors = [] {
  std::array<std::uint64_t, PlanKey::kMaxWords> factors{};
  std::uint64_t state = 0;
  for (std::uint64_t& factor : factors) {
    state += 0x9e3779b97f4a7c15;
    factor = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    factor = (factor ^ factor >> 27) * 0x94d049bb133111eb;
    factor = (factor ^ factor >> 31) | 1;
  }
  return factors;
}();

}  // namespace

void PlanKey::AddText(const char* text) noexcept {
  if (text == nullptr) return Refuse();
  const std::size_t length = strnlen(text, sizeof(words_));
  std::uint64_t* to = Append(1 + static_cast<int>((length + 7) / 8));
  if (to == nullptr) return;
  to[(length + 7) / 8] = 0;
  to[0] = length;
  std::memcpy(to + 1, text, length);
}

// Every word times a factor of its own: the products do not wait for each other, so that 30 words take 10 ns.
void PlanKey::Finish() noexcept {
  if (!valid_) return;
  for (int i = 0; i < count_; ++i) hash_ += words_[i] * kFactors[static_cast<std::size_t>(i)];
}

std::shared_ptr<const Plan::Impl> TakePlan(const PlanKey& key) noexcept {
  if (!key.valid()) return nullptr;
  Cache* const cache = caches.Find();
  if (cache == nullptr) return nullptr;
  Slot* const slot = cache->SetOf(key).Find(key);
  if (slot == nullptr) return nullptr;
  slot->used = ++cache->clock;
  return std::move(slot->plan);
}

void PutPlan(const PlanKey& key, std::shared_ptr<const Plan::Impl> plan) noexcept {
  if (!key.valid()) return;
  // Looked up anew: calls made in the meantime may have changed everything, even the thread, where a pool's tasks are fibres.
  Cache* const cache = caches.FindOrMake();
  if (cache == nullptr) return;
  Set& set = cache->SetOf(key);
  Slot* slot = set.Find(key);
  if (slot == nullptr) {
    slot = set.Replace(key);
    if (slot == nullptr) return;
    slot->used = ++cache->clock;
  }
  slot->plan = std::move(plan);
}

void ForgetPlans() noexcept { caches.Forget(); }

}  // namespace axiscast

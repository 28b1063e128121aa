// The roof, measured: one thread or several run plain loops over buffers of their own, which fit a cache or none.
#include "tools/roof.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tools/library_internals.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace axiscast::tools {
namespace {

using Clock = std::chrono::steady_clock;

// A line, and vectors of so many bytes. Cut from lines by the compiler, vectors of 32 bytes would go by way of the stack (g++ 12).
using Block = float __attribute__((vector_size(64)));
using Vector32 = float __attribute__((vector_size(32)));
using Vector16 = float __attribute__((vector_size(16)));

struct Buffers {
  Block* x;
  Block* y;
  Block* out;
  std::int64_t blocks;
};

enum class Stores { kPlain, kNonTemporal };

template <Stores kStores, class Vector>
inline __attribute__((always_inline)) void Store(const Vector& value, Vector* out) {
#if defined(__SSE2__)
  if constexpr (kStores == Stores::kNonTemporal) {
    _mm_stream_ps(reinterpret_cast<float*>(out), value);
    return;
  }
#endif
  *out = value;
}

// By vectors of so many bytes; past the caches they are 16.
template <Mix kMix, Stores kStores, class Widest>
inline __attribute__((always_inline)) void PassBody(const Buffers& buffers) {
  using Vector = std::conditional_t<kStores == Stores::kNonTemporal, Vector16, Widest>;
  constexpr std::int64_t kVectors = sizeof(Block) / sizeof(Vector);
  const Vector one = Vector{} + 1.0f;
  auto* const x = reinterpret_cast<const Vector*>(buffers.x);
  auto* const y = reinterpret_cast<const Vector*>(buffers.y);
  auto* const out = reinterpret_cast<Vector*>(buffers.out);
  for (std::int64_t block = 0; block < kVectors * buffers.blocks; block += kVectors) {
#pragma GCC unroll 4
    for (std::int64_t i = block; i < block + kVectors; ++i) {
      if constexpr (kMix == Mix::kFill) Store<kStores>(one, out + i);
      if constexpr (kMix == Mix::kCopy) Store<kStores>(x[i], out + i);
      if constexpr (kMix == Mix::kAdd) Store<kStores>(x[i] + y[i], out + i);
    }
    asm volatile("" ::: "memory");  // keeps the loop a loop: no memset or memcpy in its place
  }
}

template <Mix kMix, Stores kStores>
void Pass(const Buffers& buffers) {
  PassBody<kMix, kStores, Vector16>(buffers);
}

#if defined(__x86_64__)
template <Mix kMix, Stores kStores>
__attribute__((target("avx2"))) void PassAvx2(const Buffers& buffers) {
  PassBody<kMix, kStores, Vector32>(buffers);
}
template <Mix kMix, Stores kStores>
__attribute__((target("avx512f"))) void PassAvx512(const Buffers& buffers) {
  PassBody<kMix, kStores, Block>(buffers);
}
#endif

using PassFunction = void (*)(const Buffers&);

template <Mix kMix, Stores kStores>
PassFunction ChoosePass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return &PassAvx512<kMix, kStores>;
  if (__builtin_cpu_supports("avx2")) return &PassAvx2<kMix, kStores>;
#endif
  return &Pass<kMix, kStores>;
}

template <Stores kStores>
PassFunction ChoosePass(Mix mix) {
  switch (mix) {
    case Mix::kFill:
      return ChoosePass<Mix::kFill, kStores>();
    case Mix::kCopy:
      return ChoosePass<Mix::kCopy, kStores>();
    case Mix::kAdd:
      break;
  }
  return ChoosePass<Mix::kAdd, kStores>();
}

int ArraysOf(Mix mix) { return mix == Mix::kFill ? 1 : mix == Mix::kCopy ? 2 : 3; }

// Bytes of one thread's buffers together.
std::int64_t WorkingSet(Level level, int threads) {
  const CacheSizes caches = MachineCacheSizes();
  switch (level) {
    case Level::kL1:
      return caches.l1 / 2;
    case Level::kL2:
      return caches.l2 / 2;
    case Level::kL3:
      return std::clamp<std::int64_t>(caches.l3 / 3 / threads, 2 * caches.l2, 32 << 20);
    case Level::kMemory:
      break;
  }
  return std::clamp<std::int64_t>(4 * caches.l3, 64 << 20, 128 << 20) / threads;  // more takes too long to fault in
}

constexpr std::size_t kHugePage = 2 << 20;

struct FreeBlocks {
  void operator()(Block* blocks) const { std::free(blocks); }
};

// One thread's part: its buffers, touched by itself, and when each round began and ended.
class Worker {
 public:
  Worker(std::int64_t bytes, Mix mix) {
    const int arrays = ArraysOf(mix);
    // An odd number of lines between arrays, so that they do not compete for the same sets of a cache.
    buffers_.blocks = std::max<std::int64_t>(bytes / arrays / static_cast<std::int64_t>(sizeof(Block)), 64) | 1;
    const auto count = static_cast<std::size_t>(buffers_.blocks * arrays);
    const std::size_t size = (count * sizeof(Block) + kHugePage - 1) / kHugePage * kHugePage;
    memory_.reset(static_cast<Block*>(std::aligned_alloc(kHugePage, size)));
    if (memory_ == nullptr) return;
#ifdef MADV_HUGEPAGE
    madvise(memory_.get(), size, MADV_HUGEPAGE);  // faster to fault in, and the roof is of memory, not of page tables
#endif
    std::fill_n(memory_.get(), count, Block{} + 1.0f);
    buffers_.out = memory_.get();
    buffers_.x = buffers_.out + (arrays > 1 ? buffers_.blocks : 0);
    buffers_.y = buffers_.x + (arrays > 2 ? buffers_.blocks : 0);
  }

  bool ready() const { return memory_ != nullptr; }
  std::int64_t bytes_per_pass(Mix mix) const { return buffers_.blocks * ArraysOf(mix) * static_cast<std::int64_t>(sizeof(Block)); }

  void Round(PassFunction pass, int passes) {
    begin = Clock::now();
    for (int i = 0; i < passes; ++i) pass(buffers_);
    end = Clock::now();
  }

  Clock::time_point begin, end;

 private:
  std::unique_ptr<Block, FreeBlocks> memory_;
  Buffers buffers_{};
};

// Time from the first thread's start to the last one's end.
double Seconds(const std::vector<std::unique_ptr<Worker>>& workers) {
  Clock::time_point begin = Clock::time_point::max(), end = Clock::time_point::min();
  for (const auto& worker : workers) {
    begin = std::min(begin, worker->begin);
    end = std::max(end, worker->end);
  }
  return std::chrono::duration<double>(end - begin).count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The best function's rate, by the median over its rounds; 0 without memory.
double Measure(Level level, Mix mix, const std::vector<PassFunction>& functions, int threads) {
  const std::int64_t working_set = WorkingSet(level, threads);
  const std::size_t rounds = level == Level::kMemory ? 5 : 9;
  const int passes = level == Level::kMemory ? 1 : static_cast<int>((64 << 20) / working_set) + 1;
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
  std::atomic<bool> failed = false;
  std::vector<std::vector<double>> seconds(functions.size(), std::vector<double>(rounds));
  std::barrier barrier(threads);
  const auto work = [&](std::size_t i) {
    workers[i] = std::make_unique<Worker>(working_set, mix);
    if (!workers[i]->ready()) failed = true;
    barrier.arrive_and_wait();
    if (failed) return;
    for (std::size_t f = 0; f < functions.size(); ++f) {
      workers[i]->Round(functions[f], passes);  // to warm up
      for (std::size_t round = 0; round < rounds; ++round) {
        barrier.arrive_and_wait();
        workers[i]->Round(functions[f], passes);
        barrier.arrive_and_wait();
        if (i == 0) seconds[f][round] = Seconds(workers);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    try {
      helpers.emplace_back(work, i);
    } catch (const std::exception&) {  // no thread to have: those that there are give up at their first meeting
      failed = true;
      barrier.arrive_and_drop();
    }
  }
  work(0);
  for (std::thread& helper : helpers) helper.join();
  if (failed) return 0;
  std::int64_t bytes = 0;
  for (const auto& worker : workers) bytes += worker->bytes_per_pass(mix) * passes;
  double best = 0;
  for (const std::vector<double>& times : seconds) best = std::max(best, static_cast<double>(bytes) / Median(times));
  return best;
}

}  // namespace

const char* NameOf(Level level) {
  constexpr const char* kNames[] = {"L1", "L2", "L3", "memory"};
  return kNames[static_cast<int>(level)];
}
const char* NameOf(Mix mix) { return mix == Mix::kFill ? "fill" : mix == Mix::kCopy ? "copy" : "add"; }

Level LevelOf(std::int64_t bytes, int threads) {
  const CacheSizes caches = MachineCacheSizes();
  if (bytes <= caches.l1 / 4 * 3 * std::max(threads, 1)) return Level::kL1;
  if (bytes <= caches.l2 / 4 * 3 * std::max(threads, 1)) return Level::kL2;
  return bytes <= caches.l3 / 4 * 3 ? Level::kL3 : Level::kMemory;
}

Mix MixOf(std::int64_t bytes_read, std::int64_t bytes_written) {
  if (bytes_read < bytes_written / 4) return Mix::kFill;
  return bytes_read - bytes_written / 2 < bytes_written ? Mix::kCopy : Mix::kAdd;
}

double Bandwidth(Level level, Mix mix, int threads) {
  static std::mutex mutex;
  static std::map<std::tuple<Level, Mix, int>, double> known;
  const std::lock_guard<std::mutex> lock(mutex);
  threads = std::clamp(threads, 1, static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)));
  const auto [entry, is_new] = known.try_emplace({level, mix, threads}, 0.0);
  if (is_new) {
    std::vector<PassFunction> functions = {ChoosePass<Stores::kPlain>(mix)};
    if (level > Level::kL2) functions.push_back(ChoosePass<Stores::kNonTemporal>(mix));
    entry->second = Measure(level, mix, functions, threads);
  }
  return entry->second;
}

}  // namespace axiscast::tools

// What each thread keeps between its calls.
#ifndef AXISCAST_CORE_PER_THREAD_H_
#define AXISCAST_CORE_PER_THREAD_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

namespace axiscast {

// One T for each thread that makes it, behind a key that exists from the library's loading to its unloading, as one object of this
// type at namespace scope; calls before and after that find none, and go without. Not thread_local: in a library that is loaded
// late, the first use of such a variable aborts the process when there is no memory for it, and so does registering its destructor;
// and a thread that ends after the library was unloaded would run into nothing. A key has errors instead, and costs 1 ns more.
template <class T>
class PerThread {
 public:
  PerThread() noexcept {
    pthread_key_t key;
    if (pthread_key_create(&key, &Free) == 0) key_.store(static_cast<std::int64_t>(key), std::memory_order_release);
  }
  // What other threads have is lost: they may be in the middle of a call, when the process ends.
  ~PerThread() {
    Forget();
    const std::int64_t key = key_.exchange(kNoKey);
    if (key != kNoKey) pthread_key_delete(static_cast<pthread_key_t>(key));
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  // Null: this thread has none.
  static T* Find() noexcept {
    const std::int64_t key = key_.load(std::memory_order_acquire);
    return key != kNoKey ? static_cast<T*>(pthread_getspecific(static_cast<pthread_key_t>(key))) : nullptr;
  }
  // Null: and there is no memory for it.
  static T* FindOrMake() noexcept {
    if (T* const found = Find()) return found;
    const std::int64_t key = key_.load(std::memory_order_acquire);
    if (key == kNoKey) return nullptr;
    std::unique_ptr<T> made(new (std::nothrow) T);
    if (made == nullptr || pthread_setspecific(static_cast<pthread_key_t>(key), made.get()) != 0) return nullptr;
    return made.release();
  }
  static void Forget() noexcept {
    T* const found = Find();
    if (found == nullptr) return;
    (void)pthread_setspecific(static_cast<pthread_key_t>(key_.load()), nullptr);
    Free(found);
  }

 private:
  static constexpr std::int64_t kNoKey = -1;
  static void Free(void* state) { delete static_cast<T*>(state); }

  static inline std::atomic<std::int64_t> key_{kNoKey};
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_PER_THREAD_H_

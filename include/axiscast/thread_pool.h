/* The caller's own thread pool, as C99: the C API takes the same struct. */
#ifndef AXISCAST_THREAD_POOL_H_
#define AXISCAST_THREAD_POOL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A piece of work: runs the part [begin, end) of a job. Never throws. */
typedef void (*axiscast_thread_pool_body)(void* task, int64_t begin, int64_t end);

/** How the library runs work on the caller's threads.
 *
 * parallel_for calls `body` so that the ranges cover [0, count) exactly once, and returns when all have returned. It may split the
 * range as it likes, and run pieces on any thread or all on the calling one; results never depend on that. It must not throw.
 * concurrency says how many threads may run at once, 1 or more. Both are called from the thread that executes a plan.
 */
typedef struct axiscast_thread_pool {
  size_t struct_size; /* sizeof(axiscast_thread_pool): what the caller was compiled with */
  void* context;      /* handed back to both functions */
  void (*parallel_for)(void* context, int64_t count, axiscast_thread_pool_body body, void* task);
  int (*concurrency)(void* context);
} axiscast_thread_pool;

#ifdef __cplusplus
}
#endif

#endif /* AXISCAST_THREAD_POOL_H_ */

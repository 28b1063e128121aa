// Whether a sanitizer watches this build: 1 or 0.
#ifndef AXISCAST_TESTS_TESTING_SANITIZERS_H_
#define AXISCAST_TESTS_TESTING_SANITIZERS_H_

// gcc has macros, clang has features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AXISCAST_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define AXISCAST_TEST_SANITIZED 1
#endif
#endif
#ifndef AXISCAST_TEST_SANITIZED
#define AXISCAST_TEST_SANITIZED 0
#endif

#endif  // AXISCAST_TESTS_TESTING_SANITIZERS_H_

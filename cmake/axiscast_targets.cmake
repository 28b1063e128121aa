# How targets of this project are made: warnings, axiscast_test(), axiscast_bench().

# Warnings for our own code. Users who build us inside their project get none, and CI turns them into errors
# (CMAKE_COMPILE_WARNING_AS_ERROR). -Wno-psabi: gcc notes that 64-byte vectors are passed differently without AVX-512; no vector crosses a
# call in our code. -Wno-sign-conversion: clang counts it to -Wconversion, gcc does not; both compilers judge by the same rules.
# -Wno-restrict: gcc 12 warns of overlap inside std::string's own operator+ (its bug 105651, mended in 13).
add_library(axiscast_warnings INTERFACE)
target_compile_options(
  axiscast_warnings INTERFACE $<$<BOOL:${AXISCAST_DEVELOPER}>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion> -Wno-psabi
                              $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# A program of this project that sees internal headers and symbols.
function(axiscast_internal_executable name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE axiscast_objects axiscast_warnings)
  target_compile_options(${name} PRIVATE -ffp-contract=off)
endfunction()

set(AXISCAST_TEST_TIMEOUT 600 CACHE STRING "Seconds after which a test of a GoogleTest program has failed")

# A GoogleTest program from NAME.cc and further sources: axiscast_test(NAME [SOURCE...]).
function(axiscast_test name)
  axiscast_internal_executable(${name} ${name}.cc ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gmock GTest::gtest_main)
  # PRE_TEST: which cases exist depends on the CPU that runs them, not on the one that builds them.
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${AXISCAST_TEST_TIMEOUT})
endfunction()

# A Google Benchmark program from NAME.cc and further sources.
function(axiscast_bench name)
  axiscast_internal_executable(${name} ${name}.cc ${ARGN})
  target_link_libraries(${name} PRIVATE benchmark::benchmark)
endfunction()

# Without these, where the linker happens to put a loop of two or three vectors decides whether a call of 12 KB takes 87 or 120 ns.
# Loops that would need more than 24 bytes of padding stay: it would be run through for every row. Clang has no such limit.
set(axiscast_alignment $<$<CXX_COMPILER_ID:GNU>:-falign-functions=64> $<$<CXX_COMPILER_ID:GNU>:-falign-loops=64:24>)

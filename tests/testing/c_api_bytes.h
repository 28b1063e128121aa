// Any bytes as calls of the C API: what a fuzzer wants.
#ifndef AXISCAST_TESTS_TESTING_C_API_BYTES_H_
#define AXISCAST_TESTS_TESTING_C_API_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace axiscast::test {

// Makes the calls that the bytes stand for: valid ones and wrong ones, on memory that is there. Returns what was wrong with their
// outcome, "" when nothing was; counts the executions that went well in *executed.
std::string RunBytes(const std::uint8_t* bytes, std::size_t size, std::int64_t* executed);

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_C_API_BYTES_H_

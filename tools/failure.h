// How a verb says no: a code and a message for people, thrown to main, which prints them and picks the exit status.
#ifndef AXISCAST_TOOLS_FAILURE_H_
#define AXISCAST_TOOLS_FAILURE_H_

#include <string>
#include <utility>

#include "axiscast/status.h"

namespace axiscast::tools {

// The two codes that the command adds to the library's.
inline constexpr const char* kUsage = "kUsage";          // the command line was wrong: exit status 2
inline constexpr const char* kFileError = "kFileError";  // a file that cannot be read, written or believed

struct Failure {
  std::string code;
  std::string message;
  int exit_status() const { return code == kUsage ? 2 : 1; }
};

[[noreturn]] inline void Fail(const char* code, std::string message) { throw Failure{code, std::move(message)}; }
[[noreturn]] inline void Fail(StatusCode code, std::string message) { throw Failure{NameOf(code), std::move(message)}; }

// Passes a status of the library on to the user.
inline void Check(const Status& status) {
  if (!status.ok()) Fail(status.code(), status.message());
}

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_FAILURE_H_

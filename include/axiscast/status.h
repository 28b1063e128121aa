// Status: how every call says whether it worked.
#ifndef AXISCAST_STATUS_H_
#define AXISCAST_STATUS_H_

#include <memory>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// One list for C++, C and the command (which adds kFileError and kUsage).
enum class StatusCode : int {
  kOk = 0,
  kInvalidArgument,   // an attribute, axis, pointer or option that no data could make right
  kInvalidShape,      // extents that do not broadcast, a destination of another shape, too many elements
  kUnsupportedDType,  // the op has no kernel for these dtypes
  kUnknownName,       // an op, attribute or target that does not exist; the message lists those that do
  kOutOfRange,        // an axis or an index outside its range
  kDivisionByZero,    // an integer divisor is 0; found before the first write
  kOutOfMemory,       // a temporary or a plan could not be allocated
  kUnsupported,  // valid, and not offered: a target that the CPU lacks, a part of what has no parts, more ops than a program holds
  kInternal,     // a defect in axiscast
};

/// The code's name, as in "kInvalidShape".
const char* NameOf(StatusCode code) noexcept;

/// A code and, when it is not kOk, a message for the caller's user: what was asked, what was found, the values last.
/// Every fallible function of the library returns one; none throws, aborts or prints. Copies share the message.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  /// Falls back to an empty message when there is no memory for it. A code that is none becomes kInternal.
  Status(StatusCode code, std::string_view message) noexcept;
  Status(const Status&) noexcept = default;  // moves are copies: an error stays one
  Status& operator=(const Status&) noexcept = default;
  ~Status() = default;

  bool ok() const noexcept { return error_ == nullptr; }
  StatusCode code() const noexcept;
  /// Empty when ok. Lives as long as any copy of this status.
  const char* message() const noexcept;

 private:
  struct Error;
  std::shared_ptr<const Error> error_;  // null: ok, which costs a caller one store
};

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_STATUS_H_

// Status codes and their names.
#include "axiscast/status.h"

#include <exception>

namespace axiscast {
namespace {

constexpr const char* kCodeNames[] = {
    "kOk",         "kInvalidArgument", "kInvalidShape", "kUnsupportedDType", "kUnknownName",
    "kOutOfRange", "kDivisionByZero",  "kOutOfMemory",  "kUnsupported",      "kInternal",
};
constexpr std::size_t kCodeCount = sizeof(kCodeNames) / sizeof(kCodeNames[0]);
static_assert(kCodeCount == static_cast<std::size_t>(StatusCode::kInternal) + 1, "a name for each code");

}  // namespace

const char* NameOf(StatusCode code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < kCodeCount ? kCodeNames[index] : "invalid";
}

Status::Status(StatusCode code, std::string_view message) noexcept : code_(code) {
  if (code == StatusCode::kOk || message.empty()) return;
  try {
    message_ = std::make_shared<const std::string>(message);
  } catch (const std::exception&) {  // no memory: the code alone has to do
  }
}

const char* Status::message() const noexcept { return message_ ? message_->c_str() : ""; }

}  // namespace axiscast

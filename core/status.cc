// Status codes and their names.
#include "axiscast/status.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string>

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

struct Status::Error {
  StatusCode code;
  std::string message;
};

Status::Status(StatusCode code, std::string_view message) noexcept {
  if (code == StatusCode::kOk) return;
  try {
    error_ = std::make_shared<const Error>(Error{code, std::string(message)});
  } catch (const std::exception&) {  // no memory: the code alone has to do
    static const std::array<Error, kCodeCount> errors = [] {
      std::array<Error, kCodeCount> all;
      for (std::size_t i = 0; i < kCodeCount; ++i) all[i].code = static_cast<StatusCode>(i);
      return all;
    }();
    const auto index = std::min(static_cast<std::size_t>(code), kCodeCount - 1);
    error_ = std::shared_ptr<const Error>(std::shared_ptr<const Error>(), &errors[index]);  // which owns nothing
  }
}

StatusCode Status::code() const noexcept { return ok() ? StatusCode::kOk : error_->code; }

const char* Status::message() const noexcept { return ok() ? "" : error_->message.c_str(); }

}  // namespace axiscast

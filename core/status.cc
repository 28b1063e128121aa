// Status codes, their names, and errors.
#include "axiscast/status.h"

#include <algorithm>
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
  const char* message;
};

Status::Status(StatusCode code, std::string_view message) noexcept {
  struct OwnError : Error {
    OwnError(StatusCode its_code, std::string_view its_text) : Error{its_code, nullptr}, text(its_text) { message = text.c_str(); }
    const std::string text;
  };
  struct AllErrors {
    constexpr AllErrors() {
      for (std::size_t i = 0; i < kCodeCount; ++i) list[i] = {static_cast<StatusCode>(i), ""};
    }
    Error list[kCodeCount] = {};
  };
  static constexpr AllErrors kWithoutMessage;
  if (code == StatusCode::kOk) return;
  const std::size_t index = std::min(static_cast<std::size_t>(code), kCodeCount - 1);
  try {
    if (!message.empty()) error_ = std::make_shared<const OwnError>(static_cast<StatusCode>(index), message);
  } catch (const std::exception&) {  // no memory: the code alone has to do
  }
  if (error_ != nullptr) return;
  error_ = std::shared_ptr<const Error>(std::shared_ptr<const Error>(), &kWithoutMessage.list[index]);  // owns nothing
}

StatusCode Status::code() const noexcept { return ok() ? StatusCode::kOk : error_->code; }

const char* Status::message() const noexcept { return ok() ? "" : error_->message; }

}  // namespace axiscast

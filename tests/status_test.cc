// Status: codes, names, messages that copies share.
#include "axiscast/status.h"

#include <gtest/gtest.h>

#include <utility>

namespace axiscast {
namespace {

TEST(Status, OkHasNoMessage) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), StatusCode::kOk);
  EXPECT_STREQ(Status().message(), "");
  EXPECT_STREQ(Status(StatusCode::kOk, "not kept").message(), "");
}

TEST(Status, CopiesShareTheMessage) {
  const char* message = nullptr;
  Status copy;
  {
    const Status status(StatusCode::kInvalidShape, "shapes");
    EXPECT_FALSE(status.ok());
    message = status.message();
    copy = status;
  }
  EXPECT_EQ(copy.message(), message);
  EXPECT_STREQ(copy.message(), "shapes");
  EXPECT_EQ(copy.code(), StatusCode::kInvalidShape);
}

TEST(Status, MovesAreCopies) {
  Status error(StatusCode::kOutOfRange, "axis");
  const Status moved = std::move(error);
  EXPECT_EQ(error.code(), StatusCode::kOutOfRange);  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_STREQ(moved.message(), "axis");
}

TEST(Status, ACodeWithoutMessageIsKept) {
  const Status status(StatusCode::kUnsupported, "");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_STREQ(status.message(), "");
}

TEST(Status, ACodeThatIsNoneIsInternal) {
  for (const char* message : {"", "text"}) {
    const Status status(static_cast<StatusCode>(99), message);
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_STREQ(status.message(), message);
  }
}

TEST(Status, KeepsAMessageThatIsNotTerminated) {
  const std::string text = "one two";
  EXPECT_STREQ(Status(StatusCode::kInternal, std::string_view(text).substr(0, 3)).message(), "one");
}

TEST(Status, NamesEveryCode) {
  const char* const names[] = {"kOk",         "kInvalidArgument", "kInvalidShape", "kUnsupportedDType", "kUnknownName",
                               "kOutOfRange", "kDivisionByZero",  "kOutOfMemory",  "kUnsupported",      "kInternal"};
  const StatusCode codes[] = {
      StatusCode::kOk,          StatusCode::kInvalidArgument, StatusCode::kInvalidShape,   StatusCode::kUnsupportedDType,
      StatusCode::kUnknownName, StatusCode::kOutOfRange,      StatusCode::kDivisionByZero, StatusCode::kOutOfMemory,
      StatusCode::kUnsupported, StatusCode::kInternal};
  for (std::size_t i = 0; i < std::size(codes); ++i) EXPECT_STREQ(NameOf(codes[i]), names[i]);
  EXPECT_STREQ(NameOf(static_cast<StatusCode>(99)), "invalid");
  EXPECT_STREQ(NameOf(static_cast<StatusCode>(-1)), "invalid");
}

}  // namespace
}  // namespace axiscast

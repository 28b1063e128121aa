// The resolver allocates nothing unless it fails, and survives having no memory for the message.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "axiscast/infer.h"
#include "core/near_names.h"
#include "core/resolve.h"

namespace {

int allocations = 0;
bool out_of_memory = false;

}  // namespace

// Not inlined: gcc would see free() meet the memory of an operator new, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  void* memory = out_of_memory ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace axiscast {
namespace {

// While it lives, every operator new throws.
struct OutOfMemory {
  OutOfMemory() { out_of_memory = true; }
  ~OutOfMemory() { out_of_memory = false; }
};

const Shape kOperands[] = {{8, 64, 7, 7}, {64}};

TEST(Resolve, AllocatesNothingWhenItSucceeds) {
  const Shape out = {3, 8, 64, 7, 7};
  ResolveOptions options;
  options.axis = 1;
  Shape shape;
  int first[2];
  TensorView view;
  const int before = allocations;
  bool ok = ResolveShape(kOperands, 2, options, &shape).ok() && ResolveInPlace(kOperands, 2, options).ok();
  ok = ok && ResolveOut(kOperands, 2, options, out).ok() && Resolve(kOperands, 2, options, {&out, false}, &shape, first).ok();
  ok = ok && BroadcastTo(TensorView(nullptr, DType::kFloat32, kOperands[1]), kOperands[0], 1, &view).ok();
  Mode mode;
  ok = ok && FindMode("same_rank", &mode).ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(ok);
}

TEST(Infer, AllocatesNothingWhenItSucceeds) {
  const SymbolicShape operands[] = {{"N", 64, "H", "?"}, {"C"}};
  const SymbolicShape out = {3, "N", 64, "H", 7};
  const Shape bound[] = {{8, 64, 7, 7}, {64}};
  ResolveOptions options;
  options.axis = 1;
  SymbolicShape inferred;
  Shape shape;
  const int before = allocations;
  bool ok = InferShape(operands, 2, options, &inferred).ok() && InferInPlace(operands, 2, options, &inferred).ok();
  ok = ok && InferOut(operands, 2, options, out, &inferred).ok() && BindShape(operands, bound, 2, options, &shape).ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(ok);
}

TEST(Resolve, PairsWithoutAllocating) {
  const Shape operands[] = {{4}, {2, 2}};
  ResolveOptions options;
  options.mode = Mode::kLegacyPointwise;
  Shape shape;
  const int before = allocations;
  const bool ok = ResolveShape(operands, 2, options, &shape).ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(ok);
}

TEST(Patterns, AreCheckedWithoutAllocating) {
  using Call = DeclaredCall<Declared<kN, 64, kN, kN>, Declared<64, kB, kB>>;
  const Shape operands[] = {{8, 64, 7, 7}, {64, 1, 1}};
  ResolveOptions options;
  options.patterns = Call::kPatterns;
  Pattern pattern;
  Shape shape;
  const int before = allocations;
  const bool ok = ResolvePatterns(2, options, &pattern).ok() && ResolveShape(operands, 2, options, &shape).ok();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(ok);
}

TEST(Diagnose, ReportsWithoutMemoryForTheMessage) {
  const Shape operands[] = {{4, 1}, {4}};
  std::string message = "not told";
  ResolveOptions options;
  options.diagnostics.context = &message;
  options.diagnostics.report = [](void* context, DiagnosticCode, const char* text) { *static_cast<std::string*>(context) = text; };
  Shape shape;
  Status status;
  {
    const OutOfMemory here;
    status = ResolveShape(operands, 2, options, &shape);
  }
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(message, "");
}

TEST(Infer, SaysThatThereIsNoMemoryForTheMessage) {
  const SymbolicShape operands[] = {{"N", 2}, {3}};
  const Shape bound[] = {{1, 1}, {3}};
  SymbolicShape inferred = {17};
  Shape shape = {17};
  Status status, bind_status;
  {
    const OutOfMemory here;
    status = InferShape(operands, 2, {}, &inferred);
    bind_status = BindShape(operands, bound, 2, {}, &shape);
  }
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(bind_status.code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(inferred, (SymbolicShape{17}));
  EXPECT_EQ(shape, (Shape{17}));
}

TEST(Resolve, SaysThatThereIsNoMemoryForTheMessage) {
  Shape shape = {17};
  Status status;
  {
    const OutOfMemory here;
    status = ResolveShape(kOperands, 2, {}, &shape);
  }
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_STREQ(status.message(), "");
  EXPECT_EQ(shape, (Shape{17}));
}

TEST(FindMode, SaysThatThereIsNoMemoryForTheMessage) {
  Mode mode = Mode::kNone;
  Status status;
  {
    const OutOfMemory here;
    status = FindMode("diagonal", &mode);
  }
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(mode, Mode::kNone);
}

TEST(Status, KeepsItsCodeWithoutMemory) {
  const OutOfMemory here;
  EXPECT_EQ(Status(StatusCode::kInvalidShape, "a message that does not fit in the string itself").code(),
            StatusCode::kInvalidShape);
}

}  // namespace
}  // namespace axiscast

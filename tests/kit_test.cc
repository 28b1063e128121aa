// Ops made with the kit: right ones run anywhere on shapes and beside built-in ops, wrong ones are found by the conformance checks.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kit_test.cc"
#include "axiscast/kit/kit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace own {
namespace HWY_NAMESPACE {
using namespace axiscast;
using namespace axiscast::HWY_NAMESPACE;

// What these ops have in common: one loop for all kinds, which compiles faster.
struct OwnBinary {
  using Class = Binary;
  static constexpr Kinds kKinds = kFloats;
  template <typename T>
  static constexpr bool kCompact = true;
};

struct TwiceDifference : OwnBinary {
  static constexpr OpInfo kInfo{.name = "twice_difference",
                                .arity = 2,
                                .doc = "out = 2 * (x - y)",
                                .gradient = "multiply(2, dout); negative(twice_difference(dout, 0))"};
  template <typename T>
  static T Scalar(T x, T y) {
    return 2 * (x - y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    return hn::Mul(hn::Set(d, T{2}), hn::Sub(x, y));
  }
};

struct Exchanged : OwnBinary {
  static constexpr OpInfo kInfo{.name = "exchanged", .arity = 2, .doc = "out = x - y"};
  template <typename T>
  static T Scalar(T x, T y) {
    return x - y;
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    return hn::Sub(y, x);
  }
};

// Wrong in one value only.
struct ForgetsNegativeZero : OwnBinary {
  static constexpr OpInfo kInfo{.name = "forgets_negative_zero", .arity = 2, .doc = "out = x"};
  template <typename T>
  static T Scalar(T x, T) {
    return x;
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V) {
    return hn::Add(x, hn::Zero(d));
  }
};

using OwnOps = OpList<TwiceDifference, Exchanged, ForgetsNegativeZero>;
const TargetRow* OwnRows() { return RowsOf(OwnOps()); }

}  // namespace HWY_NAMESPACE
}  // namespace own
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include "axiscast/axiscast.h"
#include "axiscast/kit/add_ops.h"
#include "axiscast/kit/testing/conformance.h"

namespace own {
HWY_EXPORT(OwnRows);
namespace {
std::vector<axiscast::TargetOps> Ops() { return HWY_NAMESPACE::OpsOfTargets(HWY_NAMESPACE::OwnOps(), HWY_DISPATCH_TABLE(OwnRows)); }
}  // namespace
}  // namespace own

namespace axiscast {
namespace {

// What the first check that fails says.
std::string WhatIsWrong(const OpDefinition& op) {
  testing::Conformance conformance(op);
  for (const testing::ConformanceCheck& check : testing::kConformanceChecks) {
    const std::string wrong = (conformance.*check.run)();
    if (!wrong.empty()) return std::string(check.name) + ": " + wrong;
  }
  return "";
}

TEST(Kit, HasTheOpsForEachTargetOfThisCPU) {
  const std::vector<TargetOps> all = own::Ops();
  std::vector<const char*> targets = Registry::SupportedTargets();  // of the same build, and so the same ones
  // But for that which a few of the library's files have alone.
  if (std::string_view(targets[0]) == "AVX3_SPR" && std::string_view(all[0].target) != targets[0]) targets.erase(targets.begin());
  ASSERT_EQ(all.size(), targets.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_STREQ(all[i].target, targets[i]);
    ASSERT_EQ(all[i].ops.size(), 3u);
    EXPECT_EQ(all[i].ops[0].kernels.size(), 4u);
  }
}

TEST(Kit, ARightOpPassesEveryCheck) {
  for (const TargetOps& of_target : own::Ops()) EXPECT_EQ(WhatIsWrong(of_target.ops[0]), "") << of_target.target;
}

TEST(Kit, AWrongVectorIsFound) {
  for (const TargetOps& of_target : own::Ops()) {
    EXPECT_EQ(
        WhatIsWrong(of_target.ops[1]),
        "EveryLengthSplatPatternAndMisalignment: got 0.0303497314453125, reference -0.0303497314453125 at row 0, col 0 of 1 x 1; "
        "float16 -0.0301055908203125, float16 0.000244140625")
        << of_target.target;
    EXPECT_EQ(WhatIsWrong(of_target.ops[2]),
              "EveryLengthSplatPatternAndMisalignment: got 0, reference -0 at row 0, col 12 of 1 x 15; float16 -0, float16 12")
        << of_target.target;
  }
}

// Kernels that touch what is beside their tile.
void WritesBefore(const Tile& tile, const void* const* inputs, void* result) {
  auto* out = static_cast<std::byte*>(result);
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = tile.cols > 2 ? -1 : 0; c < tile.cols; ++c) {
      const std::int64_t x = tile.in[0].splat || c < 0 ? 0 : c;
      out[r * tile.out_row_stride + c] = static_cast<const std::byte*>(inputs[0])[r * tile.in[0].row_stride + x];
    }
  }
}
void WritesInput(const Tile& tile, const void* const* inputs, void* result) {
  WritesBefore({1, 1, {tile.in[0]}, 0, nullptr}, inputs, result);
  static_cast<std::byte*>(const_cast<void*>(inputs[0]))[0] ^= std::byte{1};
}
void Right(const Tile& tile, const void* const* inputs, void* result) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      const std::int64_t x = r * tile.in[0].row_stride + (tile.in[0].splat ? 0 : c);
      static_cast<std::byte*>(result)[r * tile.out_row_stride + c] = static_cast<const std::byte*>(inputs[0])[x];
    }
  }
}

OpDefinition CopyBy(KernelFunction run) {
  OpDefinition op = {{.name = "copy", .arity = 1, .doc = "out = x"}, {}};
  Kernel kernel = {};
  kernel.inputs[0] = kernel.output = DType::kInt8;
  kernel.run = run;
  kernel.reference = &Right;
  op.kernels.push_back(kernel);
  return op;
}

TEST(Kit, AWriteOutsideOfTheTileIsFound) {
  EXPECT_EQ(WhatIsWrong(CopyBy(&Right)), "");
  EXPECT_EQ(WhatIsWrong(CopyBy(&WritesBefore)),
            "EveryLengthSplatPatternAndMisalignment: wrote byte -1 from the first, outside of the tile of 1 x 3");
  EXPECT_EQ(WhatIsWrong(CopyBy(&WritesInput)), "EveryLengthSplatPatternAndMisalignment: wrote to input 0");
}

TEST(Kit, ADefinitionThatARegistryRefusesIsFound) {
  OpDefinition op = CopyBy(&Right);
  op.info.gradient = "multiply(dout, nobody)";
  EXPECT_EQ(
      WhatIsWrong(op),
      "IsAccepted: registry: op copy: its gradient cannot be read: there is no operand or attribute \"nobody\" at character 16 of "
      "\"multiply(dout, nobody)\"");
  op = CopyBy(&Right);
  op.kernels[0].reference = nullptr;
  EXPECT_EQ(WhatIsWrong(op), "HasReferences: a kernel has no reference");
}

TEST(Kit, OpsAreAddedForTheTargetOfTheRegistry) {
  const std::vector<TargetOps> all = own::Ops();
  for (const TargetOps& of_target : all) {
    const Registry* parent = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(of_target.target, &parent).ok());
    RegistryBuilder builder(*parent);
    ASSERT_TRUE(AddOps(all, parent->target(), &builder).ok());
    const Registry registry = builder.Build();
    const Op* op = registry.Find("twice_difference");
    ASSERT_NE(op, nullptr);
    EXPECT_EQ(op->kernels()[0].run, of_target.ops[0].kernels[0].run) << of_target.target;
  }
  RegistryBuilder unknown(Registry::BuiltIn());
  ASSERT_TRUE(AddOps(all, "Z80", &unknown).ok());
  const Registry registry = unknown.Build();
  EXPECT_EQ(registry.Find("twice_difference")->kernels()[0].run, all.front().ops[0].kernels[0].run);
}

TEST(Kit, OpsThatARegistryRefusesAreNotAdded) {
  RegistryBuilder builder(Registry::BuiltIn());
  Status status = AddOps({}, "AVX2", &builder);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_STREQ(status.message(), "registry: there are no ops for any target of this CPU");
  ASSERT_TRUE(AddOps(own::Ops(), "", &builder).ok());
  status = AddOps(own::Ops(), "", &builder);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "registry: op twice_difference: the name twice_difference is already taken");
}

// out = 2 * (x - y) over [3, 5] and [3, 1]; all values are exact in all floats.
template <typename T>
void ExpectBroadcastAndGradient(const Registry& registry) {
  std::vector<T> x, y, out(15), gradient(3);
  for (int i = 0; i < 15; ++i) x.emplace_back(static_cast<float>(i));
  for (int i = 0; i < 3; ++i) y.emplace_back(static_cast<float>(10 * i));
  ASSERT_TRUE(Apply(*registry.Find("twice_difference"), {{x.data(), {3, 5}}, {y.data(), {3, 1}}}, {out.data(), {3, 5}}).ok());
  for (int i = 0; i < 15; ++i) EXPECT_EQ(static_cast<float>(out[static_cast<std::size_t>(i)]), 2 * (i - 10 * (i / 5))) << i;
  ApplyOptions options;
  options.attributes = {{"wrt", 1}};
  ASSERT_TRUE(Apply(*registry.Find("twice_difference_grad"), {{x.data(), {3, 5}}, {y.data(), {3, 1}}, {x.data(), {3, 5}}},
                    {gradient.data(), {3, 1}}, options)
                  .ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(static_cast<float>(gradient[static_cast<std::size_t>(i)]), -2 * (25 * i + 10)) << i;
}

TEST(Kit, BroadcastsAndRunsInChainsOnEveryFloat) {
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(AddOps(own::Ops(), Registry::BuiltIn().target(), &builder).ok());
  const Registry registry = builder.Build();
  ExpectBroadcastAndGradient<float>(registry);
  ExpectBroadcastAndGradient<double>(registry);
  ExpectBroadcastAndGradient<Float16>(registry);
  ExpectBroadcastAndGradient<BFloat16>(registry);
}

}  // namespace
}  // namespace axiscast
#endif  // HWY_ONCE

// Registries of one's own on top of others, and the definitions that they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <ostream>
#include <vector>

#include "axiscast/plan.h"
#include "axiscast/registry.h"
#include "tests/testing/mix_ops.h"

namespace axiscast {
namespace {

// An op of one's own: out = 10 x + y, by a scalar loop.
void TenfoldTile(const Tile& tile, const void* const* inputs, void* result) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      float* out = reinterpret_cast<float*>(static_cast<std::byte*>(result) + r * tile.out_row_stride);
      out[c] = 10 * test::ElementAt<float>(tile.in[0], inputs[0], r, c) + test::ElementAt<float>(tile.in[1], inputs[1], r, c);
    }
  }
}
OpDefinition Tenfold(const char* name = "tenfold", const char* aliases = "") {
  OpInfo info{name, 2, "out = 10 x + y"};
  info.aliases = aliases;
  return {info, {{{DType::kFloat32, DType::kFloat32}, DType::kFloat32, {}, &TenfoldTile}}};
}

TEST(OwnRegistry, RunsItsOpsWithEveryBroadcast) {
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(Tenfold("tenfold", "ten Ten")).ok());
  const Registry registry = builder.Build();
  EXPECT_STREQ(registry.target(), Registry::BuiltIn().target());
  EXPECT_EQ(registry.ops().size(), Registry::BuiltIn().ops().size() + 1);
  EXPECT_TRUE(std::is_sorted(registry.ops().begin(), registry.ops().end(),
                             [](const Op* x, const Op* y) { return std::strcmp(x->name(), y->name()) < 0; }));
  EXPECT_EQ(registry.Find("add"), FindOp("add"));
  const Op* op = registry.Find("Ten");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(FindOp("tenfold"), nullptr);
  // Each dim of each operand is stretched or not.
  constexpr std::int64_t kExtents[] = {3, 4, 5};
  for (int pattern = 0; pattern < 64; ++pattern) {
    Shape x_shape{3, 4, 5}, y_shape{3, 4, 5};
    for (int d = 0; d < 3; ++d) {
      if ((pattern >> d) & 1) x_shape[d] = 1;
      if ((pattern >> (3 + d)) & 1) y_shape[d] = 1;
    }
    std::vector<float> x(60), y(60), out(60, -1);
    for (std::size_t i = 0; i < 60; ++i) x[i] = static_cast<float>(i), y[i] = static_cast<float>(1000 * i);
    const Status status = Apply(*op, {{x.data(), x_shape}, {y.data(), y_shape}}, {out.data(), {3, 4, 5}});
    ASSERT_TRUE(status.ok()) << status.message();
    const auto at = [&](const Shape& shape, std::int64_t i, std::int64_t j, std::int64_t k) {
      i = shape[0] == 1 ? 0 : i, j = shape[1] == 1 ? 0 : j, k = shape[2] == 1 ? 0 : k;
      return static_cast<std::size_t>((i * shape[1] + j) * shape[2] + k);
    };
    for (std::int64_t i = 0; i < kExtents[0]; ++i) {
      for (std::int64_t j = 0; j < kExtents[1]; ++j) {
        for (std::int64_t k = 0; k < kExtents[2]; ++k) {
          ASSERT_EQ(out[static_cast<std::size_t>((i * 4 + j) * 5 + k)], 10 * x[at(x_shape, i, j, k)] + y[at(y_shape, i, j, k)])
              << pattern;
        }
      }
    }
  }
}

TEST(OwnRegistry, HidesTheParentsOp) {
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(Tenfold("add")).ok());
  Registry registry = builder.Build();
  EXPECT_EQ(registry.ops().size(), Registry::BuiltIn().ops().size());
  EXPECT_STREQ(registry.Find("add")->info().doc, "out = 10 x + y");
  EXPECT_STRNE(registry.Find("elementwise_add")->info().doc, "out = 10 x + y") << "an alias of the parent's op is still that op's";
  for (const Op* op : registry.ops()) EXPECT_EQ(op, registry.Find(op->name()));
  const Registry moved = std::move(registry);
  EXPECT_STREQ(moved.Find("add")->info().doc, "out = 10 x + y");
  // On top of one's own.
  RegistryBuilder second(moved);
  ASSERT_TRUE(second.Add(Tenfold()).ok());
  const Registry top = second.Build();
  EXPECT_EQ(top.Find("add"), moved.Find("add"));
  EXPECT_EQ(top.ops().size(), moved.ops().size() + 1);
}

// A registry knows its parent wherever that is moved.
TEST(OwnRegistry, FindsTheOpsOfAParentThatWasMoved) {
  RegistryBuilder first(Registry::BuiltIn());
  ASSERT_TRUE(first.Add(Tenfold("of_the_parent")).ok());
  Registry parent = first.Build();
  RegistryBuilder second(parent);
  ASSERT_TRUE(second.Add(Tenfold("of_the_child")).ok());
  const Registry child = second.Build();
  const Registry moved = std::move(parent);
  EXPECT_NE(child.Find("of_the_parent"), nullptr);
  EXPECT_EQ(child.Find("of_the_parent"), moved.Find("of_the_parent"));
  EXPECT_NE(child.Find("add"), nullptr);
}

TEST(OwnRegistry, IsOutlivedByItsPlans) {
  Plan plan;
  {
    RegistryBuilder builder(Registry::BuiltIn());
    ASSERT_TRUE(builder.Add(Tenfold()).ok());
    const Registry registry = builder.Build();
    const MutableTensorView shape(static_cast<float*>(nullptr), {4});
    ASSERT_TRUE(Plan::Make(*registry.Find("tenfold"), {shape, shape}, shape, {}, &plan).ok());
  }
  float memory[] = {1, 2, 3, 4, 5}, y[] = {0, 0, 0, 0};
  const Status status = plan.Execute({memory, y}, memory + 1);  // overlap: the plan is looked at again
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(memory[1], 10);
  EXPECT_EQ(memory[4], 40);
}

TEST(OwnRegistry, ABuilderIsUsedOnce) {
  RegistryBuilder builder(Registry::BuiltIn());
  const Registry registry = builder.Build();
  const Status status = builder.Add(Tenfold());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "registry: the builder has been used; make a new one");
  EXPECT_EQ(registry.ops(), Registry::BuiltIn().ops());
}

struct BadDefinition {
  const char* name;
  void (*spoil)(OpDefinition* definition);
  const char* message;
};
void PrintTo(const BadDefinition& bad, std::ostream* os) { *os << bad.name; }

const BadDefinition kBadDefinitions[] = {
    {"no_name", [](OpDefinition* d) { d->info.name = ""; }, "registry: an op needs a name"},
    {"null_name", [](OpDefinition* d) { d->info.name = nullptr; }, "registry: an op needs a name"},
    {"two_words", [](OpDefinition* d) { d->info.name = "ten fold"; }, "registry: an op's name must be one word; got \"ten fold\""},
    {"arity_0", [](OpDefinition* d) { d->info.arity = 0; }, "registry: op tenfold: arity must be 1 to 4; got 0"},
    {"arity_5", [](OpDefinition* d) { d->info.arity = 5; }, "registry: op tenfold: arity must be 1 to 4; got 5"},
    {"null_doc", [](OpDefinition* d) { d->info.doc = nullptr; }, "registry: op tenfold: a text is null; use \"\""},
    {"null_aliases", [](OpDefinition* d) { d->info.aliases = nullptr; }, "registry: op tenfold: a text is null; use \"\""},
    {"operands", [](OpDefinition* d) { d->info.operands = "x y z"; },
     "registry: op tenfold: operands must name 2 inputs; got \"x y z\""},
    {"attributes_7", [](OpDefinition* d) { d->info.attribute_count = 7; }, "registry: op tenfold: at most 6 attributes; got 7"},
    {"attribute_type",
     [](OpDefinition* d) {
       d->info.attribute_count = 1;
       d->info.attributes[0] = {.name = "shape", .type = AttributeType::kShape};
     },
     "registry: op tenfold: the type of attribute shape must be kNumber, as all of an elementwise op"},
    {"attribute_without_name", [](OpDefinition* d) { d->info.attribute_count = 1; },
     "registry: op tenfold: attribute 0 has no name"},
    {"attribute_with_empty_name",
     [](OpDefinition* d) {
       d->info.attribute_count = 1;
       d->info.attributes[0].name = "";
     },
     "registry: op tenfold: an attribute's name must be one word; got \"\""},
    {"checked_operand", [](OpDefinition* d) { d->info.checked_operand = 2; },
     "registry: op tenfold: checked_operand must be -1 or an input; got 2"},
    {"no_kernel", [](OpDefinition* d) { d->kernels.clear(); }, "registry: op tenfold: an op needs a kernel"},
    {"no_function", [](OpDefinition* d) { d->kernels[0].run = nullptr; }, "registry: op tenfold: kernel 0 has no function"},
    {"invalid_dtype", [](OpDefinition* d) { d->kernels[0].inputs[1] = static_cast<DType>(99); },
     "registry: op tenfold: kernel 0 has an invalid dtype"},
    {"permutes_of_one",
     [](OpDefinition* d) {
       d->info.arity = 1;
       d->kernels[0].abilities.permutes = 16;
     },
     "registry: op tenfold: kernel 0 permutes inputs, which is for ops with two; this one has 1"},
    {"permutes_too_many", [](OpDefinition* d) { d->kernels[0].abilities.permutes = 65; },
     "registry: op tenfold: kernel 0: permutes must be 0 to 64 lanes; got 65"},
    {"permutes_fewer_than_none", [](OpDefinition* d) { d->kernels[0].abilities.permutes = -1; },
     "registry: op tenfold: kernel 0: permutes must be 0 to 64 lanes; got -1"},
    {"transposes_of_one",
     [](OpDefinition* d) {
       d->info.arity = 1;
       d->kernels[0].abilities.transposes = true;
     },
     "registry: op tenfold: kernel 0 transposes inputs, which is for ops with two; this one has 1"},
    {"keeps_of_one",
     [](OpDefinition* d) {
       d->info.arity = 1;
       d->kernels[0].abilities.keeps = true;
     },
     "registry: op tenfold: kernel 0 keeps inputs, which is for ops with two; this one has 1"},
    {"recurs_of_one",
     [](OpDefinition* d) {
       d->info.arity = 1;
       d->kernels[0].abilities.recurs = 16;
     },
     "registry: op tenfold: kernel 0 takes recurring inputs, which is for ops with two; this one has 1"},
    {"widens_of_one",
     [](OpDefinition* d) {
       d->info.arity = 1;
       d->kernels[0].abilities.widens = 2048;
     },
     "registry: op tenfold: kernel 0 widens inputs, which is for ops with two; this one has 1"},
    {"recurs_after_fewer_than_none", [](OpDefinition* d) { d->kernels[0].abilities.recurs = -1; },
     "registry: op tenfold: kernel 0: recurs must not be negative; got -1"},
    {"widens_fewer_than_none", [](OpDefinition* d) { d->kernels[0].abilities.widens = -1; },
     "registry: op tenfold: kernel 0: widens must not be negative; got -1"},
    {"cycles_that_are_no_number", [](OpDefinition* d) { d->kernels[0].cycles = std::numeric_limits<double>::quiet_NaN(); },
     "registry: op tenfold: kernel 0: cycles and cycles_by_splat must be finite and not negative; got nan and 0.000000"},
    {"negative_cycles", [](OpDefinition* d) { d->kernels[0].cycles_by_splat = -1; },
     "registry: op tenfold: kernel 0: cycles and cycles_by_splat must be finite and not negative; got 1.000000 and -1.000000"},
    {"gradient_of_nothing", [](OpDefinition* d) { d->info.gradient = "none; none"; },
     "registry: op tenfold: its gradient is none for every input; leave it empty"},
    {"check_of_nothing", [](OpDefinition* d) { d->kernels[0].check = [](const Tile&, const void*) { return false; }; },
     "registry: op tenfold: kernel 0 has a check, but checked_operand is -1"},
    {"check_without_code",
     [](OpDefinition* d) {
       d->info.checked_operand = 1;
       d->kernels[0].check = [](const Tile&, const void*) { return true; };
     },
     "registry: op tenfold: kernel 0 has a check, so the op needs a check_code, one other than kOk, and a check_message"},
    {"check_with_no_such_code",
     [](OpDefinition* d) {
       d->info.checked_operand = 1;
       d->info.check_code = static_cast<StatusCode>(99);
       d->info.check_message = "a nine";
       d->kernels[0].check = [](const Tile&, const void*) { return true; };
     },
     "registry: op tenfold: kernel 0 has a check, so the op needs a check_code, one other than kOk, and a check_message"},
    {"attribute_with_null_doc",
     [](OpDefinition* d) {
       d->info.attribute_count = 1;
       d->info.attributes[0] = {"p", nullptr};
     },
     "registry: op tenfold: the doc of attribute p is null; use \"\""},
    {"attribute_twice",
     [](OpDefinition* d) {
       d->info.attribute_count = 2;
       d->info.attributes[0].name = d->info.attributes[1].name = "p";
     },
     "registry: op tenfold: attribute p is there twice"},
    {"kernel_twice", [](OpDefinition* d) { d->kernels.push_back(d->kernels[0]); },
     "registry: op tenfold: kernel 1 has the dtypes of kernel 0"},
    {"alias_twice", [](OpDefinition* d) { d->info.aliases = "ten ten"; }, "registry: op tenfold: the name ten is already taken"},
    {"alias_is_the_name", [](OpDefinition* d) { d->info.aliases = "tenfold"; },
     "registry: op tenfold: the name tenfold is already taken"},
    {"alias_of_another", [](OpDefinition* d) { d->info.aliases = "other_alias"; },
     "registry: op tenfold: the name other_alias is already taken"},
};

class RefusedDefinition : public testing::TestWithParam<BadDefinition> {};

TEST_P(RefusedDefinition, WithThisMessageAndNothingAdded) {
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(Tenfold("other", "other_alias")).ok());
  OpDefinition definition = Tenfold();
  GetParam().spoil(&definition);
  const Status status = builder.Add(definition);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), GetParam().message);
  const Registry registry = builder.Build();
  EXPECT_EQ(registry.ops().size(), Registry::BuiltIn().ops().size() + 1);
  EXPECT_EQ(registry.Find("tenfold"), nullptr);
}
INSTANTIATE_TEST_SUITE_P(Table, RefusedDefinition, testing::ValuesIn(kBadDefinitions),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace axiscast

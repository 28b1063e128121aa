// The built-in registries, and registries of one's own on top of them.
#include "axiscast/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <map>
#include <ostream>
#include <sstream>
#include <string>

#include "axiscast/plan.h"
#include "core/form.h"
#include "core/kernel.h"
#include "core/registry.h"
#include "tests/testing/mix_ops.h"

namespace axiscast {
namespace {

std::string Joined(const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

TEST(BuiltInRegistry, ListsEveryOpOnceSortedAndDescribed) {
  const std::vector<const Op*>& ops = Registry::BuiltIn().ops();
  ASSERT_GT(ops.size(), 40u);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpInfo& info = ops[i]->info();
    SCOPED_TRACE(info.name);
    EXPECT_STREQ(ops[i]->name(), info.name);
    if (i > 0) {
      EXPECT_LT(std::strcmp(ops[i - 1]->name(), ops[i]->name()), 0);
    }
    EXPECT_STRNE(info.doc, "");
    EXPECT_EQ(std::string(info.doc).find('\n'), std::string::npos) << "one line";
    EXPECT_STRNE(info.source, "");
    EXPECT_GE(info.max_ulp, 0);
    EXPECT_FALSE(ops[i]->kernels().empty());
    for (int a = 0; a < info.attribute_count; ++a) EXPECT_STRNE(info.attributes[a].doc, "");
    for (const Kernel& kernel : ops[i]->kernels()) {
      EXPECT_EQ(ops[i]->FindKernel(kernel.inputs), &kernel);
      EXPECT_EQ(kernel.run != nullptr, ops[i]->elementwise());
      EXPECT_EQ(kernel.reference != nullptr, ops[i]->elementwise());
    }
  }
}

// Nothing that MakeBuiltIn() could have refused is missing.
TEST(BuiltInRegistry, HasEveryOpOfEveryTarget) {
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target.name, &registry).ok());
    EXPECT_STREQ(registry->target(), target.name);
    const std::vector<OpDefinition> definitions = BuiltInOps(target.bit);
    const auto gradients = std::count_if(definitions.begin(), definitions.end(),
                                         [](const OpDefinition& definition) { return *definition.info.gradient != '\0'; });
    EXPECT_EQ(registry->ops().size(), definitions.size() + BuiltInForms().size() + static_cast<std::size_t>(gradients));
    for (const Form* form : BuiltInForms()) EXPECT_NE(registry->Find(form->info.name), nullptr) << form->info.name;
    for (const OpDefinition& definition : definitions)
      EXPECT_NE(registry->Find(definition.info.name), nullptr) << definition.info.name;
  }
}

TEST(BuiltInRegistry, FindsAnOpByEveryAlias) {
  int aliases = 0;
  for (const Op* op : Registry::BuiltIn().ops()) {
    std::istringstream words(op->info().aliases);
    for (std::string alias; words >> alias; ++aliases) {
      const Op* found = FindOp(alias);
      ASSERT_NE(found, nullptr) << alias;
      EXPECT_EQ(found->name(), alias) << "messages use the name that was asked for";
      EXPECT_EQ(&found->info(), &op->info());
    }
  }
  EXPECT_GT(aliases, 40);
  EXPECT_STREQ(FindOp("elementwise_add")->info().name, "add");
  EXPECT_STREQ(FindOp("Add")->info().name, "add");
}

TEST(BuiltInRegistry, OffersNearNames) {
  EXPECT_EQ(FindOp("ad"), nullptr);
  const Op* op = FindOp("add");
  const Status status = Registry::BuiltIn().Find("elementwise_addd", &op);
  EXPECT_EQ(status.code(), StatusCode::kUnknownName);
  EXPECT_EQ(op, FindOp("add")) << "untouched";
  const std::string message = status.message();
  EXPECT_EQ(message.find("there is no op \"elementwise_addd\"; did you mean elementwise_add"), 0u) << message;
  const std::size_t list = message.find("there are: ");
  ASSERT_NE(list, std::string::npos);
  for (const Op* known : Registry::BuiltIn().ops()) {
    const bool gradient = std::string_view(known->name()).ends_with("_grad");
    EXPECT_EQ(message.find(known->name(), list) == std::string::npos, gradient) << known->name();
  }
  const Status none = Registry::BuiltIn().Find("elementwise_floordiv_grad", &op);
  EXPECT_EQ(none.code(), StatusCode::kUnsupported);
  EXPECT_STREQ(none.message(), "there is no op \"elementwise_floordiv_grad\": the op floor_divide has no gradient");
  const std::string of_gradients = Registry::BuiltIn().Find("ad_grad", &op).message();
  EXPECT_EQ(of_gradients.find("there is no op \"ad_grad\"; did you mean add_grad"), 0u) << of_gradients;
}

TEST(BuiltInRegistry, IsThereForEverySupportedTargetInAnyCase) {
  const std::vector<const char*> supported = Registry::SupportedTargets();
  ASSERT_FALSE(supported.empty());
  EXPECT_STREQ(Registry::BuiltIn().target(), supported.front()) << "the best one";
  for (const char* target : supported) {
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target, &registry).ok());
    EXPECT_STREQ(registry->target(), target);
    std::string lower = target, mixed = target;
    for (char& letter : lower) letter = static_cast<char>(std::tolower(letter));
    mixed[0] = static_cast<char>(std::tolower(mixed[0]));
    for (const std::string& name : {lower, mixed}) {
      const Registry* again = nullptr;
      ASSERT_TRUE(Registry::BuiltInFor(name, &again).ok()) << name;
      EXPECT_EQ(again, registry);
    }
  }
}

TEST(BuiltInRegistry, RefusesOtherTargets) {
  const Registry* registry = nullptr;
  Status status = Registry::BuiltInFor("AVX22", &registry);
  EXPECT_EQ(status.code(), StatusCode::kUnknownName);
  const std::string message = status.message();
  EXPECT_EQ(message.find("there is no target \"AVX22\"; "), 0u) << message;
  for (const char* target : Registry::CompiledTargets()) EXPECT_NE(message.find(target), std::string::npos) << target;
  int unsupported = 0;
  for (const Target& target : BuiltInTargets()) {
    if (target.supported) continue;
    ++unsupported;
    status = Registry::BuiltInFor(target.name, &registry);
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_EQ(status.message(), std::string("target ") + target.name + " is not supported by this CPU; it has " +
                                    Joined(Registry::SupportedTargets()));
  }
  EXPECT_EQ(registry, nullptr);
  if (unsupported == 0) std::printf("this CPU supports every target of this build: kUnsupported was not seen\n");
}

TEST(BuiltInRegistry, KernelsOfTargetsDiffer) {
  std::map<KernelFunction, std::string> owners;
  for (const char* target : Registry::SupportedTargets()) {
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target, &registry).ok());
    const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
    const KernelFunction run = registry->Find("add")->FindKernel(dtypes)->run;
    EXPECT_TRUE(owners.emplace(run, target).second) << target << " has the kernel of " << owners[run];
  }
}

// An op of one's own: out = 10 x + y, by a scalar loop.
void TenfoldTile(const Tile& tile) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      float* out = reinterpret_cast<float*>(static_cast<std::byte*>(tile.out) + r * tile.out_row_stride);
      out[c] = 10 * test::ElementAt<float>(tile.in[0], r, c) + test::ElementAt<float>(tile.in[1], r, c);
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
    {"checked_operand", [](OpDefinition* d) { d->info.checked_operand = 2; },
     "registry: op tenfold: checked_operand must be -1 or an input; got 2"},
    {"no_kernel", [](OpDefinition* d) { d->kernels.clear(); }, "registry: op tenfold: an op needs a kernel"},
    {"no_function", [](OpDefinition* d) { d->kernels[0].run = nullptr; }, "registry: op tenfold: kernel 0 has no function"},
    {"invalid_dtype", [](OpDefinition* d) { d->kernels[0].inputs[1] = static_cast<DType>(99); },
     "registry: op tenfold: kernel 0 has an invalid dtype"},
    {"check_of_nothing", [](OpDefinition* d) { d->kernels[0].check = [](const Tile&) { return false; }; },
     "registry: op tenfold: kernel 0 has a check, but checked_operand is -1"},
    {"check_without_code",
     [](OpDefinition* d) {
       d->info.checked_operand = 1;
       d->kernels[0].check = [](const Tile&) { return true; };
     },
     "registry: op tenfold: kernel 0 has a check, so the op needs a check_code other than kOk and a check_message"},
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

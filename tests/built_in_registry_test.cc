// The built-in registries: what they list and find, for every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "axiscast/registry.h"
#include "core/form.h"
#include "core/kernel.h"
#include "core/registry.h"

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

// Integers are added in any floating-point mode, and moved whatever their bits mean; a quotient of integers is one of floats, and
// shifts go by way of floats on old targets.
TEST(BuiltInRegistry, KernelsForAnyFloatModeComputeNoFloats) {
  const auto any = [](const char* op, std::vector<DType> inputs) { return FindOp(op)->FindKernel(inputs.data())->any_float_mode; };
  EXPECT_TRUE(any("add", {DType::kInt32, DType::kInt32}));
  EXPECT_TRUE(any("less", {DType::kUInt8, DType::kUInt8}));
  EXPECT_TRUE(any("logical_not", {DType::kBool}));
  EXPECT_TRUE(any("where", {DType::kBool, DType::kFloat32, DType::kFloat32}));
  EXPECT_TRUE(any("negative", {DType::kBFloat16}));
  EXPECT_TRUE(any("floor", {DType::kInt64}));
  EXPECT_FALSE(any("add", {DType::kFloat32, DType::kFloat32}));
  EXPECT_FALSE(any("add", {DType::kBFloat16, DType::kBFloat16}));
  EXPECT_FALSE(any("less", {DType::kFloat64, DType::kFloat64}));
  EXPECT_FALSE(any("floor_divide", {DType::kInt32, DType::kInt32}));
  EXPECT_FALSE(any("left_shift", {DType::kInt32, DType::kInt32}));
}

// Which kernels heed permuted inputs: those of short arithmetic that have not plain loops alone, where the target permutes so long
// lanes in one instruction, or in a few (AVX2).
// Here and below, ops that have their loops in every build (CMakePresets.json: AXISCAST_LOOPS_OF), and others.
TEST(BuiltInRegistry, PermutesInputsWhereTheTargetDoes) {
  for (const char* target : Registry::SupportedTargets()) {
    SCOPED_TRACE(target);
    const std::string name = target;
    const bool permutes = name.substr(0, 3) == "AVX";
    const std::size_t least = name == "AVX3" ? 2 : 1;
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target, &registry).ok());
    for (const char* op : {"add", "subtract", "left_shift", "remainder", "equal", "abs"}) {
      const bool is_short = std::strcmp(op, "add") == 0 || std::strcmp(op, "subtract") == 0;
      for (const Kernel& kernel : registry->Find(op)->kernels()) {
        // float16 is permuted as float, where it is converted to it.
        const bool is_float = kernel.inputs[0] == DType::kFloat16 && name != "AVX3_SPR";
        const std::size_t size = is_float ? 4 : SizeOf(kernel.inputs[0]);
        const bool is_bfloat16 = kernel.inputs[0] == DType::kBFloat16;  // in pairs
        const int lanes = static_cast<int>((name == "AVX2" ? 32 : 64) / (is_bfloat16 ? 2 : size));
        EXPECT_EQ(kernel.abilities.permutes, is_short && permutes && size >= least ? lanes : 0)
            << op << " " << NameOf(kernel.inputs[0]);
      }
    }
  }
}

// Which kernels heed transposed inputs: those of short arithmetic that have not plain loops alone, of 4 or 8 bytes, where vectors
// are whole lines.
TEST(BuiltInRegistry, TransposesInputsOfShortArithmetic) {
  for (const char* target : Registry::SupportedTargets()) {
    SCOPED_TRACE(target);
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target, &registry).ok());
    const bool has_lines = std::string_view(target).substr(0, 4) == "AVX3";
    for (const char* op : {"add", "subtract", "left_shift", "remainder", "equal", "abs"}) {
      const bool is_short = std::strcmp(op, "add") == 0 || std::strcmp(op, "subtract") == 0;
      for (const Kernel& kernel : registry->Find(op)->kernels()) {
        EXPECT_EQ(kernel.abilities.transposes, has_lines && is_short && SizeOf(kernel.inputs[0]) >= 4)
            << op << " " << NameOf(kernel.inputs[0]);
      }
    }
  }
}

// Which kernels write results that are a few elements apart: those of short arithmetic and 2 bytes or more, where masked stores are
// instructions.
TEST(BuiltInRegistry, SpreadsResultsOfShortArithmetic) {
  for (const char* target : Registry::SupportedTargets()) {
    SCOPED_TRACE(target);
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target, &registry).ok());
    const std::string_view family = std::string_view(target).substr(0, 4);
    const bool has_masks = family == "AVX3" || family == "AVX1";  // AVX10
    for (const char* op : {"add", "abs", "where", "remainder", "equal"}) {
      const bool is_short = std::strcmp(op, "remainder") != 0;
      for (const Kernel& kernel : registry->Find(op)->kernels()) {
        EXPECT_EQ(kernel.abilities.spreads, has_masks && is_short && SizeOf(kernel.output) >= 2)
            << op << " " << NameOf(kernel.output);
      }
    }
  }
}

// Which kernels keep an input that is the same in all rows in registers, widen it once, or compute long rows abreast.
TEST(BuiltInRegistry, KeepsInputsOfShortArithmeticOrTakesRowsAbreast) {
  for (const char* target : Registry::SupportedTargets()) {
    SCOPED_TRACE(target);
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target, &registry).ok());
    for (const char* op : {"add", "subtract", "left_shift", "remainder", "equal", "abs"}) {
      const bool is_plain = std::strcmp(op, "left_shift") == 0;
      // With SSE2 one loop does for all kinds of inputs.
      const bool is_short =
          (is_plain || std::strcmp(op, "add") == 0 || std::strcmp(op, "subtract") == 0) && std::strcmp(target, "SSE2") != 0;
      for (const Kernel& kernel : registry->Find(op)->kernels()) {
        // Which is no other dtype where it is added as it is.
        const bool is_float16 = kernel.inputs[0] == DType::kFloat16 && std::strcmp(target, "AVX3_SPR") != 0;
        EXPECT_EQ(kernel.abilities.keeps, is_short && !is_plain && !is_float16) << op << " " << NameOf(kernel.inputs[0]);
        const bool is_avx2_or_later = std::strncmp(target, "AVX", 3) == 0;
        EXPECT_EQ(kernel.abilities.recurs > 0, is_avx2_or_later && kernel.abilities.keeps) << op << " " << NameOf(kernel.inputs[0]);
        // AVX2 and later convert float16; other targets may, too.
        const bool halves = is_short && is_float16, converts = is_avx2_or_later;
        EXPECT_TRUE(halves ? !converts || kernel.abilities.widens > 0 : kernel.abilities.widens == 0)
            << op << " " << NameOf(kernel.inputs[0]);
        EXPECT_TRUE(halves ? !converts || kernel.abilities.abreast : kernel.abilities.abreast == is_short)
            << op << " " << NameOf(kernel.inputs[0]);
      }
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

struct ForeignCase {
  const char* name;
  const char* message;  // behind the name
};

// What is said is run against NumPy by gather_cli_test.py.
TEST(BuiltInRegistry, SaysWhatOtherLibrariesOpsAre) {
  const ForeignCase cases[] = {
      {"take_along_axis", "gather with dim, mode=same_rank and wrap_negative=true"},
      {"GatherElements", "gather with dim, mode=prefix and wrap_negative=true"},
      {"gather_elements", "gather with dim, mode=prefix and wrap_negative=true"},
      {"index_select",
       "gather with dim; the index [n] has a 1 in front for each dim before that ([1, n] for dim 1); wrap_negative=true where it "
       "counts from the end"},
      {"embedding", "gather with dim=0 of the table by the tokens, as one dim"},
      {"put_along_axis", "scatter with dim, mode=same_rank and wrap_negative=true"},
      {"ScatterElements", "scatter with dim, mode=prefix and wrap_negative=true"},
      {"scatter_", "scatter with dim and mode=prefix, in place"},
      {"scatter_reduce", "scatter with dim, mode=prefix, reduce and include_self; sum is reduce=add, prod is reduce=mul"},
      {"scatter_add_", "scatter_add with dim and mode=prefix, in place"},
      {"index_add",
       "scatter_add with dim; the index [n] has a 1 in front for each dim before that ([1, n] for dim 1); wrap_negative=true where "
       "it counts from the end"},
      {"reduce_sum", "sum_to with shape, which has a 1 for each dim that is summed over"},
      {"Expand", "broadcast_to with shape, the result's"},
  };
  for (const ForeignCase& c : cases) {
    const Op* op = nullptr;
    const Status status = Registry::BuiltIn().Find(c.name, &op);
    EXPECT_EQ(status.code(), StatusCode::kUnknownName);
    EXPECT_EQ(status.message(), "there is no op \"" + std::string(c.name) + "\"; that is " + c.message);
    EXPECT_EQ(op, nullptr);
  }
}

// An alias would never be told that it is a foreign name; an attribute that is named must be one.
TEST(BuiltInRegistry, ForeignNamesAreNoNamesAndSayAttributesThatThereAre) {
  std::set<std::string> seen;
  for (const Form* form : BuiltInForms()) {
    for (const ForeignName& foreign : form->foreign) {
      for (const std::string& name : SplitWords(foreign.names)) {
        EXPECT_EQ(FindOp(name), nullptr) << name;
        EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
      }
      for (const std::string& word : SplitWords(foreign.how)) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) continue;
        const AttributeInfo* const begin = form->info.attributes;
        const AttributeInfo* const end = begin + form->info.attribute_count;
        const auto named = [&](const AttributeInfo& info) { return word.substr(0, equals) == info.name; };
        EXPECT_NE(std::find_if(begin, end, named), end) << form->info.name << ": " << word;
      }
    }
  }
  EXPECT_GT(seen.size(), 15u);
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
    // Of bytes: most others AVX3_DL has from AVX3, and AVX3_SPR these from AVX3_DL (target_tables_test).
    if (std::strcmp(target, "AVX3_ZEN4") == 0) continue;  // of builds that have all targets: it has all from AVX3_DL
    const DType dtype = std::strcmp(target, "AVX3_SPR") == 0 ? DType::kFloat16 : DType::kInt8;
    const DType dtypes[] = {dtype, dtype};
    const KernelFunction run = registry->Find("add")->FindKernel(dtypes)->run;
    EXPECT_TRUE(owners.emplace(run, target).second) << target << " has the kernel of " << owners[run];
  }
}

}  // namespace
}  // namespace axiscast

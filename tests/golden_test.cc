// Every built-in kernel of every target, and every op's scalar meaning, against NumPy: the results that oracle/numpy_ops.py
// computed. Bit for bit; any NaN equals any NaN. The script's first lines describe the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "axiscast/kit/testing/values.h"
#include "core/kernel.h"

namespace axiscast {
namespace {

using Bytes = std::vector<std::byte>;

struct GoldenCase {
  std::string op;
  std::vector<DType> inputs;
  DType output;
  std::size_t count;  // elements of each input and of the result
  std::vector<Bytes> values;
  Bytes expected;
  DType attribute_dtype;
  std::vector<AttributeSlot> attributes;

  // As in "clip(float32), attributes 0 6".
  std::string Name() const {
    std::string name = op + "(";
    for (const DType dtype : inputs) name.append(&dtype == inputs.data() ? "" : ", ").append(NameOf(dtype));
    name += ")";
    if (!attributes.empty()) name += ", attributes";
    for (const AttributeSlot& slot : attributes) {
      name.append(" ").append(testing::ToText(attribute_dtype, reinterpret_cast<const std::byte*>(slot.bytes)));
    }
    return name;
  }
};

DType ParseDType(const std::string& name) {
  DType dtype = DType::kBool;
  EXPECT_TRUE(FindDType(name, &dtype)) << name;
  return dtype;
}

// The next word of a case's line, which must follow the word `label`.
std::string WordAfter(std::istringstream& line, const char* label) {
  std::string found, word;
  line >> found >> word;
  EXPECT_EQ(found, label) << line.str();
  return word;
}

// Elements, which are little-endian there.
Bytes ReadElements(std::istream& file, std::size_t count, DType dtype) {
  const std::size_t size = SizeOf(dtype);
  Bytes bytes(count * size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  EXPECT_EQ(static_cast<std::size_t>(file.gcount()), bytes.size()) << "the file ends within a case";
  if constexpr (std::endian::native == std::endian::big) {
    for (auto element = bytes.begin(); element != bytes.end(); element += static_cast<std::ptrdiff_t>(size))
      std::reverse(element, element + static_cast<std::ptrdiff_t>(size));
  }
  return bytes;
}

GoldenCase ReadCase(std::istringstream line, std::istream& file) {
  GoldenCase c;
  c.op = WordAfter(line, "case");
  std::istringstream inputs(WordAfter(line, "inputs"));
  for (std::string name; std::getline(inputs, name, ',');) c.inputs.push_back(ParseDType(name));
  c.output = ParseDType(WordAfter(line, "output"));
  c.count = std::stoul(WordAfter(line, "count"));
  c.attribute_dtype = ParseDType(WordAfter(line, "attributes"));
  std::size_t attribute_count = 0;
  line >> attribute_count;
  for (const DType dtype : c.inputs) c.values.push_back(ReadElements(file, c.count, dtype));
  c.expected = ReadElements(file, c.count, c.output);
  for (std::size_t i = 0; i < attribute_count; ++i) {
    const Bytes bytes = ReadElements(file, 1, c.attribute_dtype);
    c.attributes.push_back({});
    std::memcpy(c.attributes.back().bytes, bytes.data(), bytes.size());
  }
  return c;
}

std::vector<GoldenCase> ReadCases() {
  const std::string path = std::string(AXISCAST_ORACLE_DATA) + "/numpy_ops.data";
  std::ifstream file(path, std::ios::binary);
  std::vector<GoldenCase> cases;
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "axiscast cases 1") << path << ": made by tests/oracle/numpy_ops.py";
  while (!::testing::Test::HasFailure() && std::getline(file, line)) {
    if (line == "end " + std::to_string(cases.size())) return cases;
    cases.push_back(ReadCase(std::istringstream(line), file));
  }
  ADD_FAILURE() << path << " does not end as it should after " << cases.size() << " cases: " << line;
  return cases;
}

class Golden : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cases_ = new std::vector<GoldenCase>(ReadCases()); }
  static void TearDownTestSuite() { delete cases_; }
  static const std::vector<GoldenCase>& cases() { return *cases_; }

 private:
  static std::vector<GoldenCase>* cases_;
};
std::vector<GoldenCase>* Golden::cases_ = nullptr;

// An op's name, its dtypes and the number of its attributes: what the registry and the file must agree on.
std::string Signature(const std::string& op, const std::vector<DType>& inputs, DType output, std::size_t attribute_count) {
  std::string text = op + "(";
  for (const DType dtype : inputs) text.append(NameOf(dtype)).append(", ");
  return text + std::to_string(attribute_count) + " attributes) -> " + NameOf(output);
}

std::set<std::string> Missing(const std::set<std::string>& wanted, const std::set<std::string>& present) {
  std::set<std::string> missing;
  std::set_difference(wanted.begin(), wanted.end(), present.begin(), present.end(), std::inserter(missing, missing.end()));
  return missing;
}

TEST_F(Golden, FileAndRegistryHoldTheSameKernels) {
  std::set<std::string> in_file;
  for (const GoldenCase& c : cases()) in_file.insert(Signature(c.op, c.inputs, c.output, c.attributes.size()));
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    std::set<std::string> in_registry;
    for (const OpDefinition& op : BuiltInOps(target.bit)) {
      for (const Kernel& kernel : op.kernels) {
        in_registry.insert(Signature(op.info.name, {kernel.inputs, kernel.inputs + op.info.arity}, kernel.output,
                                     static_cast<std::size_t>(op.info.attribute_count)));
      }
    }
    EXPECT_EQ(Missing(in_registry, in_file), std::set<std::string>()) << "in the registry, not in the file; " << target.name;
    EXPECT_EQ(Missing(in_file, in_registry), std::set<std::string>()) << "in the file, not in the registry; " << target.name;
  }
}

// What a kernel makes of a case's inputs, as one row.
Bytes Compute(KernelFunction function, const GoldenCase& c) {
  Bytes out(c.expected.size());
  Tile tile = {};
  tile.rows = 1;
  tile.cols = static_cast<std::int64_t>(c.count);
  tile.attributes = c.attributes.data();
  const void* inputs[kMaxArity];
  for (std::size_t i = 0; i < c.inputs.size(); ++i) inputs[i] = c.values[i].data();
  function(tile, inputs, out.data());
  return out;
}

// How many elements differ, and the first ones with their operands.
::testing::AssertionResult EqualsNumPy(const GoldenCase& c, const Bytes& actual) {
  const std::size_t size = SizeOf(c.output);
  std::size_t differences = 0;
  std::ostringstream text;
  for (std::size_t i = 0; i < c.count; ++i) {
    const std::byte* got = actual.data() + i * size;
    const std::byte* wanted = c.expected.data() + i * size;
    if (std::memcmp(got, wanted, size) == 0) continue;
    if (testing::IsNaN(c.output, got) && testing::IsNaN(c.output, wanted)) continue;
    if (++differences > 5) continue;
    text << "\n  got " << testing::ToText(c.output, got) << ", NumPy " << testing::ToText(c.output, wanted) << " for";
    for (std::size_t k = 0; k < c.inputs.size(); ++k) {
      text << " " << testing::ToText(c.inputs[k], c.values[k].data() + i * SizeOf(c.inputs[k]));
    }
  }
  if (differences == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << differences << " of " << c.count << " elements differ" << text.str();
}

TEST_F(Golden, KernelsOfEveryTargetGiveNumPysResults) {
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    std::map<std::string, OpDefinition> ops;
    for (OpDefinition& op : BuiltInOps(target.bit)) ops[op.info.name] = std::move(op);
    for (const GoldenCase& c : cases()) {
      for (const Kernel& kernel : ops[c.op].kernels) {
        if (!std::equal(c.inputs.begin(), c.inputs.end(), kernel.inputs)) continue;
        EXPECT_TRUE(c.attributes.empty() || kernel.attributes == c.attribute_dtype) << c.Name();
        EXPECT_TRUE(EqualsNumPy(c, Compute(kernel.run, c))) << c.Name() << " for " << target.name;
        EXPECT_TRUE(EqualsNumPy(c, Compute(kernel.reference, c))) << c.Name() << ", the scalar meaning";
      }
    }
  }
}

}  // namespace
}  // namespace axiscast

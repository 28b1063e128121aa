// Gradients against those of Paddle and PyTorch: data/paddle_gradients.txt and torch_gradients.txt, which
// oracle/paddle_gradients.py and torch_gradients.py wrote and describe.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

struct Array {
  Shape shape;
  std::vector<double> values;
};

Array ReadArray(const std::string& text) {
  Array array;
  std::istringstream stream(text);
  std::string shape;
  stream >> shape;
  std::istringstream extents(shape.substr(1, shape.size() - 2));
  for (std::string extent; std::getline(extents, extent, ',');) array.shape.push_back(std::stoll(extent));
  for (std::string value; stream >> value;) array.values.push_back(std::strtod(value.c_str(), nullptr));  // hexadecimal
  return array;
}

// The fields of a line, which ` | ` separates.
std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '|');) fields.push_back(field);
  return fields;
}

void ExpectOurs(const char* name, int least_cases) {
  std::ifstream file(std::string(AXISCAST_TEST_DATA "/") + name);
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    SCOPED_TRACE(line.substr(0, 60));
    const std::vector<std::string> fields = Fields(line);
    std::string op, axis, wrt, word;
    ApplyOptions options;
    std::istringstream head(fields[0]);
    head >> op >> word >> axis;
    for (double bound; head >> word >> bound;) options.attributes.push_back({word == "min" ? "min" : "max", bound});
    std::istringstream(fields[1]) >> word >> wrt;
    std::vector<Array> arrays;
    for (std::size_t f = 2; f < fields.size(); ++f) arrays.push_back(ReadArray(fields[f]));
    const Array expected = arrays.back();
    arrays.pop_back();
    std::vector<TensorView> inputs;
    for (const Array& array : arrays) inputs.emplace_back(array.values.data(), array.shape);
    bool condition[6] = {};
    if (op == "where") {
      for (std::size_t i = 0; i < arrays[0].values.size(); ++i) condition[i] = arrays[0].values[i] != 0;
      inputs[0] = TensorView(condition, arrays[0].shape);
    }
    std::vector<double> gradient(expected.values.size());
    if (axis != "none") options.axis = std::stoll(axis);
    options.attributes.push_back({"wrt", std::stoi(wrt)});
    const Status status = Apply(*FindOp(op + "_grad"), inputs.data(), inputs.size(), {gradient.data(), expected.shape}, options);
    ASSERT_TRUE(status.ok()) << status.message();
    // Sums of at most 120 values below 200, in another order: 120 roundings of 200 * 2^-53 are 3e-12.
    for (std::size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient[i], expected.values[i], 3e-12);
  }
  EXPECT_GT(cases, least_cases);
}

TEST(GradientOfPaddle, IsOurs) { ExpectOurs("paddle_gradients.txt", 100); }
TEST(GradientOfPyTorch, IsOurs) { ExpectOurs("torch_gradients.txt", 120); }

}  // namespace
}  // namespace axiscast

// An embedding and its gradient: rows of a table that an index chooses, and what comes back added up where they came from; a bias
// that was stretched, and the sum that is its gradient.
#include <axiscast/axiscast.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> table = {1, 2, 10, 20, 100, 200}, bias = {0.5F, 0.25F}, dout(6, 1.0F);  // (3,2), (2), (3,2)
  const std::vector<std::int64_t> tokens = {2, -1, 0};
  std::vector<float> rows(6), shifted(6), table_gradient(6), bias_gradient(2), kept(3);

  axiscast::IndexOptions from_end;
  from_end.wrap_negative = true;
  axiscast::Status status = axiscast::Gather({table.data(), {3, 2}}, {tokens.data(), {3}}, 0, {rows.data(), {3, 2}}, from_end);
  // In place: self is the output. Tokens that occur twice are added up in their order.
  const axiscast::TensorView self(table_gradient.data(), {3, 2}), came_back(dout.data(), {3, 2});
  if (status.ok()) {
    status = axiscast::ScatterAdd(self, {tokens.data(), {3}}, came_back, 0, {table_gradient.data(), {3, 2}}, from_end);
  }
  // x = rows + bias: the bias was stretched, so its gradient is a sum.
  const axiscast::TensorView x(rows.data(), {3, 2}), b(bias.data(), {2});
  if (status.ok()) status = axiscast::Apply(*axiscast::FindOp("add"), {x, b}, {shifted.data(), {3, 2}});
  if (status.ok()) status = axiscast::ApplyGradient("add", {x, b}, came_back, 1, {bias_gradient.data(), {2}});
  if (status.ok()) status = axiscast::SumTo({shifted.data(), {3, 2}}, {kept.data(), {3, 1}});
  if (!status.ok()) {
    std::printf("%s\n", status.message());
    return 1;
  }
  std::printf("the last row %g %g, the gradient of row 2 of the table %g %g, the bias's %g %g, sums %g %g %g\n",
              static_cast<double>(rows[4]), static_cast<double>(rows[5]), static_cast<double>(table_gradient[4]),
              static_cast<double>(table_gradient[5]), static_cast<double>(bias_gradient[0]), static_cast<double>(bias_gradient[1]),
              static_cast<double>(kept[0]), static_cast<double>(kept[1]), static_cast<double>(kept[2]));
  return 0;
}

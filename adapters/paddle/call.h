// How a kernel of Paddle's calls one of our ops.
#ifndef AXISCAST_ADAPTERS_PADDLE_CALL_H_
#define AXISCAST_ADAPTERS_PADDLE_CALL_H_

#include <atomic>
#include <initializer_list>

#include "paddle/paddle.h"
#include "paddle/phi/core/enforce.h"

namespace axiscast_paddle {

extern std::atomic<std::int64_t> calls;  // of ours
extern std::atomic<bool> ours;           // false: Paddle's own kernels

// Paddle's way to report: its Python makes exceptions of it.
template <typename Error>
[[noreturn]] void Throw(const Error& error) {
  throw common::enforce::EnforceNotMet(common::ErrorSummary(error), "axiscast_paddle", __LINE__);
}

// What a call of a row has beside operands: attributes, and an axis. Messages begin with Paddle's name for the kernel.
class Options {
 public:
  explicit Options(int row) {
    options_.struct_size = sizeof(options_);
    options_.caller = kRows[row].kernel;
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  void Axis(int axis) {
    options_.has_axis = axis != -1;  // -1 is NumPy's alignment
    options_.axis = axis;
  }
  void Integer(const char* name, std::int64_t value) { Add(name, AXISCAST_VALUE_INT64)->value.integer = value; }
  void Number(const char* name, double value) { Add(name, AXISCAST_VALUE_DOUBLE)->value.number = value; }
  void Text(const char* name, const char* value) { Add(name, AXISCAST_VALUE_TEXT)->value.text = value; }
  void Shape(const phi::DDim& value) {
    axiscast_attribute* attribute = Add("shape", AXISCAST_VALUE_SHAPE);
    attribute->rank = value.size();
    attribute->value.shape = value.Get();
  }
  const axiscast_options* get() const { return &options_; }

 private:
  axiscast_attribute* Add(const char* name, std::int32_t kind) {
    axiscast_attribute* attribute = &attributes_[options_.attribute_count++];
    *attribute = {sizeof(axiscast_attribute), name, kind, 0, {}};
    options_.attributes = attributes_;
    return attribute;
  }

  axiscast_attribute attributes_[5];
  axiscast_options options_ = {};
};

// Paddle infers the shape of a comparison by NumPy's alignment, whatever its axis; a result of another shape would be stretched to
// it.
void CheckShape(const phi::DenseTensor& x, const phi::DenseTensor& y, const phi::DenseTensor& out, const axiscast_options* options);

// Computes out = op(inputs...) of a row of the table, `out` having its dims already; `scalar` is one operand more, of no dims. An
// input may be `out` itself: all that is known of it is read first, and its memory stays, which was large enough for it.
void Execute(int row, const phi::CPUContext& context, std::initializer_list<const phi::DenseTensor*> inputs, phi::DenseTensor* out,
             const axiscast_options* options = nullptr, const void* scalar = nullptr);

}  // namespace axiscast_paddle

#endif  // AXISCAST_ADAPTERS_PADDLE_CALL_H_

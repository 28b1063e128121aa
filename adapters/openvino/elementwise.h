// The one node that stands for every elementwise op of the registry in an ov::Model: its op, axis and other attributes are its own.
#ifndef AXISCAST_ADAPTERS_OPENVINO_ELEMENTWISE_H_
#define AXISCAST_ADAPTERS_OPENVINO_ELEMENTWISE_H_

#include <axiscast/c_api.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <openvino/op/op.hpp>
#include <string>
#include <vector>

namespace axiscast_openvino {

// Attributes as text, as IR files keep them: every digit of a number survives, and what is not given is "".
using Attributes = std::map<std::string, std::string>;

// The names of all attributes that a node of `op` has: axis, mode, and the op's own.
std::vector<std::string> AttributeNames(const axiscast_op* op);

// How many times a node has been evaluated in this process.
int64_t Calls();

// The CPU plugin turns booleans into u8 wherever it can (as it turns f64 into f32, i64 into i32), and its own nodes take no others.
// So a node remembers which of its inputs were boolean before, and its booleans are u8 from the start: 0 and 1.
class Elementwise : public ov::op::Op {
 public:
  OPENVINO_OP("Elementwise", "axiscast")

  Elementwise() = default;
  // `op` is a name or alias of the registry; messages begin with it. Throws ov::NodeValidationFailure with axiscast's message.
  Elementwise(const ov::OutputVector& inputs, std::string op, Attributes attributes, int64_t boolean_inputs = 0);
  ~Elementwise() override;

  void validate_and_infer_types() override;
  std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector& inputs) const override;
  bool visit_attributes(ov::AttributeVisitor& visitor) override;
  // Whether the u8 that the node gives are booleans.
  bool gives_boolean() const { return m_output_dtype == AXISCAST_BOOL; }
  bool has_evaluate() const override { return true; }
  // Streams call it at once. Threads: those of the arena that it is called in, which is the stream's.
  bool evaluate(ov::TensorVector& outputs, const ov::TensorVector& inputs) const override;

 private:
  struct KeptPlan;

  void Check(int32_t status) const;
  void ReadAttributes();
  ov::element::Type OutputType() const;
  int32_t InputDType(size_t index, const ov::element::Type& type) const;
  ov::Shape InferOutput(const std::vector<axiscast_tensor>& inputs, const axiscast_options& options, int32_t* dtype) const;
  ov::PartialShape InferUnknown(std::vector<axiscast_tensor> inputs) const;
  void Keep(const ov::TensorVector& inputs, const ov::Tensor& output, const std::vector<axiscast_tensor>& views,
            const axiscast_tensor& out) const;

  std::string m_op;
  Attributes m_attributes;
  // A bit for each input that was boolean once. An attribute, since the plugin's cache files hold models after its conversions.
  int64_t m_boolean_inputs = 0;

  // What ReadAttributes makes of them; m_options points into m_values, m_values into m_attributes.
  const axiscast_op* m_handle = nullptr;
  axiscast_op_info m_info{};
  std::vector<axiscast_attribute> m_values;
  axiscast_options m_options{};
  int32_t m_output_dtype = -1;
  // The first call's plan, for calls like it. Others find theirs among those that axiscast keeps for each thread.
  mutable std::atomic<const KeptPlan*> m_kept{nullptr};
};

}  // namespace axiscast_openvino

#endif  // AXISCAST_ADAPTERS_OPENVINO_ELEMENTWISE_H_

// See elementwise.h. Shapes, dtypes, results and messages are axiscast's; this file translates.
#include "openvino/elementwise.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "openvino/tensors.h"

namespace axiscast_openvino {
namespace {

std::atomic<int64_t> calls{0};

// An integer, else a number, else a text: whether the attribute may be that is for axiscast to say.
axiscast_attribute Value(const std::string& name, const std::string& text) {
  axiscast_attribute value{};
  value.struct_size = sizeof(value);
  value.name = name.c_str();
  const char* const end = text.data() + text.size();
  const auto integer = std::from_chars(text.data(), end, value.value.integer);
  if (integer.ptr == end && integer.ec == std::errc()) {
    value.kind = AXISCAST_VALUE_INT64;
    return value;
  }
  const auto number = std::from_chars(text.data(), end, value.value.number);
  if (number.ptr == end && number.ec == std::errc()) {
    value.kind = AXISCAST_VALUE_DOUBLE;
    return value;
  }
  value.kind = AXISCAST_VALUE_TEXT;
  value.value.text = text.c_str();
  return value;
}

}  // namespace

int64_t Calls() { return calls.load(std::memory_order_relaxed); }

std::vector<std::string> AttributeNames(const axiscast_op* op) {
  std::vector<std::string> names = {"axis", "mode"};
  axiscast_attribute_info info{};
  info.struct_size = sizeof(info);
  for (int32_t i = 0; op != nullptr && axiscast_op_attribute(op, i, &info) == AXISCAST_OK; ++i) names.emplace_back(info.name);
  return names;
}

// A plan, and the tensors that it was made for.
struct Elementwise::KeptPlan {
  using TypeAndShape = std::pair<ov::element::Type, ov::Shape>;
  axiscast_plan* plan = nullptr;
  std::vector<TypeAndShape> inputs;
  TypeAndShape output;

  ~KeptPlan() { axiscast_plan_free(plan); }

  static bool Same(const TypeAndShape& kept, const ov::Tensor& tensor) {
    return tensor.get_element_type() == kept.first && tensor.get_shape() == kept.second;
  }
  bool Fits(const ov::TensorVector& tensors, const ov::Tensor& out) const {
    return std::equal(inputs.begin(), inputs.end(), tensors.begin(), tensors.end(), Same) && Same(output, out);
  }
};

Elementwise::Elementwise(const ov::OutputVector& inputs, std::string op, Attributes attributes, int64_t boolean_inputs)
    : Op(inputs), m_op(std::move(op)), m_attributes(std::move(attributes)), m_boolean_inputs(boolean_inputs) {
  constructor_validate_and_infer_types();
}

Elementwise::~Elementwise() { delete m_kept.load(); }

std::shared_ptr<ov::Node> Elementwise::clone_with_new_inputs(const ov::OutputVector& inputs) const {
  return std::make_shared<Elementwise>(inputs, m_op, m_attributes, m_boolean_inputs);
}

bool Elementwise::visit_attributes(ov::AttributeVisitor& visitor) {
  visitor.on_attribute("op", m_op);
  visitor.on_attribute("boolean_inputs", m_boolean_inputs);
  const axiscast_op* op = nullptr;  // stays null for a name that is none: validate_and_infer_types will say so
  axiscast_op_find(nullptr, m_op.c_str(), &op);
  for (const std::string& name : AttributeNames(op)) {
    const auto known = m_attributes.find(name);
    const std::string before = known == m_attributes.end() ? std::string() : known->second;
    std::string text = before;
    visitor.on_attribute(name, text);
    if (text != before) m_attributes[name] = text;  // several threads may read at once, as when a model is saved twice
  }
  return true;
}

// Throws what the host throws for nodes that are wrong: the node's name, and axiscast's message.
void Elementwise::Check(int32_t status) const {
  const bool accepted_by_axiscast = status == AXISCAST_OK;
  NODE_VALIDATION_CHECK(this, accepted_by_axiscast, axiscast_last_message());
}

void Elementwise::ReadAttributes() {
  Check(axiscast_op_find(nullptr, m_op.c_str(), &m_handle));
  m_info = {};
  m_info.struct_size = sizeof(m_info);
  Check(axiscast_op_describe(m_handle, &m_info));
  m_values.clear();
  m_options = {};
  m_options.struct_size = sizeof(m_options);
  m_options.caller = m_info.asked;
  m_options.names = m_info.operands;
  for (const auto& [name, text] : m_attributes) {
    if (text.empty()) continue;
    const axiscast_attribute value = Value(name, text);
    if (name == "mode") {
      Check(axiscast_mode_find(text.c_str(), &m_options.mode));
    } else if (name == "axis") {
      const bool axis_is_an_integer = value.kind == AXISCAST_VALUE_INT64;
      NODE_VALIDATION_CHECK(this, axis_is_an_integer, m_op, ": axis must be an integer; got ", text);
      m_options.has_axis = 1;
      m_options.axis = value.value.integer;
    } else {
      m_values.push_back(value);
    }
  }
  m_options.attributes = m_values.data();
  m_options.attribute_count = static_cast<int64_t>(m_values.size());
}

int32_t Elementwise::InputDType(size_t index, const ov::element::Type& type) const {
  const bool boolean = index < AXISCAST_MAX_ARITY && (m_boolean_inputs >> index & 1) != 0;
  return boolean && type == ov::element::u8 ? AXISCAST_BOOL : ToDType(type);
}

ov::element::Type Elementwise::OutputType() const { return gives_boolean() ? ov::element::u8 : FromDType(m_output_dtype); }

ov::Shape Elementwise::InferOutput(const std::vector<axiscast_tensor>& inputs, const axiscast_options& options,
                                   int32_t* dtype) const {
  std::array<int64_t, AXISCAST_MAX_RANK> extents;
  int32_t rank = 0;
  Check(axiscast_infer_output(m_handle, inputs.data(), static_cast<int64_t>(inputs.size()), &options, extents.data(),
                              AXISCAST_MAX_RANK, &rank, dtype));
  return ov::Shape(extents.begin(), extents.begin() + rank);
}

// Each unknown extent gets a name of its own, so that what OpenVINO knows of it (bounds, a symbol) reaches the result.
ov::PartialShape Elementwise::InferUnknown(std::vector<axiscast_tensor> inputs) const {
  std::vector<std::vector<int64_t>> extents(inputs.size());
  std::vector<ov::Dimension> unknowns;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ov::PartialShape& shape = get_input_partial_shape(i);
    if (shape.rank().is_dynamic()) return ov::PartialShape::dynamic();
    for (const ov::Dimension& dim : shape) {
      const int64_t name = AXISCAST_UNKNOWN - 1 - static_cast<int64_t>(unknowns.size());
      extents[i].push_back(dim.is_static() ? dim.get_length() : name >= AXISCAST_LOWEST_UNKNOWN ? name : AXISCAST_UNKNOWN);
      if (dim.is_dynamic()) unknowns.push_back(dim);
    }
    inputs[i].rank = static_cast<int32_t>(shape.size());
    inputs[i].shape = extents[i].data();
  }
  std::array<int64_t, AXISCAST_MAX_RANK> result;
  int32_t rank = 0;
  Check(axiscast_infer_shape(inputs.data(), static_cast<int64_t>(inputs.size()), &m_options, result.data(), AXISCAST_MAX_RANK,
                             &rank));
  std::vector<ov::Dimension> dims;
  for (int32_t i = 0; i < rank; ++i) {
    const int64_t extent = result[static_cast<size_t>(i)];
    if (extent >= 0) {
      dims.emplace_back(extent);
    } else {
      dims.push_back(extent == AXISCAST_UNKNOWN ? ov::Dimension::dynamic()
                                                : unknowns[static_cast<size_t>(AXISCAST_UNKNOWN - 1 - extent)]);
    }
  }
  return dims;
}

void Elementwise::validate_and_infer_types() {
  delete m_kept.exchange(nullptr);
  ReadAttributes();
  std::vector<axiscast_tensor> inputs;
  std::vector<ov::Shape> shapes(get_input_size());
  bool known = true;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ov::PartialShape& shape = get_input_partial_shape(i);
    // An operand that a frontend has not converted yet.
    if (get_input_element_type(i).is_dynamic()) return set_output_type(0, ov::element::dynamic, ov::PartialShape::dynamic());
    if (get_input_element_type(i) == ov::element::boolean && i < AXISCAST_MAX_ARITY) m_boolean_inputs |= int64_t{1} << i;
    const bool axiscast_has_the_element_type = ToDType(get_input_element_type(i)) >= 0;
    NODE_VALIDATION_CHECK(this, axiscast_has_the_element_type, m_op, ": no dtype for OpenVINO's ", get_input_element_type(i),
                          " (operand ", i, ")");
    known = known && shape.is_static();
    if (shape.is_static()) shapes[i] = shape.to_shape();
    inputs.push_back(View(get_input_element_type(i), shapes[i]));
    inputs.back().dtype = InputDType(i, get_input_element_type(i));
  }
  if (known) {
    const ov::Shape shape = InferOutput(inputs, m_options, &m_output_dtype);
    return set_output_type(0, OutputType(), shape);
  }
  // The dtype does not depend on shapes: it is that of scalars.
  std::vector<axiscast_tensor> scalars = inputs;
  for (axiscast_tensor& scalar : scalars) scalar.rank = 0;
  axiscast_options options = m_options;
  options.has_axis = options.mode = 0;
  InferOutput(scalars, options, &m_output_dtype);
  set_output_type(0, OutputType(), InferUnknown(inputs));
}

void Elementwise::Keep(const ov::TensorVector& inputs, const ov::Tensor& output, const std::vector<axiscast_tensor>& views,
                       const axiscast_tensor& out) const {
  auto kept = std::make_unique<KeptPlan>();
  if (axiscast_plan_make(m_handle, views.data(), static_cast<int64_t>(views.size()), &out, &m_options, &kept->plan) != AXISCAST_OK)
    return;  // no memory for it; the call itself has been done
  for (const ov::Tensor& input : inputs) kept->inputs.emplace_back(input.get_element_type(), input.get_shape());
  kept->output = {output.get_element_type(), output.get_shape()};
  const KeptPlan* none = nullptr;
  if (m_kept.compare_exchange_strong(none, kept.get(), std::memory_order_release, std::memory_order_relaxed)) kept.release();
}

bool Elementwise::evaluate(ov::TensorVector& outputs, const ov::TensorVector& inputs) const {
  calls.fetch_add(1, std::memory_order_relaxed);
  ov::Tensor& output = outputs.at(0);
  const auto count = static_cast<int64_t>(inputs.size());
  const KeptPlan* kept = m_kept.load(std::memory_order_acquire);
  if (kept != nullptr && kept->Fits(inputs, output)) {
    std::array<const void*, AXISCAST_MAX_ARITY> pointers;
    for (size_t i = 0; i < inputs.size(); ++i) pointers[i] = inputs[i].data();
    Check(axiscast_plan_execute(kept->plan, pointers.data(), count, output.data(), nullptr));
    return true;
  }
  std::vector<axiscast_tensor> views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    views.push_back(View(inputs[i]));
    views.back().dtype = InputDType(i, inputs[i].get_element_type());
  }
  int32_t dtype = 0;
  const ov::Shape shape = InferOutput(views, m_options, &dtype);
  if (output.get_shape() != shape) output.set_shape(shape);
  axiscast_tensor out = View(output);
  if (gives_boolean() && out.dtype == AXISCAST_UINT8) out.dtype = AXISCAST_BOOL;
  Check(axiscast_apply(m_handle, views.data(), count, &out, &m_options, nullptr));
  if (kept == nullptr) Keep(inputs, output, views, out);
  return true;
}

}  // namespace axiscast_openvino

// Ops that are more than elementwise: gather, scatter, sums, gradients. A form says how their calls become plans.
#ifndef AXISCAST_CORE_FORM_H_
#define AXISCAST_CORE_FORM_H_

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "core/attribute.h"
#include "core/plan.h"
#include "core/request.h"

namespace axiscast {

// A call of an op with a form. What every op wants has been checked: the number of inputs, their dtypes, a byte stride for each
// dim, attributes; shapes have not.
struct FormCall {
  const Request& request;
  const Kernel& signature;          // the call's dtypes
  const FormAttribute* attributes;  // by position in Form::info
};

// What other libraries have that an op does when it is asked in the right way. No alias: a call would mean something else.
struct ForeignName {
  const char* names;  // space-separated
  const char* how;    // behind the op's name: "with dim and mode=prefix"
};

struct Form {
  OpInfo info;
  // The combinations of dtypes that there are, as kernels without functions.
  std::vector<Kernel> (*signatures)();
  // The shape of the result. Errors begin with the request's caller.
  Status (*infer)(const FormCall& call, Shape* shape);
  // The plan. `out` has the signature's output dtype; its shape has not been looked at. In place it is the first input.
  Status (*plan)(const FormCall& call, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl);
  // What whoever looks one of these names up is told.
  std::span<const ForeignName> foreign = {};
};

// Every form that is built in. To add one: declare it here and add its row in form.cc.
const std::vector<const Form*>& BuiltInForms();
extern const Form kBroadcastToForm;
extern const Form kSumToForm;
extern const Form kGatherForm;
extern const Form kScatterForm;
extern const Form kScatterAddForm;

// What InferOutput and Plan::Make do for an op with a form. Errors: as theirs.
Status InferForm(const Request& request, Shape* shape, DType* dtype);
Status PlanForm(const Request& request, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl);

// Ops with a form take an axis and its mode at most, or not even these: how their operands face each other is the op's own affair.
// Error: kInvalidArgument.
Status CheckNoMode(const Request& request);
Status CheckNoAxis(const Request& request);

// A destination must have exactly the result's shape. Error: kInvalidShape.
Status CheckOutShape(const Request& request, const Shape& result, const char* out_name, const Shape& out);

// "(x [2, 3], index [4])": every input, and the axis where there is one; what messages end with.
std::string FactsOf(const Request& request);

// "[2, 3]"
std::string ListOf(const Dims& dims);

// The plan that copies the first input to `out`, over whose dims it has these strides. A bool's byte becomes 0 or 1.
Status PlanCopy(const FormCall& call, const ByteStrides& strides, const char* out_name, const MutableTensorView& out,
                std::shared_ptr<const Plan::Impl>* impl);

// A kernel without functions.
Kernel Signature(std::initializer_list<DType> inputs, DType output);

}  // namespace axiscast

#endif  // AXISCAST_CORE_FORM_H_

// From a family's list of ops to its kernels. Per target there is only an array of function pointers (RowsOf); names, dtypes and
// references are made once, from the target that is compiled last (Definitions), so they cost nothing per target.
#if defined(AXISCAST_SIMD_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_TABLE_INL_H_
#undef AXISCAST_SIMD_TABLE_INL_H_
#else
#define AXISCAST_SIMD_TABLE_INL_H_
#endif

#include <vector>

#include "simd/check-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {

// The ops of a family, in the order that `axiscast ops` does not depend on.
template <class... Ops>
struct OpList {};

// Rows come in the order of the ops and, within an op, of the dtype list.
template <class Op, typename... T>
constexpr std::size_t CountRows(TypeList<T...>) {
  return (std::size_t{0} + ... + (Has<T>(Op::kKinds) ? 1 : 0));
}
template <class... Ops>
inline constexpr std::size_t kRowCount = (std::size_t{0} + ... + CountRows<Ops>(ElementTypes()));

template <class Op, typename T>
constexpr void SetRow(TargetRow*& row) {
  if constexpr (Has<T>(Op::kKinds)) {
    using KernelOp = KernelOpOf<Op, T>;
    row->run = &KernelOp::Class::template Run<KernelOp, KernelTypeOf<KernelOp, T>>;
    if constexpr (RefusesZero<Op, T>()) row->check = &AnyZero<SameBits<T>>;
    ++row;
  }
}
template <class Op, typename... T>
constexpr void SetRows(TargetRow*& row, TypeList<T...>) {
  (SetRow<Op, T>(row), ...);
}

template <class... Ops>
struct TargetRows {
  constexpr TargetRows() : rows{} {
    TargetRow* row = rows;
    (SetRows<Ops>(row, ElementTypes()), ...);
  }
  TargetRow rows[kRowCount<Ops...>];
};

// The kernels of this target.
template <class... Ops>
const TargetRow* RowsOf(OpList<Ops...>) {
  static constexpr TargetRows<Ops...> kTable;
  return kTable.rows;
}

template <class Op, typename T>
void AddKernel(const TargetRow*& row, OpDefinition& definition) {
  if constexpr (Has<T>(Op::kKinds)) {
    Kernel kernel = {};
    SetDTypes<Op, T>(kernel);
    kernel.run = row->run;
    kernel.check = row->check;
    using KernelOp = KernelOpOf<Op, T>;
    kernel.streams = KernelOp::Class::template kStreams<KernelOp, KernelTypeOf<KernelOp, T>>;
    kernel.cycles = CyclesOf<KernelOp, T>();
    kernel.reference = &Op::Class::template Reference<Op, T>;
    definition.kernels.push_back(kernel);
    ++row;
  }
}
template <class Op, typename... T>
void AddDefinition(const TargetRow*& row, std::vector<OpDefinition>& definitions, TypeList<T...>) {
  static_assert(Op::kInfo.arity == Op::Class::kArity, "OpInfo::arity must be the arity of the op's Class");
  definitions.push_back({Op::kInfo, {}});
  (AddKernel<Op, T>(row, definitions.back()), ...);
}

// The ops with the kernels of some target. Only for the #if HWY_ONCE part of a family: elsewhere the standard library's code that
// this uses would be compiled for a target that the CPU may lack.
template <class... Ops>
std::vector<OpDefinition> Definitions(OpList<Ops...>, const TargetRow* row) {
  std::vector<OpDefinition> definitions;
  definitions.reserve(sizeof...(Ops));
  (AddDefinition<Ops>(row, definitions, ElementTypes()), ...);
  return definitions;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

// From a family's list of ops to its kernels. Per target there is only an array of function pointers (RowsOf); names, dtypes and
// references are made once, from the target that is compiled last (Definitions), so they cost nothing per target. Of AVX-512's
// later targets, only those kernels are compiled that would differ from an earlier one's.
#if defined(AXISCAST_KIT_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_TABLE_INL_H_
#undef AXISCAST_KIT_TABLE_INL_H_
#else
#define AXISCAST_KIT_TABLE_INL_H_
#endif

#include <concepts>
#include <vector>

#include "axiscast/kit/check-inl.h"
#include "axiscast/kit/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {

/// The ops of a family, in any order.
template <class... Ops>
struct OpList {};

// Whether an op has the parts that do not depend on a dtype; else says what to write.
template <class Op>
constexpr bool HasParts() {
  constexpr bool has_class = requires { Op::Class::kArity; };
  constexpr bool has_info = requires {
    { Op::kInfo } -> std::same_as<const OpInfo&>;
  };
  constexpr bool has_kinds = requires {
    { Op::kKinds } -> std::same_as<const Kinds&>;
  };
  static_assert(
      has_class,
      "axiscast: an op needs its kernel class: using Class = Binary; (or Unary, Ternary, UnaryPredicate, BinaryPredicate)");
  static_assert(has_info,
                "axiscast: an op needs its texts: static constexpr OpInfo kInfo{.name = \"...\", .arity = ..., .doc = \"...\"};");
  static_assert(has_kinds, "axiscast: an op needs its dtypes: static constexpr Kinds kKinds = kFloats; (or kInts, kNumbers, ...)");
  if constexpr (has_class && has_info && has_kinds) {
    static_assert(Op::kInfo.arity == Op::Class::kArity, "axiscast: OpInfo::arity must be the arity of the op's Class");
    return Op::kInfo.arity == Op::Class::kArity;
  } else {
    return false;
  }
}

// Rows come in the order of the ops and, within an op, of the dtype list.
template <class Op, typename... T>
constexpr std::size_t CountRows(TypeList<T...>) {
  if constexpr (HasParts<Op>()) {
    return (std::size_t{0} + ... + (Has<T>(Op::kKinds) ? 1 : 0));
  } else {
    return 0;
  }
}
template <class... Ops>
inline constexpr std::size_t kRowCount = (std::size_t{0} + ... + CountRows<Ops>(ElementTypes()));

// Whether the kernel of an op and T serves that AVX3 has, or AVX3_DL. Of the ops here, this target's own would be the same
// instructions: those of AVX3_DL beyond AVX3 permute, multiply and shift bytes, and join masks of 8 lanes to results of bool; those
// of later targets beyond AVX3_DL compute in float16.
template <class Op, typename T>
constexpr bool HasEarlierTargets() {
  if (!IsBeyondAvx3(HWY_TARGET) || std::is_same_v<T, hwy::float16_t>) return false;
  if (IsBeyondAvx3Dl(HWY_TARGET)) return true;
  constexpr std::size_t size = sizeof(Stored<T>), out_size = sizeof(Stored<OutOf<Op, T>>);
  constexpr bool is_to_bool = std::is_same_v<OutOf<Op, T>, bool>;
  return size > 1 && (is_to_bool ? size < 8 : out_size > 1);
}

template <class Op, typename T>
constexpr void SetRow(TargetRow*& row) {
  if constexpr (!HasParts<Op>()) {
    return;  // which has been said
  } else if constexpr (Has<T>(Op::kKinds)) {
    using KernelOp = KernelOpOf<Op, T>;
    using KernelType = KernelTypeOf<KernelOp, T>;
    static_assert(!std::is_same_v<KernelType, hwy::float16_t> || KernelOp::kInfo.attribute_count == 0,
                  "axiscast: KernelType = Float16Itself<T> is for ops without attributes");
    if constexpr (!HasEarlierTargets<KernelOp, KernelType>()) {
      if constexpr (Op::Class::template HasMeaning<Op, T>() && KernelOp::Class::template HasLanes<KernelOp, KernelType>()) {
        row->run = &KernelOp::Class::template Run<KernelOp, KernelType>;
        row->choose = KernelOp::Class::template Chooses<typename KernelOp::Class, KernelOp, KernelType>();
        row->abilities = KernelOp::Class::template Abilities<typename KernelOp::Class, KernelOp, KernelType>();
        row->cycles = CyclesOf<KernelOp, KernelType>();
      }
      if constexpr (RefusesZero<Op, T>()) row->check = &AnyZero<SameBits<T>>;
    }
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

/// The kernels of this target, which is all that a file of ops is compiled for once for each (no `run`: an earlier one's serves):
/// `const TargetRow* OwnRows() { return RowsOf(OwnOps()); }` beside the list, and HWY_EXPORT(OwnRows) in the #if HWY_ONCE part.
template <class... Ops>
const TargetRow* RowsOf(OpList<Ops...>) {
  static constexpr TargetRows<Ops...> kTable;
  return kTable.rows;
}

// A target's rows, and those of AVX3_DL and AVX3, which serve where it has none.
struct ServingRows {
  const TargetRow *own, *avx3_dls, *avx3s;

  HWY_INLINE const TargetRow& Next() {
    const TargetRow& row = own->run != nullptr ? *own : avx3_dls->run != nullptr ? *avx3_dls : *avx3s;
    ++own, ++avx3_dls, ++avx3s;
    return row;
  }
};

template <class Op, typename T>
void AddKernel(ServingRows& rows, OpDefinition& definition) {
  if constexpr (Has<T>(Op::kKinds)) {
    const TargetRow& row = rows.Next();
    Kernel kernel = {};
    SetDTypes<Op, T>(kernel);
    kernel.run = row.run;
    kernel.choose = row.choose;
    kernel.check = row.check;
    kernel.abilities = row.abilities;
    using KernelOp = KernelOpOf<Op, T>;
    kernel.streams = true;
    kernel.any_float_mode = IsForAnyFloatMode<KernelOp, KernelTypeOf<KernelOp, T>>();
    kernel.joins = KernelOp::Class::template kJoins<KernelOp, KernelTypeOf<KernelOp, T>>;
    kernel.cycles = row.cycles;
    kernel.cycles_by_splat = CyclesBySplatOf<KernelOp, KernelTypeOf<KernelOp, T>>();
    kernel.reference = &Op::Class::template Reference<Op, T>;
    definition.kernels.push_back(kernel);
  }
}
template <class Op, typename... T>
void AddDefinition(ServingRows& rows, std::vector<OpDefinition>& definitions, TypeList<T...>) {
  definitions.push_back({Op::kInfo, {}});
  (AddKernel<Op, T>(rows, definitions.back()), ...);
}

// The ops with the kernels of a target, from a family's table by HWY_EXPORT. Only for the #if HWY_ONCE part of a family: elsewhere
// the standard library's code that this uses would be compiled for a target that the CPU may lack.
template <class... Ops, typename Function, std::size_t kEntries>
std::vector<OpDefinition> Definitions(OpList<Ops...>, Function* const (&table)[kEntries], std::int64_t target) {
  const TargetRow* const own = ForTarget(table, target)();
  ServingRows rows = {own, IsBeyondAvx3Dl(target) ? ForTarget(table, HWY_AVX3_DL)() : own,
                      IsBeyondAvx3(target) ? ForTarget(table, HWY_AVX3)() : own};
  std::vector<OpDefinition> definitions;
  definitions.reserve(sizeof...(Ops));
  (AddDefinition<Ops>(rows, definitions, ElementTypes()), ...);
  return definitions;
}

/// The ops of a list for every target that was compiled and that this CPU has, best first; there is at least one. For the
/// #if HWY_ONCE part alone, as Definitions: `OpsOfTargets(HWY_NAMESPACE::OwnOps(), HWY_DISPATCH_TABLE(OwnRows))`. Throws
/// std::bad_alloc alone.
template <class... Ops, typename Function, std::size_t kEntries>
std::vector<TargetOps> OpsOfTargets(OpList<Ops...> list, Function* const (&table)[kEntries]) {
  std::vector<TargetOps> all;
  ForEachTarget([&](std::int64_t target, const char* name, bool supported) {
    if (supported) all.push_back({name, Definitions(list, table, target)});
  });
  return all;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

// What the links of a chain do: the code of each op, for eight vectors and fewer, which then jumps to the code of the next link.
#if defined(AXISCAST_SIMD_LINK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_LINK_INL_H_
#undef AXISCAST_SIMD_LINK_INL_H_
#else
#define AXISCAST_SIMD_LINK_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "axiscast/kit/rows-inl.h"
#include "axiscast/kit/store-inl.h"
#include "axiscast/kit/table-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether an op can be a link of a chain of Ts: one or two inputs and a result of T, none of which it refuses, and a short Vector.
// float16 whose conversions are many instructions has no chains, not of the few ops either that need none.
template <class Op, typename T>
constexpr bool IsLink() {
  if constexpr (!Has<T>(Op::kKinds) || Op::kInfo.arity > 2 || (std::is_same_v<T, Float16> && !kHasFloat16Conversions)) {
    return false;
  } else {
    using Inputs = typename Repeat<T, Op::kInfo.arity>::Type;
    using KernelOp = KernelOpOf<Op, T>;
    return std::is_same_v<InputsOf<Op, T>, Inputs> && std::is_same_v<OutOf<Op, T>, T> &&
           kIsShort<KernelOp, KernelTypeOf<KernelOp, T>> && !RefusesZero<Op, T>();
  }
}

// An op whose kernel is its own, on vectors as they are stored.
template <class KernelOp, typename T>
struct LinkOp {
  using KernelType = KernelTypeOf<KernelOp, T>;
  using Rows = ElementwiseRows<KernelOp, KernelType>;

  static HWY_INLINE auto ReadAttributes(const AttributeSlot* slots) {
    return axiscast::ReadAttributes<KernelOp, KernelType>(slots);
  }
  template <class D, class A, class... V>
  static HWY_INLINE hn::VFromD<D> Result(D d, const A& attributes, V... v) {
    // As many elements as d's, also where a kernel of its own would take more of them at once.
    const hn::Rebind<hn::TFromD<decltype(Rows::WideTag(InputsOf<KernelOp, KernelType>()))>, D> wide;
    const StoredTag<KernelType, decltype(wide)> d_kernel;
    if constexpr (sizeof...(V) == 1) {
      return hn::BitCast(d, Rows::template ResultOf<KernelType>(wide, attributes, hn::BitCast(d_kernel, v)...));
    } else {
      return hn::BitCast(d, Rows::template ResultOf<KernelType, KernelType>(wide, attributes, hn::BitCast(d_kernel, v)...));
    }
  }
};

// By the links of a list of ops: an op's place there is the number of its link.
template <typename T, class... Ops>
class ChainCode {
  struct Same {  // what tags and stores do not depend on
    static constexpr OpInfo kInfo{.name = "same", .arity = 1, .doc = "out = x"};
  };
  using Elements = ElementwiseRows<Same, T>;
  using Wide = decltype(Elements::WideTag(TypeList<T, T>()));

 public:
  using D = StoredTag<T, Wide>;
  using V = hn::Vec<D>;
  using Element = Stored<T>;

  struct Link;
  // What a link does to so many vectors, `at` bytes from the begin, before it jumps to the next one's. Returns the first one of
  // the result, so that compilers need not clear vectors' upper halves.
  template <class... Vs>
  using Code = V (*)(const Link* link, std::uintptr_t at, Vs... v);
  struct Codes {
    template <class... Vs>
    HWY_INLINE Code<Vs...> Of() const {
      if constexpr (sizeof...(Vs) == 8) {
        return eight;
      } else if constexpr (sizeof...(Vs) == 4) {
        return four;
      } else if constexpr (sizeof...(Vs) == 2) {
        return two;
      } else {
        return one;
      }
    }
    Code<V, V, V, V, V, V, V, V> eight;
    Code<V, V, V, V> four;
    Code<V, V> two;
    Code<V> one;
    V (*some)(const Link* link, std::uintptr_t at, std::size_t n, V v);  // of a vector's elements, n
  };
  // What the chain begins with, a link and its operand, or where the result goes. Of the long row, or the first one of a block,
  // what is `at` bytes from its begin is at data + (at & along).
  struct Link {
    const Element* At(std::uintptr_t at) const { return reinterpret_cast<const Element*>(data + (at & along)); }
    // The same of the row with that number in a block.
    const Element* At(std::uintptr_t at, std::size_t row) const {
      return reinterpret_cast<const Element*>(data + (at & along) + row * row_stride);
    }
    const Codes* codes;
    const void* context;  // attributes, or the OutputRun
    std::uintptr_t data;
    std::uintptr_t along;       // all bits, or none
    std::uintptr_t row_stride;  // from a row of a block to the next
  };
  static constexpr std::uintptr_t kAlong = ~std::uintptr_t{0};

  // What vectors have as their operands: vectors that follow each other, or one value for all. Of a block, which is kBlockRows rows
  // of one or two vectors each: vectors of their own row, those of one row for all, or a value for each row. Those are a third of
  // the code of chains: 0.7 of 2 MB for one target.
  enum Operand { kVectors, kSplat, kOfRows, kOfOneRow, kSplatOfRows, kOperands };
  static constexpr std::size_t kBlockRows = 4;

  // f(vector, its operand), for each.
  template <Operand kOperand, class F, class... Vs>
  static HWY_INLINE void WithOperands(const Link& link, std::uintptr_t at, const F& f, Vs&... v) {
    if constexpr (kOperand == kSplat) {
      const V operand = hn::Set(D(), *link.At(at));
      (f(v, operand), ...);
    } else if constexpr (kOperand == kVectors) {
      const Element* operand = link.At(at);
      ((f(v, hn::LoadU(D(), operand)), operand += hn::Lanes(D())), ...);
    } else {
      WithOperandsOfBlock<kOperand>(std::index_sequence_for<Vs...>(), link, at, f, v...);
    }
  }

 private:
  template <Operand kOperand, class F, std::size_t... kAt, class... Vs>
  static HWY_INLINE void WithOperandsOfBlock(std::index_sequence<kAt...>, const Link& link, std::uintptr_t at, const F& f,
                                             Vs&... v) {
    constexpr std::size_t kOfRow = sizeof...(Vs) / kBlockRows;
    const auto operand = [&](std::size_t i) HWY_ATTR {
      if constexpr (kOperand == kSplatOfRows) return hn::Set(D(), *link.At(at, i / kOfRow));
      return hn::LoadU(D(), link.At(at, kOperand == kOfOneRow ? 0 : i / kOfRow) + i % kOfRow * hn::Lanes(D()));
    };
    (f(v, operand(kAt)), ...);
  }

  // The code of a link.
  template <class Op, bool kExchanged, Operand kOperand>
  struct LinkCode {
    template <class... Vs>
    static V Run(const Link* link, std::uintptr_t at, Vs... v) {
      const auto attributes = LinkOp<Op, T>::ReadAttributes(static_cast<const AttributeSlot*>(link->context));
      if constexpr (Op::kInfo.arity == 1) {
        ((v = LinkOp<Op, T>::Result(D(), attributes, v)), ...);
      } else {
        const auto apply = [&](V& value, V operand) HWY_ATTR { value = Result(attributes, value, operand); };
        WithOperands<kOperand>(*link, at, apply, v...);
      }
      return link[1].codes->template Of<Vs...>()(link + 1, at, v...);
    }
    static V RunSome(const Link* link, std::uintptr_t at, std::size_t n, V v) {
      const auto attributes = LinkOp<Op, T>::ReadAttributes(static_cast<const AttributeSlot*>(link->context));
      if constexpr (Op::kInfo.arity == 1) {
        v = LinkOp<Op, T>::Result(D(), attributes, v);
      } else {
        v = Result(attributes, v, kOperand == kSplat ? hn::Set(D(), *link->At(at)) : hn::LoadN(D(), link->At(at), n));
      }
      return link[1].codes->some(link + 1, at, n, v);
    }
    template <class A>
    static HWY_INLINE V Result(const A& attributes, V value, V operand) {
      if constexpr (kExchanged) {
        return LinkOp<Op, T>::Result(D(), attributes, operand, value);
      } else {
        return LinkOp<Op, T>::Result(D(), attributes, value, operand);
      }
    }
  };

  // The last one: to memory.
  template <bool kStream>
  struct StoreCode {
    template <class V0, class... Vs>
    static V0 Run(const Link* link, std::uintptr_t at, V0 first, Vs... v) {
      auto* out = reinterpret_cast<Element*>(link->data + at);
      const auto& run = *static_cast<const OutputRun<Element>*>(link->context);
      if (kStream && Misalignment(D(), out) == 0) {
        run.Store(first, D(), out);
        ((out += hn::Lanes(D()), run.Store(v, D(), out)), ...);
      } else {
        hn::StoreU(first, D(), out);
        ((out += hn::Lanes(D()), hn::StoreU(v, D(), out)), ...);
      }
      return first;
    }
    static V RunSome(const Link* link, std::uintptr_t at, std::size_t n, V v) {
      auto* out = reinterpret_cast<Element*>(link->data + at);
      const auto& run = *static_cast<const OutputRun<Element>*>(link->context);
      if (kStream && n == hn::Lanes(D()) && Misalignment(D(), out) == 0) {
        run.Store(v, D(), out);
      } else {
        run.StoreSome(v, D(), out, n);
      }
      return v;
    }
  };

  // A block to memory.
  struct StoreBlockCode {
    template <class V0, class... Vs>
    static V0 Run(const Link* link, std::uintptr_t at, V0 first, Vs... v) {
      Store(std::make_index_sequence<1 + sizeof...(Vs)>(), *link, at, first, v...);
      return first;
    }
    template <std::size_t... kAt, class... Vs>
    static HWY_INLINE void Store(std::index_sequence<kAt...>, const Link& link, std::uintptr_t at, Vs... v) {
      constexpr std::size_t kOfRow = sizeof...(Vs) / kBlockRows;
      (hn::StoreU(v, D(), const_cast<Element*>(link.At(at, kAt / kOfRow)) + kAt % kOfRow * hn::Lanes(D())), ...);
    }
  };

  template <class C>
  static constexpr Codes kCodesOf = {&C::template Run<V, V, V, V, V, V, V, V>, &C::template Run<V, V, V, V>, &C::template Run<V, V>,
                                     &C::template Run<V>, &C::RunSome};
  template <class C>
  static constexpr Codes kBlockCodesOf = {&C::template Run<V, V, V, V, V, V, V, V>, &C::template Run<V, V, V, V>, nullptr, nullptr,
                                          nullptr};

 public:
  // Code by op, whether the value so far is its second input, and what its operand is.
  struct Table {
    constexpr Table() {
      std::size_t op = 0;
      (Set<Ops>(op++), ...);
    }
    template <class Op>
    constexpr void Set(std::size_t op) {
      if constexpr (IsLink<Op, T>()) {
        using KernelOp = KernelOpOf<Op, T>;  // whose code is compiled once for all ops that it serves
        constexpr bool kBinary = Op::kInfo.arity == 2, kExchanged = kBinary && !Commutes<Op, T>();
        SetOperands<KernelOp, false, kBinary>(of[op][0]);
        SetOperands<KernelOp, kExchanged, kBinary>(of[op][1]);
      }
    }
    template <class Op, bool kExchanged, bool kBinary>
    static constexpr void SetOperands(const Codes* (&by_operand)[kOperands]) {
      by_operand[kVectors] = &kCodesOf<LinkCode<Op, kExchanged, kVectors>>;
      by_operand[kSplat] = &kCodesOf<LinkCode<Op, kExchanged, kBinary ? kSplat : kVectors>>;  // of one input: compiled once
      if constexpr (kBinary) {
        by_operand[kOfRows] = &kBlockCodesOf<LinkCode<Op, kExchanged, kOfRows>>;
        by_operand[kOfOneRow] = &kBlockCodesOf<LinkCode<Op, kExchanged, kOfOneRow>>;
        by_operand[kSplatOfRows] = &kBlockCodesOf<LinkCode<Op, kExchanged, kSplatOfRows>>;
      }
    }
    const Codes* of[sizeof...(Ops)][2][kOperands] = {};
  };
  static constexpr Table kTable{};
  static constexpr const Codes& kStore = kCodesOf<StoreCode<false>>;
  static constexpr const Codes& kStream = kCodesOf<StoreCode<true>>;  // past the caches
  static constexpr const Codes& kStoreBlock = kBlockCodesOf<StoreBlockCode>;
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

// Several ops over one tile without memory in between: eight vectors at a time stay in registers while a switch leads them from op
// to op. Its jumps are predicted, as the same ones follow each other again and again; of four vectors at a time they take as long
// as the arithmetic: 1.4 times as long in L1. By way of scratch, four ops take 2.5 times as long in L2.
#if defined(AXISCAST_SIMD_CHAIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_CHAIN_INL_H_
#undef AXISCAST_SIMD_CHAIN_INL_H_
#else
#define AXISCAST_SIMD_CHAIN_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "axiscast/kit/rows-inl.h"
#include "axiscast/kit/store-inl.h"
#include "axiscast/kit/table-inl.h"
#include "hwy/highway.h"
#include "simd/chain.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether an op can be a link of a chain of Ts: one or two inputs and a result of T, none of which it refuses, and a short Vector.
template <class Op, typename T>
constexpr bool IsLink() {
  if constexpr (!Has<T>(Op::kKinds) || Op::kInfo.arity > 2) {
    return false;
  } else {
    using Inputs = typename Repeat<T, Op::kInfo.arity>::Type;
    return std::is_same_v<InputsOf<Op, T>, Inputs> && std::is_same_v<OutOf<Op, T>, T> && kIsShort<Op, T> && !RefusesZero<Op, T>();
  }
}

// An op on vectors as they are stored. Which op it is decides how many elements Highway's tags have, but not how many bytes.
template <class Op, typename T>
struct LinkOp {
  using KernelOp = KernelOpOf<Op, T>;
  using KernelType = KernelTypeOf<KernelOp, T>;
  using Rows = ElementwiseRows<KernelOp, KernelType>;

  static HWY_INLINE auto ReadAttributes(const AttributeSlot* slots) {
    return axiscast::ReadAttributes<KernelOp, KernelType>(slots);
  }
  template <class D, class A, class... V>
  static HWY_INLINE hn::VFromD<D> Result(D d, const A& attributes, V... v) {
    const auto wide = Rows::WideTag(InputsOf<KernelOp, KernelType>());
    const StoredTag<KernelType, decltype(wide)> d_kernel;
    if constexpr (sizeof...(V) == 1) {
      return hn::BitCast(d, Rows::template ResultOf<KernelType>(wide, attributes, hn::BitCast(d_kernel, v)...));
    } else {
      return hn::BitCast(d, Rows::template ResultOf<KernelType, KernelType>(wide, attributes, hn::BitCast(d_kernel, v)...));
    }
  }
};

// Rows of results that follow each other in memory, by the links of a list of ops: an op's place there is the number of its link.
template <typename T, class... Ops>
class Chain {
  struct Same {  // what tags and stores do not depend on
    static constexpr OpInfo kInfo{.name = "same", .arity = 1, .doc = "out = x"};
  };
  using Elements = ElementwiseRows<Same, T>;
  using Wide = decltype(Elements::WideTag(TypeList<T, T>()));
  using D = StoredTag<T, Wide>;
  using V = hn::Vec<D>;
  using Element = Stored<T>;
  static constexpr std::size_t kVectors = 8;  // of a block
  // Whether there is room for pairs of vectors: of vectors that may have any length there are some KB, on the stack.
  static constexpr bool kMayPair = !HWY_HAVE_SCALABLE;

 public:
  static void Run(const ChainTile& tile) {
    const bool dense = tile.out_row_stride == tile.cols * static_cast<std::int64_t>(sizeof(Element));
    const std::int64_t together = dense ? tile.rows : 1;
    for (std::int64_t r = 0; r < tile.rows; r += together) Chain(tile, r, together).RunRows();
  }

 private:
  // What the chain begins with, or a link's operand. Element i of the long row is at `at`, and i elements on where it goes `along`.
  struct Input {
    std::uintptr_t at;
    std::uintptr_t along;  // all bits, or none
    bool splat;
    int number;  // of the link's case
    const AttributeSlot* attributes;
  };
  // An input of which the next row is neither the same value nor what comes next in memory.
  struct Changing {
    std::size_t input;
    const std::byte* row;  // the current one
    std::int64_t row_stride;
    bool splat;
  };

  // Inlined, as its object is then in registers, in part: 17 ns of a call.
  HWY_INLINE Chain(const ChainTile& tile, std::int64_t row, std::int64_t rows)
      : count_(static_cast<std::size_t>(tile.count)),
        cols_(static_cast<std::size_t>(tile.cols)),
        total_(cols_ * static_cast<std::size_t>(rows)),
        stream_(tile.stream),
        out_(reinterpret_cast<Element*>(static_cast<std::byte*>(tile.out) + row * tile.out_row_stride)),
        run_(stream_, out_, total_) {
    const std::int64_t row_bytes = tile.cols * static_cast<std::int64_t>(sizeof(Element));
    for (std::size_t l = 0; l <= count_; ++l) {
      const ChainInput& in = l == 0 ? tile.first : tile.links[l - 1].operand;
      const auto* data = static_cast<const std::byte*>(in.data) + row * in.row_stride;
      const auto set = [&](Input& input, bool splat) {
        input = {reinterpret_cast<std::uintptr_t>(data), in.splat ? 0 : ~std::uintptr_t{0}, splat, 0, nullptr};
        if (l == 0) return;
        const ChainLink& link = tile.links[l - 1];
        input.number = kCases.number[link.op][link.exchanged * 2 + splat];
        input.attributes = link.attributes;
      };
      set(inputs_[l], in.splat);
      const bool changes = rows > 1 && in.row_stride != (in.splat ? 0 : row_bytes);
      set(across_[l], in.splat && !changes);
      if (!changes) continue;
      changing_[changing_count_++] = {l, data, in.row_stride, in.splat};
      across_[l].along = 0;
    }
    end_ = changing_count_ > 0 ? cols_ : total_;
    const std::size_t lanes = hn::Lanes(D());
    pairs_ = kMayPair && changing_count_ > 0 && cols_ >= lanes && (cols_ % lanes != 0 || Misalignment(D(), out_) != 0);
    for (std::size_t c = 0; c < changing_count_; ++c) pairs_ = pairs_ && changing_[c].splat;
    SetPairs();
  }

  // Whole vectors of one row, and one at a time where rows meet.
  HWY_INLINE void RunRows() {
    const std::size_t lanes = hn::Lanes(D());
    std::size_t i = 0;
    if (total_ >= kVectors * lanes) {
      if (const std::size_t before = Misalignment(D(), out_); before != 0) i = RunSome(0, lanes - before);
    }
    for (;;) {
      i = RunVectors(i);
      if (i == total_) return;
      if (i == end_) continue;
      i = pairs_ && total_ - i >= lanes ? RunAcross(i) : RunSome(i, HWY_MIN(lanes, total_ - i));
    }
  }

  // From element i on, as long as there are whole vectors of its row. Returns where that ends.
  HWY_INLINE std::size_t RunVectors(std::size_t i) {
    const std::size_t lanes = hn::Lanes(D());
    if (i == end_) NextRow();
    for (; end_ - i >= 8 * lanes; i += 8 * lanes) RunBlock(inputs_, i, V0(), V0(), V0(), V0(), V0(), V0(), V0(), V0());
    if (end_ - i >= 4 * lanes) RunBlock(inputs_, i, V0(), V0(), V0(), V0()), i += 4 * lanes;
    if (end_ - i >= 2 * lanes) RunBlock(inputs_, i, V0(), V0()), i += 2 * lanes;
    if (end_ - i >= lanes) RunBlock(inputs_, i, V0()), i += lanes;
    return i;
  }
  static HWY_INLINE V V0() { return hn::Zero(D()); }

  HWY_INLINE void NextRow() {
    if (end_ == total_) return;
    const std::size_t begin = end_;
    end_ += cols_;
    for (std::size_t c = 0; c < changing_count_; ++c) {
      Changing& changing = changing_[c];
      changing.row += changing.row_stride;
      inputs_[changing.input].at = reinterpret_cast<std::uintptr_t>(changing.row) - (changing.splat ? 0 : begin * sizeof(Element));
    }
    SetPairs();
  }

  // A vector of this row's value beside one of the next row's, of each input that changes: long before the vector between the two
  // is loaded, as it would wait for the stores.
  HWY_INLINE void SetPairs() {
    if (!kMayPair || !pairs_ || end_ == total_) return;
    for (std::size_t c = 0; c < changing_count_; ++c) {
      const Changing& changing = changing_[c];
      Element* const pair = together_[changing.input];
      hn::Store(hn::Set(D(), *reinterpret_cast<const Element*>(changing.row)), D(), pair);
      hn::Store(hn::Set(D(), *reinterpret_cast<const Element*>(changing.row + changing.row_stride)), D(), pair + hn::Lanes(D()));
    }
  }

  // The vector from element i on, of which the first elements are this row's and the others the next one's. Returns its end.
  HWY_INLINE std::size_t RunAcross(std::size_t i) {
    const std::size_t lanes = hn::Lanes(D());
    for (std::size_t c = 0; c < changing_count_; ++c) {
      const std::size_t input = changing_[c].input;
      across_[input].at = reinterpret_cast<std::uintptr_t>(together_[input] + (lanes - (end_ - i)));
    }
    RunBlock(across_, i, V0());
    NextRow();
    return i + lanes;
  }

  // For elements [i, i + n) of this row and later ones, a vector of each input that changes, put together in memory.
  HWY_INLINE void PutTogether(std::size_t i, std::size_t n) {
    for (std::size_t c = 0; c < changing_count_; ++c) {
      const Changing& changing = changing_[c];
      const std::byte* row = changing.row;
      const auto* elements = reinterpret_cast<const Element*>(row);
      Element* const to = together_[changing.input];
      std::size_t done = HWY_MIN(end_ - i, n);
      V v = changing.splat ? hn::Set(D(), *elements) : hn::LoadN(D(), elements + (i - (end_ - cols_)), done);
      while (done < n) {
        row += changing.row_stride;
        elements = reinterpret_cast<const Element*>(row);
        const std::size_t some = HWY_MIN(cols_, n - done);
        if (changing.splat) {
          v = hn::IfThenElse(hn::FirstN(D(), done), v, hn::Set(D(), *elements));
        } else {
          hn::Store(v, D(), to);
          std::memcpy(to + done, elements, some * sizeof(Element));
          v = hn::Load(D(), to);
        }
        done += some;
      }
      hn::Store(v, D(), to);
      across_[changing.input].at = reinterpret_cast<std::uintptr_t>(to);
    }
  }

  static HWY_INLINE const Element* ElementAt(const Input& input, std::size_t i) {
    return reinterpret_cast<const Element*>(input.at + (i * sizeof(Element) & input.along));
  }

  // So many vectors from element i on.
  template <class... Vs>
  HWY_INLINE void RunBlock(const Input* inputs, std::size_t i, Vs... v) const {
    const Element* const first = ElementAt(inputs[0], i);
    const std::size_t step = inputs[0].splat ? 0 : hn::Lanes(D());
    std::size_t at = 0;
    if (step == 0) {
      ((v = hn::Set(D(), *first)), ...);
    } else {
      ((v = hn::LoadU(D(), first + at), at += step), ...);
    }
    for (std::size_t l = 1; l <= count_; ++l) {
      const Input& input = inputs[l];
      RunLink<true>(AllCases(), {input.number, ElementAt(input, i), 0, input.attributes}, v...);
    }
    Element* out = out_ + i;
    if (stream_ && Misalignment(D(), out) == 0) {
      ((run_.Store(v, D(), out), out += hn::Lanes(D())), ...);
    } else {
      ((hn::StoreU(v, D(), out), out += hn::Lanes(D())), ...);
    }
  }

  // Elements [i, i + n), up to a vector of them, of one row or several. Returns their end.
  HWY_NOINLINE std::size_t RunSome(std::size_t i, std::size_t n) {
    if (i == end_) NextRow();
    PutTogether(i, n);
    const Element* const first = ElementAt(across_[0], i);
    V v = across_[0].splat ? hn::Set(D(), *first) : hn::LoadN(D(), first, n);
    for (std::size_t l = 1; l <= count_; ++l) {
      const Input& input = across_[l];
      RunLink<false>(AllCases(), {input.number, ElementAt(input, i), n, input.attributes}, v);
    }
    if (stream_ && n == hn::Lanes(D()) && Misalignment(D(), out_ + i) == 0) {
      run_.Store(v, D(), out_ + i);
    } else {
      run_.StoreSome(v, D(), out_ + i, n);
    }
    while (i + n > end_) NextRow();
    SetPairs();  // where they were, this put its own together
    return i + n;
  }

  // What a link does: there is code for each, and no more, so that compilers make one switch of it.
  struct Case {
    std::size_t op;
    bool exchanged;  // the value so far is the op's second input
    bool splat;      // the operand is one value
  };
  struct Cases {
    constexpr Cases() {
      std::size_t op = 0;
      (Add<Ops>(op++), ...);
    }
    template <class Op>
    constexpr void Add(std::size_t op) {
      for (const int way : {0, 1, 2, 3}) {
        const bool exchanged = way >= 2, splat = way % 2 != 0;
        bool again = exchanged;  // the same as one before it
        if constexpr (IsLink<Op, T>()) {
          if constexpr (Op::kInfo.arity == 1) again = way != 0;
          if constexpr (Op::kInfo.arity == 2) again = exchanged && Commutes<Op, T>();
          if (!again) list[count++] = {op, exchanged, splat};
          const int same = Op::kInfo.arity == 1 || !exchanged || !again ? count - 1 : count - 2 + splat;
          number[op][way] = static_cast<std::uint8_t>(same);
        }
      }
    }
    Case list[4 * sizeof...(Ops)] = {};
    std::uint8_t number[sizeof...(Ops)][4] = {};  // exchanged and splat, as bits
    int count = 0;
  };
  static constexpr Cases kCases{};
  using AllCases = std::make_index_sequence<static_cast<std::size_t>(kCases.count)>;

  struct Link {
    int number;         // in kCases
    const Element* at;  // the operand
    std::size_t n;      // elements to load, where they are no whole vectors
    const AttributeSlot* attributes;
  };

  template <bool kWhole, std::size_t... kNumber, class... Vs>
  static HWY_INLINE void RunLink(std::index_sequence<kNumber...>, const Link& link, Vs&... v) {
    (void)((link.number == static_cast<int>(kNumber) && (RunCase<kWhole, kNumber>(link, v...), true)) || ...);
  }
  template <bool kWhole, std::size_t kNumber, class... Vs>
  static HWY_INLINE void RunCase(const Link& link, Vs&... v) {
    constexpr Case kCase = kCases.list[kNumber];
    using Op = std::tuple_element_t<kCase.op, std::tuple<Ops...>>;
    const auto attributes = LinkOp<Op, T>::ReadAttributes(link.attributes);
    if constexpr (Op::kInfo.arity == 1) {
      ((v = LinkOp<Op, T>::Result(D(), attributes, v)), ...);
    } else if constexpr (kCase.splat) {
      const V operand = hn::Set(D(), *link.at);
      ((v = Result<Op, kCase.exchanged>(attributes, v, operand)), ...);
    } else {
      const Element* at = link.at;
      ((v = Result<Op, kCase.exchanged>(attributes, v, LoadOf<kWhole>(at, link.n)), at += hn::Lanes(D())), ...);
    }
  }
  template <class Op, bool kExchanged, class A>
  static HWY_INLINE V Result(const A& attributes, V value, V operand) {
    if constexpr (kExchanged) {
      return LinkOp<Op, T>::Result(D(), attributes, operand, value);
    } else {
      return LinkOp<Op, T>::Result(D(), attributes, value, operand);
    }
  }
  template <bool kWhole>
  static HWY_INLINE V LoadOf(const Element* at, [[maybe_unused]] std::size_t n) {
    if constexpr (kWhole) {
      return hn::LoadU(D(), at);
    } else {
      return hn::LoadN(D(), at, n);
    }
  }

  const std::size_t count_, cols_, total_;  // links; elements of a row, and of the long one
  const bool stream_;
  Element* const out_;
  const OutputRun<Element> run_;
  Input inputs_[kMaxLinks + 1];  // in the current row
  Input across_[kMaxLinks + 1];  // where it meets the next one
  Changing changing_[kMaxLinks + 1];
  std::size_t changing_count_ = 0;
  std::size_t end_;  // of the current row; of all where nothing changes
  bool pairs_;       // rows meet within vectors, are not shorter than one, and all inputs that change are one value for each
  HWY_ALIGN Element together_[kMaxLinks + 1][(kMayPair ? 2 : 1) * hn::MaxLanes(D())];
};

// The chains of a list of ops, of some dtypes, on one target.
template <typename T, class... Ops>
constexpr void SetChain(ChainTable& table) {
  constexpr auto kDType = static_cast<std::size_t>(kDTypeOf<T>);
  std::uint64_t bit = 1;
  if constexpr ((IsLink<Ops, T>() || ...)) {
    table.run[kDType] = &Chain<T, Ops...>::Run;
    ((table.links[kDType] |= IsLink<Ops, T>() ? bit : 0, bit <<= 1), ...);
  }
}
template <class... Ops, typename... T>
constexpr ChainTable ChainsOf(OpList<Ops...>, TypeList<T...>) {
  static_assert(sizeof...(Ops) <= 64);
  ChainTable table = {};
  (SetChain<T, Ops...>(table), ...);
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

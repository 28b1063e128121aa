// Several ops over one tile without memory in between: eight vectors at a time stay in registers while each link's code jumps to
// that of the next one. Jumps are predicted, as the same ones follow each other again and again; of four vectors at a time they
// take as long as the arithmetic: 1.4 times as long in L1. By way of scratch, four ops take 2.5 times as long in L2.
#if defined(AXISCAST_SIMD_CHAIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_CHAIN_INL_H_
#undef AXISCAST_SIMD_CHAIN_INL_H_
#else
#define AXISCAST_SIMD_CHAIN_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>

#include "axiscast/kit/store-inl.h"
#include "axiscast/kit/table-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "simd/chain.h"
#include "simd/chain_blocks-inl.h"
#include "simd/link-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of results that follow each other in memory, by the links of a list of ops: an op's place there is the number of its link.
template <typename T, class... Ops>
class ChainRows {
  using Code = ChainCode<T, Ops...>;
  using D = typename Code::D;
  using V = typename Code::V;
  using Element = typename Code::Element;
  using Link = typename Code::Link;
  using Codes = typename Code::Codes;
  static constexpr std::int64_t kMostParts = kIsLine<D> ? kMaxPartsByTurns : 1;
  static constexpr std::size_t kMostVectors = 8;  // at a time: as many as calls hand on in registers
  // What goes to memory mostly comes from there. A block's begin asks for as many lines of all inputs as it has, from so many bytes
  // on: the second input's would else be asked for after the first links are done, and reading stand still meanwhile. Two inputs
  // from memory, 44 MB each, take 0.63 to 0.83 of the time (Zen 4, vectors of 64 bytes); of bytes from 0 to 512, 128 was the best,
  // by a little, and from 1024 on it takes longer. Of shorter vectors a block is over long before what it asks for comes: 2048
  // takes 0.82 to 0.95 of the time of 128, 1024 and 4096 about as long (Zen 3). In caches rows would take 1.1 to 1.5 times as long.
  // A Zen 5 wants 4 KB (Chain::ahead): 0.5 of the time of 128 bytes, 0.75 of 1 KB's.
  static constexpr std::size_t kAhead = HWY_MAX_BYTES < kLineBytes ? 2048 : 128;
  // Whether there is room for pairs of vectors: of vectors that may have any length there are some KB, on the stack.
  static constexpr bool kMayPair = !HWY_HAVE_SCALABLE;

 public:
  static void Run(const Tile& tile, const void* const* inputs, void* out) {
    if (ChainBlocks<T, Ops...>::IsFor(tile)) return RunBlocks(tile, inputs, out);
    const bool dense = tile.out_row_stride == tile.cols * static_cast<std::int64_t>(sizeof(Element));
    const std::int64_t together = dense ? tile.rows : 1;
    if (tile.stream) return RunStreamed(tile, inputs, out, together);
    for (std::int64_t r = 0; r < tile.rows; r += together) {
      ChainRows rows(tile, inputs, static_cast<std::byte*>(out) + r * tile.out_row_stride, r, together);
      rows.template RunRows<false>(0, 0);
    }
  }

 private:
  // Whole blocks; the last rows, less than a block has, are run as others are.
  static HWY_NOINLINE void RunBlocks(const Tile& tile, const void* const* inputs, void* out) {
    using Blocks = ChainBlocks<T, Ops...>;
    Blocks::Run(tile, inputs, out);
    Tile rest = tile;
    rest.rows = tile.rows % Blocks::kRows;
    if (rest.rows == 0) return;
    const void* rest_inputs[kMaxLinks + 1];
    const std::int64_t done = tile.rows - rest.rows;
    Blocks::FindRow(tile, inputs, done, rest_inputs);
    Run(rest, rest_inputs, static_cast<std::byte*>(out) + done * tile.out_row_stride);
  }

  // Past the caches. So many parts (PartsByTurns::chains) of rows that follow each other take turns (ForRunsByTurns in
  // kit/store-inl.h) of eight vectors, if those are lines; each begins on a line, if the first one does. (Of two parts a Zen 5
  // takes 1.05 to 1.25 times as long as from one, from four 1.4 to 2 times.)
  static HWY_NOINLINE void RunStreamed(const Tile& tile, const void* const* inputs, void* out, std::int64_t together) {
    alignas(ChainRows) std::byte room[kMostParts][sizeof(ChainRows)];
    const std::size_t row_bytes = static_cast<std::size_t>(tile.cols) * sizeof(Element), turn = kMostVectors * hn::Lanes(D());
    const auto most_parts = static_cast<std::size_t>(tile.by_turns.chains);
    const bool by_turns =
        kMostParts > 1 && most_parts > 1 && static_cast<std::size_t>(together) * row_bytes >= LeastRunsByTurns(most_parts);
    const auto step = static_cast<std::int64_t>(kLineBytes / std::gcd(row_bytes, std::size_t{kLineBytes}));
    const std::int64_t part = by_turns ? together / tile.by_turns.chains / step * step : 0;  // rows
    for (std::int64_t r = 0; r < tile.rows;) {
      // Parts, and then what they leave.
      const std::int64_t parts = part > 0 && r == 0 ? tile.by_turns.chains : 1,
                         rows = parts > 1 ? part : HWY_MIN(together, tile.rows - r);
      ChainRows* of[kMostParts];
      for (std::int64_t p = 0; p < parts; ++p, r += rows) {
        of[p] = new (room[p]) ChainRows(tile, inputs, static_cast<std::byte*>(out) + r * tile.out_row_stride, r, rows);
      }
      if (parts == 1) {
        of[0]->template RunRows<true>(0, of[0]->total_);
        continue;
      }
      std::size_t next[kMostParts] = {};
      for (bool left = true; left;) {
        left = false;
        for (std::int64_t p = 0; p < parts; ++p) {
          if (next[p] == of[p]->total_) continue;
          next[p] = of[p]->template RunRows<true>(next[p], next[p] + turn);
          left = true;
        }
      }
    }
  }

  // An input of which the next row is neither the same value nor what comes next in memory.
  struct Changing {
    std::size_t link;
    const std::byte* row;  // the current one
    std::int64_t row_stride;
    bool splat;
  };

  // Inlined, as its object is then in registers, in part.
  HWY_INLINE ChainRows(const Tile& tile, const void* const* inputs, void* out, std::int64_t row, std::int64_t rows)
      : count_(static_cast<std::size_t>(tile.chain->count)),
        cols_(static_cast<std::size_t>(tile.cols)),
        total_(cols_ * static_cast<std::size_t>(rows)),
        out_(static_cast<Element*>(out)),
        ahead_(HWY_MAX(kAhead, static_cast<std::size_t>(tile.chain->ahead))),
        first_splat_(tile.chain->in[0].splat),
        run_(tile.stream, out_, total_) {
    const Chain& chain = *tile.chain;
    const std::int64_t row_bytes = tile.cols * static_cast<std::int64_t>(sizeof(Element));
    SetLink(chain.in[0], inputs[0], nullptr, 0, row, row_bytes, rows);
    for (std::size_t l = 1; l <= count_; ++l) {
      const ChainLink& link = chain.links[l - 1];
      const ChainInput& in = chain.in[link.input];
      const Codes* codes = Code::kTable.of[link.op][link.exchanged][in.splat ? Code::kSplat : Code::kVectors];
      if (link.input == 0) {
        links_[l] = {codes, link.attributes, 0, 0, 0};
      } else {
        SetLink(in, inputs[link.input], link.attributes, l, row, row_bytes, rows);
        links_[l].codes = codes;
      }
    }
    links_[count_ + 1] = {tile.stream ? &Code::kStream : &Code::kStore, &run_, reinterpret_cast<std::uintptr_t>(out_), Code::kAlong,
                          0};
    end_ = changing_count_ > 0 ? cols_ : total_;
    if (changing_count_ > 0 && (cols_ % hn::Lanes(D()) != 0 || Misalignment(D(), out_) != 0)) SetAcross(chain);
  }
  HWY_INLINE void SetLink(const ChainInput& in, const void* input, const AttributeSlot* attributes, std::size_t l, std::int64_t row,
                          std::int64_t row_bytes, std::int64_t rows) {
    const std::int64_t row_stride = RowStrideOf(in, row_bytes);
    const auto* data = static_cast<const std::byte*>(input) + row * row_stride;
    links_[l] = {nullptr, attributes, reinterpret_cast<std::uintptr_t>(data), in.splat ? 0 : Code::kAlong, 0};
    if (!in.splat && !in.dense && (rows == 1 || row_stride == row_bytes)) asked_[asked_count_++] = l;
    if (rows > 1 && row_stride != (in.splat ? 0 : row_bytes)) changing_[changing_count_++] = {l, data, row_stride, in.splat};
  }

  // Where rows meet, inputs that change are vectors that are put together from both rows.
  HWY_NOINLINE void SetAcross(const Chain& chain) {
    for (std::size_t l = 0; l <= count_ + 1; ++l) across_[l] = links_[l];
    across_first_splat_ = first_splat_ && changing_[0].link != 0;
    pairs_ = kMayPair && cols_ >= hn::Lanes(D());
    for (std::size_t c = 0; c < changing_count_; ++c) {
      const std::size_t l = changing_[c].link;
      pairs_ = pairs_ && changing_[c].splat;
      across_[l].along = 0;
      if (l > 0) across_[l].codes = Code::kTable.of[chain.links[l - 1].op][chain.links[l - 1].exchanged][Code::kVectors];
    }
    SetPairs();
  }

  // Whole vectors of one row, and one at a time where rows meet: from element i on. Where results are streamed, no more begin from
  // `stop` on. Returns where the next one is.
  template <bool kStream>
  HWY_INLINE std::size_t RunRows(std::size_t i, [[maybe_unused]] std::size_t stop) {
    const std::size_t lanes = hn::Lanes(D());
    if (i == 0 && total_ >= kMostVectors * lanes) {
      if (const std::size_t before = Misalignment(D(), out_); before != 0) i = RunSome(0, lanes - before);
      if (i == end_) NextRow();
    }
    for (;;) {
      if (kStream && i >= stop) return i;
      for (; end_ - i >= 8 * lanes; i += 8 * lanes) {
        if (kStream && i >= stop) return i;
        AskAhead<kStream>(i, 8);
        RunBlock(links_, i, first_splat_, V0(), V0(), V0(), V0(), V0(), V0(), V0(), V0());
      }
      if (i != end_) {
        if (end_ - i >= 4 * lanes)
          AskAhead<kStream>(i, 4), RunBlock(links_, i, first_splat_, V0(), V0(), V0(), V0()), i += 4 * lanes;
        if (end_ - i >= 2 * lanes) AskAhead<kStream>(i, 2), RunBlock(links_, i, first_splat_, V0(), V0()), i += 2 * lanes;
        if (end_ - i >= lanes) AskAhead<kStream>(i, 1), RunBlock(links_, i, first_splat_, V0()), i += lanes;
        if (i != end_) {
          AskAhead<kStream>(i, 1);
          i = pairs_ && total_ - i >= lanes ? RunAcross(i) : RunSome(i, HWY_MIN(lanes, total_ - i));
          if (i == end_ && i != total_) NextRow();
          if (i == total_) return i;
          continue;
        }
      }
      if (end_ == total_) return i;
      NextRow();
    }
  }
  static HWY_INLINE V V0() { return hn::Zero(D()); }

  // Before so many vectors from element i on.
  template <bool kStream>
  HWY_INLINE void AskAhead(std::size_t i, std::size_t vectors) const {
    if constexpr (!kStream) return;
    for (std::size_t a = 0; a < asked_count_; ++a) {
      const auto* ahead = reinterpret_cast<const std::byte*>(links_[asked_[a]].data + i * sizeof(Element)) + ahead_;
      for (std::size_t line = 0; line < vectors * hn::Lanes(D()) * sizeof(Element); line += kLineBytes) hwy::Prefetch(ahead + line);
    }
  }

  HWY_INLINE void NextRow() {
    if (end_ == total_) return;
    const std::size_t begin = end_;
    end_ += cols_;
    for (std::size_t c = 0; c < changing_count_; ++c) {
      Changing& changing = changing_[c];
      changing.row += changing.row_stride;
      links_[changing.link].data = reinterpret_cast<std::uintptr_t>(changing.row) - (changing.splat ? 0 : begin * sizeof(Element));
    }
    if (pairs_) SetPairs();
  }

  // A vector of this row's value beside one of the next row's, of each input that changes: long before the vector between the two
  // is loaded, as it would wait for the stores.
  HWY_INLINE void SetPairs() {
    if (!kMayPair || !pairs_ || end_ == total_) return;
    for (std::size_t c = 0; c < changing_count_; ++c) {
      const Changing& changing = changing_[c];
      Element* const pair = together_[changing.link];
      hn::Store(hn::Set(D(), *reinterpret_cast<const Element*>(changing.row)), D(), pair);
      hn::Store(hn::Set(D(), *reinterpret_cast<const Element*>(changing.row + changing.row_stride)), D(), pair + hn::Lanes(D()));
    }
  }

  // The vector from element i on, of which the first elements are this row's and the others the next one's. Returns its end.
  HWY_INLINE std::size_t RunAcross(std::size_t i) {
    const std::size_t lanes = hn::Lanes(D());
    for (std::size_t c = 0; c < changing_count_; ++c) {
      const std::size_t link = changing_[c].link;
      across_[link].data = reinterpret_cast<std::uintptr_t>(together_[link] + (lanes - (end_ - i)));
    }
    RunBlock(across_, i, across_first_splat_, V0());
    NextRow();
    return i + lanes;
  }

  // For elements [i, i + n) of this row and later ones, a vector of each input that changes, put together in memory.
  HWY_INLINE void PutTogether(std::size_t i, std::size_t n) {
    for (std::size_t c = 0; c < changing_count_; ++c) {
      const Changing& changing = changing_[c];
      const std::byte* row = changing.row;
      const auto* elements = reinterpret_cast<const Element*>(row);
      Element* const to = together_[changing.link];
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
      across_[changing.link].data = reinterpret_cast<std::uintptr_t>(to);
    }
  }

  // So many vectors from element i on.
  template <class... Vs>
  static HWY_INLINE void RunBlock(const Link* links, std::size_t i, bool first_splat, Vs... v) {
    const std::uintptr_t at = i * sizeof(Element);
    const auto set = [](V& value, V operand) HWY_ATTR { value = operand; };
    if (first_splat) {
      Code::template WithOperands<Code::kSplat>(*links, at, set, v...);
    } else {
      Code::template WithOperands<Code::kVectors>(*links, at, set, v...);
    }
    links[1].codes->template Of<Vs...>()(links + 1, at, v...);
  }

  // Elements [i, i + n), up to a vector of them, of one row or several. Returns their end.
  HWY_NOINLINE std::size_t RunSome(std::size_t i, std::size_t n) {
    const bool changes = changing_count_ > 0;
    const Link* const links = changes ? across_ : links_;
    PutTogether(i, n);
    const std::uintptr_t at = i * sizeof(Element);
    const Element* const first = links[0].At(at);
    const bool splat = changes ? across_first_splat_ : first_splat_;
    links[1].codes->some(links + 1, at, n, splat ? hn::Set(D(), *first) : hn::LoadN(D(), first, n));
    while (i + n > end_) NextRow();
    if (pairs_) SetPairs();  // where they were, this put its own together
    return i + n;
  }

  const std::size_t count_, cols_, total_;  // links; elements of a row, and of the long one
  Element* const out_;
  const std::size_t ahead_;
  const bool first_splat_;  // what the chain begins with is one value of a row
  const OutputRun<Element> run_;
  Link links_[kMaxLinks + 2];   // in the current row: what the chain begins with, the links, the output
  Link across_[kMaxLinks + 2];  // where it meets the next one
  Changing changing_[kMaxLinks + 1];
  std::size_t changing_count_ = 0;
  std::size_t asked_[kMaxLinks + 1];  // links, of inputs in memory whose rows follow each other
  std::size_t asked_count_ = 0;
  std::size_t end_;          // of the current row; of all where nothing changes
  bool pairs_ = false;       // rows meet within vectors, are not shorter than one, and all inputs that change are one value each
  bool across_first_splat_;  // as first_splat_, of across_
  HWY_ALIGN Element together_[kMaxLinks + 1][(kMayPair ? 2 : 1) * hn::MaxLanes(D())];
};

// The chains of a list of ops, of some dtypes, on one target.
template <typename T, class... Ops>
constexpr void SetChain(ChainTable& table) {
  constexpr auto kDType = static_cast<std::size_t>(kDTypeOf<T>);
  std::uint64_t bit = 1;
  if constexpr ((IsLink<Ops, T>() || ...)) {
    table.run[kDType] = &ChainRows<T, Ops...>::Run;
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

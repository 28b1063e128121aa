// How an input faces the columns of a tile: Streamed (contiguous) or Splat (one value).
#if defined(AXISCAST_KIT_OPERAND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_OPERAND_INL_H_
#undef AXISCAST_KIT_OPERAND_INL_H_
#else
#define AXISCAST_KIT_OPERAND_INL_H_
#endif

#include "axiscast/kit/half-inl.h"
#include "axiscast/kit/op.h"
#include "axiscast/kit/store-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What is in memory beside a vector of Lane<T>.
template <typename T, class D>
using StoredTag = hn::Rebind<Stored<T>, D>;

// Whether an op's Vector is short enough for loops for each kind of operands. Where conversions of float16 are many instructions
// none is: a third of the code of such a target, and what it takes is theirs. With SSE2 no op is: its kernels are for CPUs without
// SSE4.2 or the AES instructions, as Intel's before 2010, cheap ones for some years after, and virtual ones that say so. There
// calls take 1.3 to 4 times as long in caches, 1.16 times from memory; an eighth of the library's code was for them.
template <class Op, typename T>
inline constexpr bool kIsShort =
    HWY_TARGET != HWY_SSE2 && !IsCompact<Op, T>() && (kHasFloat16Conversions || !std::is_same_v<T, Float16>);

// Whether it has such loops.
template <class Op, typename T>
inline constexpr bool kHasLoops = kIsShort<Op, T>&& BuildHasLoops(Op::kInfo.name);

// Whether a Binary op of Ts has loops for inputs in another order than memory's as well.
template <class Op, typename T>
inline constexpr bool kHasOrderedLoops = !HasPlainLoops<Op, T>() && kHasLoops<Op, T> &&
                                         std::is_same_v<InputsOf<Op, T>, TypeList<T, T>> && std::is_same_v<OutOf<Op, T>, T>;

// Lanes of what was in memory: a bool's are made 0 or 1, whatever byte stood for true; halves are widened.
template <typename T, class D>
HWY_INLINE hn::VFromD<D> FromStored([[maybe_unused]] D d, hn::VFromD<StoredTag<T, D>> v) {
  if constexpr (std::is_same_v<T, bool>) {
    return hn::Min(v, hn::Set(d, std::uint8_t{1}));
  } else if constexpr (kIsHalf<T>) {
    return WidenHalf(T(), d, v);
  } else if constexpr (!std::is_same_v<Stored<T>, Lane<T>>) {
    return hn::BitCast(d, v);
  } else {
    return v;
  }
}

// What goes to memory: halves are rounded.
template <typename T, class D>
HWY_INLINE hn::VFromD<StoredTag<T, D>> ToStored([[maybe_unused]] D d, hn::VFromD<D> v) {
  if constexpr (kIsHalf<T>) {
    return RoundToHalf(T(), d, v);
  } else if constexpr (!std::is_same_v<Stored<T>, Lane<T>>) {
    return hn::BitCast(StoredTag<T, D>(), v);
  } else {
    return v;
  }
}

// How many bytes behind an element loops that stream ask for what comes. With AVX2 it is what a Zen 3 wants, else a Zen 5: which
// takes 1.1 times as long with 384 bytes or more, 1.2 for some of int8, and as long with 128. Where four parts take turns it is
// what an Emerald Rapids wants, which takes as long with 512 bytes as with 1 KB; fewer were not tried there, nor any on a Zen 4.
inline constexpr std::size_t kAheadOfStream = HWY_MAX_BYTES >= 64 ? 256 : 1024, kFarAheadOfStream = 1024;
HWY_INLINE std::size_t AheadOfStream(Streaming streaming) {
  return streaming.most_parts > 2 || !streaming.past_caches ? kFarAheadOfStream : kAheadOfStream;
}

// An input's rows, by value: where the first one begins, and how many bytes it is to the next.
struct InputRows {
  const std::byte* data;
  std::int64_t row_stride;

  template <typename T>
  HWY_INLINE const Stored<T>* Row(std::int64_t row) const {
    return reinterpret_cast<const Stored<T>*>(data + row * row_stride);
  }
};
HWY_INLINE InputRows RowsOf(const Tile& tile, const void* const* inputs, int i) {
  return {static_cast<const std::byte*>(inputs[i]), tile.in[i].row_stride};
}

// One element. A bool's byte may be any, so it is never read as a bool.
template <typename T>
HWY_INLINE Computed<T> ElementAt(const InputRows& in, std::int64_t row, std::int64_t col) {
  const Stored<T> stored = in.Row<T>(row)[col];
  if constexpr (std::is_same_v<T, bool>) {
    return stored != 0;
  } else if constexpr (kIsHalf<T>) {
    T half;
    half.bits = stored;
    return static_cast<float>(half);
  } else {
    return stored;
  }
}

// An operand at one of its rows, which gives elements as they are stored; `d` may have any number of lanes. Rows that join are
// counted through: element i is number i % cols of row i / cols; Next() is then the operand at the next row, After(rows) at a later
// one. Of rows that do not join, NextRow() goes to the next one, AtRow(row) is the operand at a later one. AskAhead(i) and, in
// loops that stream, AskToStream(i) prefetch what comes behind element i; in those, SetAhead(bytes) says how far behind.
//
// Streamed: elements one after the other. kAsked: a loop that streams asks for them.
template <typename T, bool kAsked = true>
class Streamed {
 public:
  using Element = T;
  static constexpr bool kStreamed = true;
  HWY_INLINE explicit Streamed(InputRows in) : data_(in.data), row_stride_(in.row_stride) {}

  HWY_INLINE void SetAhead(std::size_t bytes) { ahead_ = bytes; }
  HWY_INLINE bool Joins(std::size_t cols) const { return row_stride_ == static_cast<std::int64_t>(cols * sizeof(Stored<T>)); }
  HWY_INLINE void NextRow() { data_ += row_stride_; }
  HWY_INLINE Streamed AtRow(std::int64_t row) const {
    Streamed at = *this;
    at.data_ += row * row_stride_;
    return at;
  }
  HWY_INLINE Streamed After(std::int64_t) const { return *this; }
  HWY_INLINE Streamed Next() const { return *this; }

  // In a long row, asks for what comes 1 KB behind an element. Of halves alone, whose conversions leave the core no time to run
  // ahead: from L3, adding one value takes 0.82 of the time with one thread and 0.9 with two, and so does adding a row of bfloat16.
  // It costs nothing elsewhere, except with float16 from half of L3 on and one thread: 1.1 to 1.2 times as long. float32 would take
  // 1.07 to 1.2 times as long on a quiet core, and 0.85 on a busy one.
  static HWY_INLINE void AskAhead([[maybe_unused]] const Stored<T>* element) {
    if constexpr (kIsHalf<T>) hwy::Prefetch(element + kBytesAhead / sizeof(T));
  }
  HWY_INLINE void AskAhead(std::size_t i) const { AskAhead(reinterpret_cast<const Stored<T>*>(data_) + i); }
  // The same in a loop that streams. Halves take 0.88 to 0.94 of the time (a Zen 3), 0.75 to 0.85 with AVX-512, where other dtypes
  // in short rows take 0.87 to 0.93 and in long ones as long (an Emerald Rapids). What lies behind a row that comes again is asked
  // for in vain. Of scalable vectors nobody measured it.
  HWY_INLINE void AskToStream([[maybe_unused]] std::size_t i) const {
    if constexpr (kAsked && !HWY_HAVE_SCALABLE && (kIsHalf<T> || HWY_MAX_BYTES >= 64))
      hwy::Prefetch(data_ + i * sizeof(Stored<T>) + ahead_);
  }
  // Elements [i, i + lanes).
  template <class D>
  HWY_INLINE hn::VFromD<D> Load(D d, std::size_t i) const {
    return hn::LoadU(d, reinterpret_cast<const Stored<T>*>(data_) + i);
  }
  // The same, `own` of them from this row and the rest from the next one.
  template <class D>
  HWY_INLINE hn::VFromD<D> LoadCrossing(D d, std::size_t i, std::size_t /*own*/, const Streamed&) const {
    return Load(d, i);
  }

 private:
  static constexpr std::size_t kBytesAhead = 1024;
  const std::byte* data_;
  std::int64_t row_stride_;
  std::size_t ahead_ = kAheadOfStream;
};

// Splat: a row that is one value.
template <typename T>
class Splat {
 public:
  using Element = T;
  static constexpr bool kStreamed = false;
  HWY_INLINE explicit Splat(InputRows in) : data_(in.data), row_stride_(in.row_stride), value_(Value()) {}

  HWY_INLINE void AskAhead(std::size_t) const {}
  HWY_INLINE void AskToStream(std::size_t) const {}
  HWY_INLINE void SetAhead(std::size_t) {}
  HWY_INLINE bool Joins(std::size_t) const { return true; }
  HWY_INLINE void NextRow() { *this = Next(); }
  HWY_INLINE Splat AtRow(std::int64_t row) const { return After(row); }
  HWY_INLINE Splat After(std::int64_t rows) const {
    Splat later = *this;
    later.data_ += rows * row_stride_;
    later.value_ = later.Value();
    return later;
  }
  HWY_INLINE Splat Next() const { return After(1); }

  template <class D>
  HWY_INLINE hn::VFromD<D> Load(D d, std::size_t) const {
    return hn::Set(d, value_);
  }
  template <class D>
  HWY_INLINE hn::VFromD<D> LoadCrossing(D d, std::size_t i, std::size_t own, const Splat& next) const {
    return hn::IfThenElse(hn::FirstN(d, own), Load(d, i), next.Load(d, i));
  }

 private:
  HWY_INLINE Stored<T> Value() const { return *reinterpret_cast<const Stored<T>*>(data_); }

  const std::byte* data_;
  std::int64_t row_stride_;
  Stored<T> value_;
};

// Repeated: one after the other, and in each row from the first one again; in rows that join alone.
template <typename T>
class Repeated {
 public:
  using Element = T;
  static constexpr bool kStreamed = false;
  // Rows have at least the elements of one vector of D. `ends` is room for two: there lies what is in two rows.
  template <class D>
  HWY_INLINE Repeated(D d, const void* row, std::size_t cols, Stored<T>* ends)
      : row_(reinterpret_cast<std::uintptr_t>(row)), ends_(ends + hn::Lanes(d)), row_bytes_(cols * sizeof(Stored<T>)) {
    hn::Store(Load(d, cols - hn::Lanes(d)), d, ends);
    hn::Store(Load(d, 0), d, ends + hn::Lanes(d));
  }

  HWY_INLINE void AskAhead(std::size_t) const {}
  HWY_INLINE void AskToStream(std::size_t) const {}
  HWY_INLINE void SetAhead(std::size_t) {}
  HWY_INLINE Repeated After(std::int64_t rows) const {
    Repeated later = *this;
    later.row_ -= static_cast<std::size_t>(rows) * row_bytes_;
    return later;
  }
  HWY_INLINE Repeated Next() const { return After(1); }
  template <class D>
  HWY_INLINE hn::VFromD<D> Load(D d, std::size_t i) const {
    return hn::LoadU(d, reinterpret_cast<const Stored<T>*>(row_ + i * sizeof(Stored<T>)));
  }
  template <class D>
  HWY_INLINE hn::VFromD<D> LoadCrossing(D d, std::size_t /*i*/, std::size_t own, const Repeated&) const {
    return hn::LoadU(d, ends_ - own);
  }

 private:
  std::uintptr_t row_;     // where the row's elements were, if they were counted from the first row
  const Stored<T>* ends_;  // between a row's last elements and the next one's first
  std::size_t row_bytes_;
};

// Sets the dtypes of a kernel of `Op` for T, as its Inputs, Out and Attribute say.
template <typename... T>
HWY_INLINE constexpr void SetInputs(TypeList<T...>, Kernel& kernel) {
  int i = 0;
  ((kernel.inputs[i++] = kDTypeOf<T>), ...);
}
template <class Op, typename T>
HWY_INLINE constexpr void SetDTypes(Kernel& kernel) {
  SetInputs(InputsOf<Op, T>(), kernel);
  kernel.output = kDTypeOf<OutOf<Op, T>>;
  kernel.attributes = kDTypeOf<AttributeOf<Op, T>>;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

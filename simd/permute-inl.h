// What the movers of one target share: more tables of lanes, four vectors whose lanes are permuted, and vectors of triples.
#if defined(AXISCAST_SIMD_PERMUTE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_PERMUTE_INL_H_
#undef AXISCAST_SIMD_PERMUTE_INL_H_
#else
#define AXISCAST_SIMD_PERMUTE_INL_H_
#endif

#include <cstring>

#include "axiscast/kit/permute-inl.h"
#include "hwy/highway.h"
#include "simd/element.h"
#include "simd/repeat_tables.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether a vector's lanes are permuted in few instructions.
template <typename T>
inline constexpr bool kHasLanePermute = kHasLanes<T> && (HWY_ARCH_X86 ? HWY_TARGET <= HWY_SSSE3 : HWY_TARGET_IS_NEON);

// Whether that is so of the lanes of two vectors, and the instruction heeds of indices what it needs.
template <typename T>
inline constexpr bool kPermutesPairs = (HWY_TARGET <= HWY_AVX3) && kHasLanes<T>&& kPermutesLanes<sizeof(T)>;

// Four vectors that follow each other, and vectors of any of their lanes.
template <class D>
class FourVectors {
  using V = hn::VFromD<D>;
  using Index = hn::TFromD<hn::RebindToUnsigned<D>>;
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  static constexpr auto kVector = kLanes * static_cast<std::int64_t>(sizeof(hn::TFromD<D>));

 public:
  static constexpr std::int64_t kBytes = 4 * kVector;

  // Of which `readable` bytes are there; lanes behind them are 0.
  HWY_INLINE FourVectors(const std::byte* from, std::int64_t readable) {
    HWY_ALIGN std::byte copied[kBytes];
    if (HWY_UNLIKELY(readable < kBytes)) {
      std::memset(copied, 0, kBytes);
      std::memcpy(copied, from, static_cast<std::size_t>(readable));
      from = copied;
    }
    const D d;
    v0_ = LoadBytes(d, from), v1_ = LoadBytes(d, from + kVector);
    v2_ = LoadBytes(d, from + 2 * kVector), v3_ = LoadBytes(d, from + 3 * kVector);
  }

  // Lanes index[i].
  template <class VIndex>
  HWY_INLINE V Lanes(VIndex index) const {
    const D d;
    const hn::RebindToUnsigned<D> d_index;
    const auto upper = hn::RebindMask(d, hn::TestBit(index, hn::Set(d_index, static_cast<Index>(2 * kLanes))));
    const auto table = hn::IndicesFromVec(d, hn::And(index, hn::Set(d_index, static_cast<Index>(2 * kLanes - 1))));
    return hn::IfThenElse(upper, hn::TwoTablesLookupLanes(d, v2_, v3_, table), hn::TwoTablesLookupLanes(d, v0_, v1_, table));
  }

 private:
  V v0_, v1_, v2_, v3_;
};

// The first `count` lanes of a vector, or all of them, to any address.
template <class D>
HWY_INLINE void StoreUpTo(hn::VFromD<D> v, D d, std::int64_t count, std::byte* to) {
  if (HWY_LIKELY(count >= static_cast<std::int64_t>(hn::Lanes(d)))) return StoreBytes(v, d, to);
  const hn::Repartition<std::uint8_t, D> bytes;
  hn::StoreN(hn::BitCast(bytes, v), bytes, reinterpret_cast<std::uint8_t*>(to),
             static_cast<std::size_t>(count) * sizeof(hn::TFromD<D>));
}

// kCycleTables.of[p][q] = q % p: where element q of p elements over and over comes from.
struct CycleTables {
  std::uint8_t of[kMaxTableLanes + 1][kMaxTableLanes + 1];
};
constexpr CycleTables MakeCycleTables() {
  CycleTables tables = {};
  for (std::size_t p = 1; p <= kMaxTableLanes; ++p) {
    for (std::size_t q = 0; q <= kMaxTableLanes; ++q) tables.of[p][q] = static_cast<std::uint8_t>(q % p);
  }
  return tables;
}
inline constexpr CycleTables kCycleTables = MakeCycleTables();

// Where lane q comes from when triples are made: 3 of it is q, modulo any power of two up to 256.
struct ThirdTable {
  std::uint8_t of[kMaxTableLanes];
};
constexpr ThirdTable MakeThirdTable() {
  ThirdTable table = {};
  for (std::size_t q = 0; q < kMaxTableLanes; ++q) table.of[q] = static_cast<std::uint8_t>(171 * q);
  return table;
}
inline constexpr ThirdTable kThirdTable = MakeThirdTable();

// Triples one after the other in three vectors, to and from a vector for each place in a triple. What has one place is in other
// lanes of each of the three: two blends bring it together, and one permutation in order. Highway's interleaved loads and stores
// of 16 floats take 2 to 4 times as long. Masks are members, as x86 alone has what this is for (kHasTriples).
template <class D>
class Triples {
  using V = hn::VFromD<D>;
  using DLanes = hn::RebindToUnsigned<D>;
  using Lane = hn::TFromD<DLanes>;

 public:
  HWY_INLINE Triples() : zeros_(MaskOf(0)), ones_(MaskOf(1)), twos_(MaskOf(2)) {}

  // That place of each triple.
  template <int kPlace>
  HWY_INLINE V Take(V v0, V v1, V v2) const {
    const DLanes d;
    const auto lane = hn::Iota(d, Lane{0});
    const auto at = hn::Add(hn::Add(hn::Add(lane, lane), lane), hn::Set(d, Lane{kPlace}));
    return hn::TableLookupLanes(Blend<kPlace, -kRest>(v0, v1, v2), IndicesOf(at));
  }
  // The lanes of a vector of that place, in the order that Join takes.
  template <int kPlace>
  HWY_INLINE V Spread(V v) const {
    const DLanes d;
    return hn::TableLookupLanes(v, IndicesOf(hn::Sub(LoadTable(d, kThirdTable.of), hn::Set(d, static_cast<Lane>(171 * kPlace)))));
  }
  // That one of three vectors of triples.
  template <int kVector>
  HWY_INLINE V Join(V spread0, V spread1, V spread2) const {
    return Blend<-kVector * kRest, 1>(spread0, spread1, spread2);
  }

 private:
  static constexpr int kRest = hn::MaxLanes(D()) % 3;

  static HWY_INLINE auto MaskOf(int rest) {
    const DLanes d;
    return hn::RebindMask(D(), hn::Eq(LoadTable(d, kCycleTables.of[3]), hn::Set(d, static_cast<Lane>(rest))));
  }
  static HWY_INLINE auto IndicesOf(hn::VFromD<DLanes> at) {
    const DLanes d;
    return hn::IndicesFromVec(D(), hn::And(at, hn::Set(d, static_cast<Lane>(hn::MaxLanes(D()) - 1))));
  }
  // Lanes whose number leaves that rest when divided by 3.
  template <int kLaneRest>
  HWY_INLINE hn::Mask<D> Lanes() const {
    constexpr int kPositive = (kLaneRest % 3 + 3) % 3;
    return kPositive == 0 ? zeros_ : kPositive == 1 ? ones_ : twos_;
  }
  // v0 in lanes that leave kFirst, v1 in those that leave kFirst + kStep, v2 in the others.
  template <int kFirst, int kStep>
  HWY_INLINE V Blend(V v0, V v1, V v2) const {
    return hn::IfThenElse(Lanes<kFirst>(), v0, hn::IfThenElse(Lanes<kFirst + kStep>(), v1, v2));
  }

  hn::Mask<D> zeros_, ones_, twos_;
};
template <typename T>
inline constexpr bool kHasTriples = (kHasLanes<T>)&&(kPermutesLanes<sizeof(T)>);

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

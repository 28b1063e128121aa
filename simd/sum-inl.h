// The sums of each dtype on one target.
#if defined(AXISCAST_SIMD_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_SUM_INL_H_
#undef AXISCAST_SIMD_SUM_INL_H_
#else
#define AXISCAST_SIMD_SUM_INL_H_
#endif

#include "core/kernel.h"
#include "simd/sum_columns-inl.h"
#include "simd/sum_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void RoundAccumulators(const std::byte* x_bytes, std::int64_t signed_count, std::byte* out_bytes) {
  const hn::ScalableTag<float> d;
  const StoredTag<T, decltype(d)> d_stored;
  const auto* const x = reinterpret_cast<const float*>(x_bytes);
  auto* const out = reinterpret_cast<Stored<T>*>(out_bytes);
  const std::size_t lanes = hn::Lanes(d), count = static_cast<std::size_t>(signed_count);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(ToStored<T>(d, hn::LoadU(d, x + i)), d_stored, out + i);
  if (i < count) hn::StoreN(ToStored<T>(d, hn::LoadN(d, x + i, count - i)), d_stored, out + i, count - i);
}

template <typename T>
SumKernel SumKernelOf() {
  using A = Computed<T>;
  SumKernel kernel = {};
  kernel.lanes = kLanesOf<T>;
  kernel.size = sizeof(A);
  kernel.in_any_order = std::is_integral_v<T>;
  kernel.rows = &SumRows<T>;
  kernel.columns = &SumColumns<T>;
  kernel.add = [](std::byte* x, const std::byte* y, std::int64_t count) {
    AddAccumulators(reinterpret_cast<A*>(x), reinterpret_cast<const A*>(y), count);
  };
  if constexpr (kIsHalf<T>) kernel.round = &RoundAccumulators<T>;
  return kernel;
}

template <typename... T>
SumKernels SumKernelsOf(TypeList<bool, T...>) {
  SumKernels sums = {};
  ((sums.of[static_cast<std::size_t>(kDTypeOf<T>)] = SumKernelOf<SameBits<T>>()), ...);
  return sums;
}

inline SumKernels TargetSums() { return SumKernelsOf(ElementTypes()); }

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard

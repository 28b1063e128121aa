// Overlap as a bounded linear equation: is there a choice of indices whose byte offsets come closer than an element's size?
#include "core/overlap.h"

#include <algorithm>
#include <numeric>

namespace axiscast {
namespace {

__extension__ typedef __int128 Int128;  // sums of products of int64 values

// coefficient * v, for v in [0, limit]; coefficient > 0.
struct Term {
  Int128 coefficient;
  Int128 limit;
};

enum class Answer { kNo, kYes, kGaveUp };

// Is there a choice of every term's v so that the sum lies in [low, high]?
class Search {
 public:
  // Adds `stride * v`, v in [0, limit], moving the window instead of allowing a negative coefficient.
  void Add(Int128 stride, Int128 limit) {
    if (stride == 0 || limit == 0) return;
    if (stride < 0) {
      low_ -= stride * limit;
      high_ -= stride * limit;
      stride = -stride;
    }
    terms_[count_++] = {stride, limit};
  }

  Answer Run(Int128 low, Int128 high) {
    low_ += low;
    high_ += high;
    // Large coefficients first: what is left after them bounds how many of their multiples need a look.
    std::sort(terms_, terms_ + count_, [](const Term& x, const Term& y) { return x.coefficient > y.coefficient; });
    reach_[count_] = 0;
    divisor_[count_] = 0;
    for (int i = count_ - 1; i >= 0; --i) {
      reach_[i] = reach_[i + 1] + terms_[i].coefficient * terms_[i].limit;
      divisor_[i] = Gcd(terms_[i].coefficient, divisor_[i + 1]);
    }
    return From(0, low_, high_);
  }

 private:
  static constexpr int kMaxTerms = 2 * kMaxRank + 1;
  static constexpr int kBudget = 2000;  // steps, some microseconds; NumPy's default is to give up at once

  static Int128 Gcd(Int128 x, Int128 y) {
    while (y != 0) {
      const Int128 rest = x % y;
      x = y;
      y = rest;
    }
    return x;
  }

  Answer From(int i, Int128 low, Int128 high) {
    if (++steps_ > kBudget) return Answer::kGaveUp;
    low = std::max<Int128>(low, 0);
    high = std::min(high, reach_[i]);
    if (low > high) return Answer::kNo;
    if (low == 0) return Answer::kYes;  // every remaining v = 0
    if (i == count_) return Answer::kNo;
    if (high / divisor_[i] * divisor_[i] < low) return Answer::kNo;  // no multiple of the common divisor in the window
    const Term& term = terms_[i];
    const Int128 rest = reach_[i + 1];
    Int128 first = low > rest ? (low - rest + term.coefficient - 1) / term.coefficient : 0;
    const Int128 last = std::min(term.limit, high / term.coefficient);
    for (; first <= last; ++first) {
      const Answer answer = From(i + 1, low - first * term.coefficient, high - first * term.coefficient);
      if (answer != Answer::kNo) return answer;
    }
    return Answer::kNo;
  }

  Term terms_[kMaxTerms];
  Int128 reach_[kMaxTerms + 1];
  Int128 divisor_[kMaxTerms + 1];
  int count_ = 0;
  int steps_ = 0;
  Int128 low_ = 0, high_ = 0;
};

// Whether each dim steps over all that the dims behind it span: most outputs, in O(rank).
bool StepsOverTheRest(const Shape& shape, const ByteStrides& strides, std::int64_t element_size) noexcept {
  Int128 span = element_size;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    const Int128 step = strides[d] < 0 ? -static_cast<Int128>(strides[d]) : strides[d];
    if (step < span) return false;
    span += step * (shape[d] - 1);
  }
  return true;
}

bool HasNoElements(const Shape& shape) noexcept { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

}  // namespace

bool ComputeReach(const Shape& shape, const ByteStrides& strides, std::int64_t element_size, Reach* reach) noexcept {
  *reach = {};
  if (HasNoElements(shape)) return true;
  reach->end = element_size;
  for (int d = 0; d < shape.rank(); ++d) {
    std::int64_t span;
    if (__builtin_mul_overflow(strides[d], shape[d] - 1, &span)) return false;
    std::int64_t* side = span < 0 ? &reach->lowest : &reach->end;
    if (__builtin_add_overflow(*side, span, side)) return false;
  }
  std::int64_t bytes;
  return !__builtin_sub_overflow(reach->end, reach->lowest, &bytes);
}

bool OverlapsItself(const Shape& shape, const ByteStrides& strides, std::int64_t element_size) noexcept {
  if (HasNoElements(shape)) return false;
  if (StepsOverTheRest(shape, strides, element_size)) return false;
  // Two elements differ first in dim d, by 1 or more; in later dims they differ by anything.
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1) continue;
    Search search;
    search.Add(strides[d], shape[d] - 2);
    Int128 start = strides[d];
    for (int e = d + 1; e < shape.rank(); ++e) {
      search.Add(strides[e], 2 * (static_cast<Int128>(shape[e]) - 1));
      start -= static_cast<Int128>(strides[e]) * (shape[e] - 1);
    }
    if (search.Run(-(element_size - 1) - start, element_size - 1 - start) == Answer::kYes) return true;
  }
  return false;
}

bool MayOverlap(const Shape& x_shape, const ByteStrides& x_strides, std::int64_t x_size, const Shape& y_shape,
                const ByteStrides& y_strides, std::int64_t y_size, std::int64_t distance) noexcept {
  if (HasNoElements(x_shape) || HasNoElements(y_shape)) return false;
  Search search;  // y's offset + distance - x's offset lies in (-y_size, x_size)
  for (int d = 0; d < x_shape.rank(); ++d) search.Add(-static_cast<Int128>(x_strides[d]), x_shape[d] - 1);
  for (int d = 0; d < y_shape.rank(); ++d) search.Add(y_strides[d], y_shape[d] - 1);
  return search.Run(-(y_size - 1) - static_cast<Int128>(distance), x_size - 1 - static_cast<Int128>(distance)) != Answer::kNo;
}

}  // namespace axiscast

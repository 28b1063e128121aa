// The one header that a file of own ops includes, after it has said its own name: `#define HWY_TARGET_INCLUDE "own_ops.cc"`, as
// examples/own_op/own_ops.cc does. The file is then compiled once for every target. Needs C++20, Highway >= 1.2 and
// -ffp-contract=off; the CMake target axiscast::kit brings the latter two. docs/kit.md explains the rest.
// No include guard: this file is read again for every target, and the ones below have Highway's guards.
#ifndef HWY_TARGET_INCLUDE
#error \
    "before axiscast/kit/kit-inl.h: #define HWY_TARGET_INCLUDE with the name of the file that includes it, as the include path finds it"
#endif
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After it.
#include "hwy/highway.h"

#if HWY_MAJOR < 1 || (HWY_MAJOR == 1 && HWY_MINOR < 2)
#error "axiscast/kit needs Highway 1.2.0 or newer, and an older one comes first in the include path: link axiscast::kit before it"
#endif

#include "axiscast/kit/compare-inl.h"
#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"

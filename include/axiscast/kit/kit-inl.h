// All that a file of own ops includes, once for every target: after hwy/foreach_target.h, as in examples/own_op/own_ops.cc. Needs
// C++20, Highway >= 1.2 and -ffp-contract=off; the CMake target axiscast::kit brings the latter two. docs/kit.md explains the rest.
// No include guard: the files have Highway's, which lets them in once for every target.
#include "hwy/highway.h"

#if HWY_MAJOR < 1 || (HWY_MAJOR == 1 && HWY_MINOR < 2)
#error "axiscast/kit needs Highway 1.2.0 or newer, and an older one stands before it in the include path: link axiscast::kit"
#endif

#include "axiscast/kit/compare-inl.h"
#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"

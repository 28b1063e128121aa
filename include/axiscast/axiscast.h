// axiscast: broadcasting operator kernels for CPUs. The one header that C++ users include.
#ifndef AXISCAST_AXISCAST_H_
#define AXISCAST_AXISCAST_H_

#include "axiscast/dtype.h"         // IWYU pragma: export
#include "axiscast/expression.h"    // IWYU pragma: export
#include "axiscast/functions.h"     // IWYU pragma: export
#include "axiscast/infer.h"         // IWYU pragma: export
#include "axiscast/kernel.h"        // IWYU pragma: export
#include "axiscast/paddle.h"        // IWYU pragma: export
#include "axiscast/pattern.h"       // IWYU pragma: export
#include "axiscast/pattern_plan.h"  // IWYU pragma: export
#include "axiscast/plan.h"          // IWYU pragma: export
#include "axiscast/registry.h"      // IWYU pragma: export
#include "axiscast/resolve.h"       // IWYU pragma: export
#include "axiscast/status.h"        // IWYU pragma: export
#include "axiscast/tensor.h"        // IWYU pragma: export

#endif  // AXISCAST_AXISCAST_H_

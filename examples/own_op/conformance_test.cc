// Every kernel of this project's ops against its scalar meaning, for every target that the CPU has.
#include <axiscast/kit/testing/conformance.h>

#include "own_ops.h"

int main() { return axiscast::testing::ConformanceMain(own::Ops()); }

// The speed of this project's ops, beside their scalar loops and a copy.
#include <axiscast/kit/testing/benchmark.h>

#include "own_ops.h"

int main(int argc, char** argv) { return axiscast::testing::BenchmarkMain(argc, argv, own::Ops()); }

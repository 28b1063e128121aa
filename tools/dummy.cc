#include <axiscast/axiscast.h>
int main() { float x = 1; return axiscast::elementwise_add({&x, {1}}, {&x, {1}}, {&x, {1}}).ok() ? 0 : 1; }

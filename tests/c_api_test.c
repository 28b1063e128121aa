/* The C API from C99: what a host does with it, from the list of ops to results, compared with loops written here. */
#include <axiscast/c_api.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                                         \
  do {                                                                                                           \
    if (!(condition)) {                                                                                          \
      ++failures;                                                                                                \
      fprintf(stderr, "%s:%d: %s; last message: %s\n", __FILE__, __LINE__, #condition, axiscast_last_message()); \
    }                                                                                                            \
  } while (0)

static axiscast_tensor dense(void* data, int32_t dtype, int32_t rank, const int64_t* shape) {
  axiscast_tensor tensor = {0};
  tensor.struct_size = sizeof(tensor);
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.rank = rank;
  tensor.shape = shape;
  return tensor;
}

static axiscast_options at_axis(int64_t axis) {
  axiscast_options options = {0};
  options.struct_size = sizeof(options);
  options.has_axis = 1;
  options.axis = axis;
  return options;
}

static const axiscast_op* find(const char* name) {
  const axiscast_op* op = NULL;
  CHECK(axiscast_op_find(NULL, name, &op) == AXISCAST_OK);
  return op;
}

static void test_versions(void) {
  CHECK(axiscast_abi_version() == AXISCAST_ABI_VERSION);
  CHECK(axiscast_version()[0] >= '0' && axiscast_version()[0] <= '9');
  CHECK(strcmp(axiscast_status_name(AXISCAST_DIVISION_BY_ZERO), "kDivisionByZero") == 0);
  CHECK(strcmp(axiscast_status_name(-1), "invalid") == 0);
}

static void test_dtypes(void) {
  int32_t dtype, found;
  uint8_t code, bits;
  uint16_t lanes;
  for (dtype = AXISCAST_BOOL; dtype <= AXISCAST_FLOAT64; ++dtype) {
    CHECK(axiscast_dtype_find(axiscast_dtype_name(dtype), &found) == AXISCAST_OK && found == dtype);
    CHECK(axiscast_dtype_to_dlpack(dtype, &code, &bits, &lanes) == AXISCAST_OK);
    CHECK(bits == 8 * axiscast_dtype_size(dtype) && lanes == 1);
    CHECK(axiscast_dtype_from_dlpack(code, bits, lanes, &found) == AXISCAST_OK && found == dtype);
  }
  CHECK(strcmp(axiscast_dtype_name(dtype), "invalid") == 0 && axiscast_dtype_size(dtype) == 0);
  /* DLPack's numbers, from its header. */
  CHECK(axiscast_dtype_from_dlpack(2, 32, 1, &found) == AXISCAST_OK && found == AXISCAST_FLOAT32);
  CHECK(axiscast_dtype_from_dlpack(4, 16, 1, &found) == AXISCAST_OK && found == AXISCAST_BFLOAT16);
  CHECK(axiscast_dtype_from_dlpack(0, 64, 1, &found) == AXISCAST_OK && found == AXISCAST_INT64);
  CHECK(axiscast_dtype_from_dlpack(1, 8, 1, &found) == AXISCAST_OK && found == AXISCAST_UINT8);
  CHECK(axiscast_dtype_from_dlpack(6, 8, 1, &found) == AXISCAST_OK && found == AXISCAST_BOOL);
  CHECK(axiscast_dtype_from_dlpack(5, 64, 1, &found) == AXISCAST_UNSUPPORTED_DTYPE);
  CHECK(strcmp(axiscast_last_message(), "axiscast_dtype_from_dlpack: there is no dtype for DLPack's complex64") == 0);
}

static void test_modes(void) {
  int32_t mode, found;
  for (mode = AXISCAST_MODE_NUMPY; mode <= AXISCAST_MODE_POINTWISE; ++mode) {
    CHECK(axiscast_mode_find(axiscast_mode_name(mode), &found) == AXISCAST_OK && found == mode);
  }
  CHECK(axiscast_mode_find("axis", &found) == AXISCAST_OK && found == AXISCAST_MODE_AXIS);
  CHECK(strcmp(axiscast_mode_name(AXISCAST_MODE_DEFAULT), "default") == 0);
  CHECK(strcmp(axiscast_mode_name(mode), "invalid") == 0);
}

/* Every op, with all that there is to know of it. */
static void test_registry(void) {
  int64_t count = 0, i;
  int32_t k, a;
  const axiscast_op *op, *again, *gradient;
  char name[128];
  CHECK(axiscast_op_count(NULL, &count) == AXISCAST_OK);
  CHECK(count > 40);
  for (i = 0; i < count; ++i) {
    axiscast_op_info info;
    info.struct_size = sizeof(info);
    CHECK(axiscast_op_at(NULL, i, &op) == AXISCAST_OK);
    CHECK(axiscast_op_describe(op, &info) == AXISCAST_OK);
    CHECK(info.struct_size == sizeof(info));
    CHECK(axiscast_op_find(NULL, info.name, &again) == AXISCAST_OK && again == op);
    CHECK(strlen(info.doc) > 0 && info.aliases != NULL && info.special != NULL && info.source != NULL);
    CHECK(info.arity >= 1 && info.arity <= AXISCAST_MAX_ARITY && info.kernel_count > 0);
    for (k = 0; k < info.arity; ++k) CHECK(strlen(info.operands[k]) > 0);
    for (k = 0; k < info.kernel_count; ++k) {
      axiscast_kernel_info kernel;
      kernel.struct_size = sizeof(kernel);
      CHECK(axiscast_op_kernel(op, k, &kernel) == AXISCAST_OK);
      CHECK(axiscast_dtype_size(kernel.output) > 0);
      for (a = 0; a < AXISCAST_MAX_ARITY; ++a) CHECK((kernel.inputs[a] == -1) == (a >= info.arity));
      CHECK(kernel.may_be_out >> info.arity == 0);
    }
    CHECK(axiscast_op_kernel(op, k, NULL) == AXISCAST_INVALID_ARGUMENT);
    for (k = 0; k < info.attribute_count; ++k) {
      axiscast_attribute_info attribute;
      attribute.struct_size = sizeof(attribute);
      CHECK(axiscast_op_attribute(op, k, &attribute) == AXISCAST_OK);
      CHECK(strlen(attribute.name) > 0 && attribute.doc != NULL && attribute.names != NULL);
      CHECK(attribute.type >= AXISCAST_ATTRIBUTE_NUMBER && attribute.type <= AXISCAST_ATTRIBUTE_SHAPE);
      CHECK(attribute.absent >= AXISCAST_ABSENT_REQUIRED && attribute.absent <= AXISCAST_ABSENT_HIGHEST);
    }
    /* Its gradient is the op that is called so. */
    CHECK(axiscast_op_gradient(NULL, op, &gradient) == AXISCAST_OK);
    snprintf(name, sizeof(name), "%s_grad", info.name);
    again = NULL;
    CHECK(axiscast_op_find(NULL, name, &again) == (gradient != NULL ? AXISCAST_OK : AXISCAST_UNSUPPORTED));
    CHECK(again == gradient);
  }
}

static void test_known_ops(void) {
  const axiscast_op* gradient;
  axiscast_op_info info;
  axiscast_kernel_info kernel;
  axiscast_attribute_info attribute;
  int32_t k;
  info.struct_size = sizeof(info);
  kernel.struct_size = sizeof(kernel);
  attribute.struct_size = sizeof(attribute);
  CHECK(axiscast_op_describe(find("elementwise_sub"), &info) == AXISCAST_OK);
  CHECK(strcmp(info.name, "subtract") == 0 && strcmp(info.asked, "elementwise_sub") == 0);
  CHECK(strstr(info.aliases, "elementwise_sub") != NULL);
  CHECK(info.arity == 2 && info.elementwise == 1 && info.max_ulp == 0);
  CHECK(strcmp(info.operands[0], "x") == 0 && strcmp(info.operands[1], "y") == 0);
  /* What may be in place: float32 - float32, but not float32 < float32, which is bool. */
  for (k = 0; axiscast_op_kernel(find("subtract"), k, &kernel) == AXISCAST_OK; ++k) {
    CHECK(kernel.output == kernel.inputs[0] && kernel.may_be_out == 3);
  }
  CHECK(k > 8);
  for (k = 0; axiscast_op_kernel(find("less"), k, &kernel) == AXISCAST_OK; ++k) {
    CHECK(kernel.output == AXISCAST_BOOL && kernel.may_be_out == (axiscast_dtype_size(kernel.inputs[0]) == 1 ? 3u : 0u));
  }
  CHECK(axiscast_op_describe(find("clip"), &info) == AXISCAST_OK && info.attribute_count == 2);
  CHECK(axiscast_op_attribute(find("clip"), 0, &attribute) == AXISCAST_OK);
  CHECK(strcmp(attribute.name, "min") == 0 && attribute.type == AXISCAST_ATTRIBUTE_NUMBER &&
        attribute.absent == AXISCAST_ABSENT_LOWEST);
  CHECK(axiscast_op_describe(find("broadcast_to"), &info) == AXISCAST_OK && info.elementwise == 0);
  CHECK(axiscast_op_attribute(find("broadcast_to"), 0, &attribute) == AXISCAST_OK);
  CHECK(strcmp(attribute.name, "shape") == 0 && attribute.type == AXISCAST_ATTRIBUTE_SHAPE &&
        attribute.absent == AXISCAST_ABSENT_REQUIRED);
  CHECK(axiscast_op_gradient(NULL, find("broadcast_to"), &gradient) == AXISCAST_OK && gradient == NULL);
}

static void test_targets(void) {
  int32_t count = 0, i, supported, seen = 0;
  const char *name, *target;
  CHECK(axiscast_target_count(&count) == AXISCAST_OK && count > 0);
  for (i = 0; i < count; ++i) {
    const axiscast_registry* registry = NULL;
    CHECK(axiscast_target_at(i, &name, &supported) == AXISCAST_OK);
    if (!supported) {
      CHECK(axiscast_registry_for_target(name, &registry) == AXISCAST_UNSUPPORTED);
      continue;
    }
    CHECK(axiscast_registry_for_target(name, &registry) == AXISCAST_OK);
    CHECK(axiscast_registry_target(registry, &target) == AXISCAST_OK && strcmp(target, name) == 0);
    if (seen++ == 0) { /* the best one */
      CHECK(axiscast_registry_target(NULL, &target) == AXISCAST_OK && strcmp(target, name) == 0);
    }
  }
  CHECK(seen > 0);
}

static void test_shapes(void) {
  const int64_t a[] = {2, 3, 4, 5}, b[] = {3, 4}, n15[] = {-2, 1, 5}, n41[] = {-2, 4, 1}, unknown[] = {-1, -3};
  int64_t extents[AXISCAST_MAX_RANK] = {0};
  int32_t rank = -1, dtype = -1;
  axiscast_options options = at_axis(1);
  axiscast_tensor operands[2];
  operands[0] = dense(NULL, 0, 4, a);
  operands[1] = dense(NULL, 0, 2, b);
  CHECK(axiscast_resolve_shape(operands, 2, &options, extents, 4, &rank) == AXISCAST_OK);
  CHECK(rank == 4 && memcmp(extents, a, sizeof(a)) == 0);
  CHECK(axiscast_resolve_in_place(operands, 2, &options) == AXISCAST_OK);
  CHECK(axiscast_resolve_shape(operands, 2, &options, extents, 3, &rank) == AXISCAST_INVALID_ARGUMENT && rank == 4);
  CHECK(axiscast_resolve_shape(operands, 2, NULL, extents, 4, &rank) == AXISCAST_INVALID_SHAPE);
  CHECK(strcmp(axiscast_last_message(),
               "resolve: dimensions must be equal or 1; got x[3] = 5 and y[1] = 4 (x [2, 3, 4, 5], y [3, 4])") == 0);
  /* (N, 1, 5) & (N, 4, 1) -> (N, 4, 5); (?, M) stays unknown. */
  operands[0] = dense(NULL, 0, 3, n15);
  operands[1] = dense(NULL, 0, 3, n41);
  CHECK(axiscast_infer_shape(operands, 2, NULL, extents, 3, &rank) == AXISCAST_OK);
  CHECK(rank == 3 && extents[0] == -2 && extents[1] == 4 && extents[2] == 5);
  operands[0] = dense(NULL, 0, 2, unknown);
  CHECK(axiscast_infer_shape(operands, 1, NULL, extents, AXISCAST_MAX_RANK, &rank) == AXISCAST_OK);
  CHECK(rank == 2 && extents[0] == AXISCAST_UNKNOWN && extents[1] == -3);
  CHECK(axiscast_infer_in_place(operands, 2, NULL, extents, 2, &rank) == AXISCAST_INVALID_SHAPE);
  operands[0] = dense(NULL, AXISCAST_INT16, 4, a);
  operands[1] = dense(NULL, AXISCAST_INT16, 2, b);
  CHECK(axiscast_infer_output(find("less"), operands, 2, &options, extents, 4, &rank, &dtype) == AXISCAST_OK);
  CHECK(rank == 4 && memcmp(extents, a, sizeof(a)) == 0 && dtype == AXISCAST_BOOL);
}

#define ROWS 37
#define CHANNELS 3
#define COLS 53

/* [ROWS, CHANNELS, COLS] + [CHANNELS] at axis 1: eagerly, in place, by a plan, in parts. */
static void test_calls(void) {
  static float image[ROWS * CHANNELS * COLS], out[ROWS * CHANNELS * COLS];
  float bias[CHANNELS] = {0.5f, -7, 1e6f};
  const int64_t shape[] = {ROWS, CHANNELS, COLS}, channels[] = {CHANNELS}, flat[] = {ROWS * CHANNELS * COLS};
  const void* pointers[2];
  const axiscast_op* add = find("add");
  const axiscast_op* clip = find("clip");
  axiscast_options options = at_axis(1);
  axiscast_execute_options execute = {0};
  axiscast_plan* plan = NULL;
  axiscast_plan_info info;
  axiscast_tensor operands[2], result;
  axiscast_attribute limits[2];
  size_t i;
  int64_t part, parts;
  for (i = 0; i < sizeof(image) / sizeof(image[0]); ++i) image[i] = (float)i * 0.25f;
  operands[0] = dense(image, AXISCAST_FLOAT32, 3, shape);
  operands[1] = dense(bias, AXISCAST_FLOAT32, 1, channels);
  result = dense(out, AXISCAST_FLOAT32, 3, shape);
  pointers[0] = image;
  pointers[1] = bias;
  execute.struct_size = sizeof(execute);
  execute.max_threads = 1;
#define EXPECT_SUM()                                                                                                      \
  do {                                                                                                                    \
    int wrong = 0;                                                                                                        \
    for (i = 0; i < sizeof(out) / sizeof(out[0]); ++i) wrong += out[i] != (float)(i * 0.25f + bias[i / COLS % CHANNELS]); \
    CHECK(wrong == 0);                                                                                                    \
    memset(out, 0, sizeof(out));                                                                                          \
  } while (0)

  CHECK(axiscast_apply(add, operands, 2, &result, &options, NULL) == AXISCAST_OK);
  EXPECT_SUM();
  memcpy(out, image, sizeof(out));
  CHECK(axiscast_apply_in_place(add, &result, &operands[1], 1, &options, &execute) == AXISCAST_OK);
  EXPECT_SUM();
  CHECK(axiscast_plan_make(add, operands, 2, &result, &options, &plan) == AXISCAST_OK);
  CHECK(axiscast_plan_execute(plan, pointers, 2, out, NULL) == AXISCAST_OK);
  EXPECT_SUM();
  CHECK(axiscast_plan_execute(plan, pointers, 2, out, &execute) == AXISCAST_OK);
  EXPECT_SUM();
  for (parts = 1; parts < 12; ++parts) {
    for (part = parts; part-- > 0;) CHECK(axiscast_plan_execute_part(plan, pointers, 2, out, part, parts, NULL) == AXISCAST_OK);
    EXPECT_SUM();
  }
  info.struct_size = sizeof(info);
  CHECK(axiscast_plan_describe(plan, &info) == AXISCAST_OK);
  CHECK(info.input_count == 2 && info.rank == 3 && info.tiles >= 1 && info.divisible == 1 && info.may_be_out == 1);
  CHECK(axiscast_plan_free(plan) == AXISCAST_OK);
  CHECK(axiscast_plan_free(NULL) == AXISCAST_OK);

  /* Attributes: a double and an integer. */
  memset(limits, 0, sizeof(limits));
  limits[0].struct_size = limits[1].struct_size = sizeof(limits[0]);
  limits[0].name = "max";
  limits[0].kind = AXISCAST_VALUE_DOUBLE;
  limits[0].value.number = 100.5;
  limits[1].name = "min";
  limits[1].kind = AXISCAST_VALUE_INT64;
  limits[1].value.integer = 3;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.attributes = limits;
  options.attribute_count = 2;
  operands[0] = dense(image, AXISCAST_FLOAT32, 1, flat);
  result = dense(out, AXISCAST_FLOAT32, 1, flat);
  CHECK(axiscast_apply(clip, operands, 1, &result, &options, NULL) == AXISCAST_OK);
  for (i = 0; i < sizeof(out) / sizeof(out[0]); ++i) {
    const float expected = image[i] < 3 ? 3 : image[i] > 100.5f ? 100.5f : image[i];
    if (out[i] == expected) continue;
    CHECK(out[i] == expected);
    break;
  }
}

int main(void) {
  CHECK(strcmp(axiscast_last_message(), "") == 0);
  test_versions();
  test_dtypes();
  test_modes();
  test_registry();
  test_known_ops();
  test_targets();
  test_shapes();
  test_calls();
  if (failures == 0) printf("ok\n");
  return failures != 0;
}

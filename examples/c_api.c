/* The C API: adds a bias per channel to a batch of images in a host's own memory: eagerly, by a plan, in parts, with other ops. */
#include <axiscast/c_api.h>
#include <stdio.h>

#define PARTS 4

static int fail(void) {
  fprintf(stderr, "%s\n", axiscast_last_message());
  return 1;
}

int main(void) {
  const int64_t image_shape[] = {2, 3, 4, 5}, bias_shape[] = {3};
  float image[2 * 3 * 4 * 5], bias[] = {10, 20, 30};
  const void* pointers[] = {image, bias};
  const axiscast_op* add;
  axiscast_plan* plan;
  axiscast_expression* expression;
  axiscast_tensor operands[2] = {{sizeof(axiscast_tensor), image, AXISCAST_FLOAT32, 4, image_shape, NULL},
                                 {sizeof(axiscast_tensor), bias, AXISCAST_FLOAT32, 1, bias_shape, NULL}};
  axiscast_options options = {0};
  int64_t part;
  int i;

  options.struct_size = sizeof(options);
  options.has_axis = 1;
  options.axis = 1;
  for (i = 0; i < 2 * 3 * 4 * 5; ++i) image[i] = 1;

  /* Eagerly, in place: the thread keeps the plan for the next such call. */
  if (axiscast_op_find(NULL, "add", &add) != AXISCAST_OK) return fail();
  if (axiscast_apply_in_place(add, &operands[0], &operands[1], 1, &options, NULL) != AXISCAST_OK) return fail();
  printf("%g %g %g\n", image[0], image[20], image[40]);

  /* A plan: made once, executed with pointers alone, by any number of threads. */
  if (axiscast_plan_make(add, operands, 2, &operands[0], &options, &plan) != AXISCAST_OK) return fail();
  if (axiscast_plan_execute(plan, pointers, 2, image, NULL) != AXISCAST_OK) return fail();
  printf("%g %g %g\n", image[0], image[20], image[40]);

  /* In parts: each could be a task of the host's own scheduler. */
  for (part = 0; part < PARTS; ++part) {
    if (axiscast_plan_execute_part(plan, pointers, 2, image, part, PARTS, NULL) != AXISCAST_OK) return fail();
  }
  printf("%g %g %g\n", image[0], image[20], image[40]);
  if (axiscast_plan_free(plan) != AXISCAST_OK) return fail();

  /* Several ops in one pass; their plan is one like any other. */
  if (axiscast_expression_create(NULL, "minimum(add(image, bias@1), 100)", &expression) != AXISCAST_OK) return fail();
  if (axiscast_plan_make_expression(expression, operands, 2, &operands[0], NULL, &plan) != AXISCAST_OK) return fail();
  if (axiscast_plan_execute(plan, pointers, 2, image, NULL) != AXISCAST_OK) return fail();
  printf("%g %g %g\n", image[0], image[20], image[40]);
  if (axiscast_plan_free(plan) != AXISCAST_OK || axiscast_expression_free(expression) != AXISCAST_OK) return fail();

  /* Errors are codes; the message is the thread's. */
  options.axis = 2;
  if (axiscast_apply(add, operands, 2, &operands[0], &options, NULL) == AXISCAST_OK) return 1;
  printf("%s\n", axiscast_last_message());
  return 0;
}

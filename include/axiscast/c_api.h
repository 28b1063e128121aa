/* axiscast for C99 and for everything that calls C: every op by name, plans, eager calls. Generic: no function per op. */
#ifndef AXISCAST_C_API_H_
#define AXISCAST_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "axiscast/thread_pool.h"

#ifdef __GNUC__
#pragma GCC visibility push(default) /* exported by the shared library */
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** Statuses. A function that returns int32_t returns one of these codes. None throws, aborts, prints or calls exit; what a call can
 * find wrong it finds before its first write. axiscast_last_message() says what it was.
 *
 * Threads: every function may be called from any threads at once; what is freed must not be in use.
 *
 * Structs begin with struct_size: sizeof of the struct that the caller was compiled with. Set everything else that is not used to
 * 0, which is the default: `axiscast_options options = {0}; options.struct_size = sizeof(options);`. A library that is newer than
 * the caller takes what is missing as 0; one that is older refuses a struct that has more, unless that is 0. Of structs that are
 * filled in for the caller, as much is written as struct_size says, and what the library does not know is 0. Elements of an array
 * of structs have one struct_size.
 *
 * ABI: within one axiscast_abi_version() fields, enumerators and functions are added at the end and never changed.
 */
enum {
  AXISCAST_OK = 0,
  AXISCAST_INVALID_ARGUMENT = 1,  /* an attribute, axis, pointer or option that no data could make right */
  AXISCAST_INVALID_SHAPE = 2,     /* extents that do not broadcast, a destination of another shape, too many elements */
  AXISCAST_UNSUPPORTED_DTYPE = 3, /* the op has no kernel for these dtypes */
  AXISCAST_UNKNOWN_NAME = 4,      /* an op, attribute or target that does not exist; the message lists those that do */
  AXISCAST_OUT_OF_RANGE = 5,      /* an axis or an index outside its range */
  AXISCAST_DIVISION_BY_ZERO = 6,  /* an integer divisor is 0; found before the first write */
  AXISCAST_OUT_OF_MEMORY = 7,     /* a temporary or a plan could not be allocated */
  AXISCAST_UNSUPPORTED = 8,       /* valid, and not offered: a target that the CPU lacks, a part of what has no parts,
                                     more ops than a program holds */
  AXISCAST_INTERNAL = 9           /* a defect in axiscast */
};

/** What changes when callers have to be compiled anew: 1. A caller compares with the macro. */
#define AXISCAST_ABI_VERSION 1
int32_t axiscast_abi_version(void);
/** The library's version, as in "0.1.0". */
const char* axiscast_version(void);

/** The message of the calling thread's last call that returned another code than AXISCAST_OK: what was asked, what was found, the
 * values last. "" when there was none, or no memory for it. Lives until the thread's next such call or its end; successful calls
 * leave it alone. */
const char* axiscast_last_message(void);
/** The code's name, as in "kInvalidShape"; "invalid" for any other number. */
const char* axiscast_status_name(int32_t status);

/** Element types. */
enum {
  AXISCAST_BOOL = 0, /* one byte: 0 is false, all others are true; results are 0 or 1 */
  AXISCAST_INT8 = 1,
  AXISCAST_INT16 = 2,
  AXISCAST_INT32 = 3,
  AXISCAST_INT64 = 4,
  AXISCAST_UINT8 = 5,
  AXISCAST_UINT16 = 6,
  AXISCAST_UINT32 = 7,
  AXISCAST_UINT64 = 8,
  AXISCAST_FLOAT16 = 9,
  AXISCAST_BFLOAT16 = 10,
  AXISCAST_FLOAT32 = 11,
  AXISCAST_FLOAT64 = 12
};

/** NumPy's name, as in "float32"; "invalid" for any other number. */
const char* axiscast_dtype_name(int32_t dtype);
/** Bytes of an element; 0 for any other number. */
int64_t axiscast_dtype_size(int32_t dtype);
/** Errors: AXISCAST_UNKNOWN_NAME. */
int32_t axiscast_dtype_find(const char* name, int32_t* dtype);
/** From and to DLPack's DLDataType. Errors: AXISCAST_UNSUPPORTED_DTYPE (which type, in the message), AXISCAST_INVALID_ARGUMENT. */
int32_t axiscast_dtype_from_dlpack(uint8_t code, uint8_t bits, uint16_t lanes, int32_t* dtype);
int32_t axiscast_dtype_to_dlpack(int32_t dtype, uint8_t* code, uint8_t* bits, uint16_t* lanes);

/** How the dims of the operands face each other; see axiscast/resolve.h. */
enum {
  AXISCAST_MODE_DEFAULT = 0, /* axis when there is an axis, else numpy */
  AXISCAST_MODE_NUMPY = 1,
  AXISCAST_MODE_AXIS = 2,
  AXISCAST_MODE_ONNX_LEGACY = 3,
  AXISCAST_MODE_NONE = 4,
  AXISCAST_MODE_SAME_RANK = 5,
  AXISCAST_MODE_PATTERN = 6, /* patterns are declared in C++ alone: calls refuse it with AXISCAST_INVALID_ARGUMENT */
  AXISCAST_MODE_LEGACY_POINTWISE = 7,
  AXISCAST_MODE_POINTWISE = 8
};

/** The mode's name, as in "onnx_legacy"; "default" for AXISCAST_MODE_DEFAULT, "invalid" for any other number. */
const char* axiscast_mode_name(int32_t mode);
/** Errors: AXISCAST_UNKNOWN_NAME. */
int32_t axiscast_mode_find(const char* name, int32_t* mode);

/* ------------------------------------------------------- the registry ------------------------------------------------------- */

/** A set of ops for one target of the CPU. Where a function takes one, NULL is the built-in one for the best target of this CPU. */
typedef struct axiscast_registry axiscast_registry;
/** An op as it was looked up. Lives as long as its registry: the built-in ones until the library is unloaded. */
typedef struct axiscast_op axiscast_op;

/** The targets compiled in, best first; *supported says whether this CPU has it. Errors: AXISCAST_OUT_OF_RANGE. */
int32_t axiscast_target_count(int32_t* count);
int32_t axiscast_target_at(int32_t index, const char** name, int32_t* supported);
/** The built-in ops for a target by Highway's name, as in "AVX2". Errors: AXISCAST_UNKNOWN_NAME, AXISCAST_UNSUPPORTED. */
int32_t axiscast_registry_for_target(const char* target, const axiscast_registry** registry);
/** The name of the target that the registry's built-in kernels were compiled for. */
int32_t axiscast_registry_target(const axiscast_registry* registry, const char** target);

/** Every op under its canonical name, in the names' order. Errors: AXISCAST_OUT_OF_RANGE. */
int32_t axiscast_op_count(const axiscast_registry* registry, int64_t* count);
int32_t axiscast_op_at(const axiscast_registry* registry, int64_t index, const axiscast_op** op);
/** By name or alias. Errors: AXISCAST_UNKNOWN_NAME (near names first in the message), AXISCAST_UNSUPPORTED (the gradient of an op
 * that has none). */
int32_t axiscast_op_find(const axiscast_registry* registry, const char* name, const axiscast_op** op);
/** The op that computes the gradients, NAME_grad; *gradient is NULL where there is none. */
int32_t axiscast_op_gradient(const axiscast_registry* registry, const axiscast_op* op, const axiscast_op** gradient);

/** What there is to know of an op. All texts live as long as the registry. */
typedef struct axiscast_op_info {
  size_t struct_size;
  const char* name;            /* canonical */
  const char* asked;           /* the name by which it was looked up, which messages use */
  const char* aliases;         /* separated by spaces */
  const char* doc;             /* one line: "out = x + y" */
  const char* special;         /* special values and corner cases */
  const char* source;          /* where the meaning comes from */
  const char* const* operands; /* names of its `arity` inputs */
  double max_ulp;              /* largest error in ulp of the result; 0: exactly the stated meaning, bitwise on every target */
  int32_t arity;               /* 1 to 4 */
  int32_t elementwise;         /* 0: each element of the result may depend on many of an input */
  int32_t attribute_count;
  int32_t kernel_count;
} axiscast_op_info;
int32_t axiscast_op_describe(const axiscast_op* op, axiscast_op_info* info);

/** A combination of dtypes that the op has. */
typedef struct axiscast_kernel_info {
  size_t struct_size;
  int32_t inputs[4];   /* dtypes; those past the arity are -1 */
  int32_t output;      /* dtype */
  uint32_t may_be_out; /* inputs (a bit each) that may be the very buffer of the output, where they have its shape and strides, at
                          no cost. Any other overlap is right as well, and costs a copy. */
} axiscast_kernel_info;
/** Errors: AXISCAST_OUT_OF_RANGE. */
int32_t axiscast_op_kernel(const axiscast_op* op, int32_t index, axiscast_kernel_info* info);

/** What an attribute's value is. Those of elementwise ops are numbers. */
enum {
  AXISCAST_ATTRIBUTE_NUMBER = 0,
  AXISCAST_ATTRIBUTE_INTEGER = 1,
  AXISCAST_ATTRIBUTE_BOOL = 2, /* given as a number, 0 or 1 */
  AXISCAST_ATTRIBUTE_NAME = 3,
  AXISCAST_ATTRIBUTE_SHAPE = 4
};
/** What an attribute is when the caller does not give it. */
enum {
  AXISCAST_ABSENT_REQUIRED = 0, /* it must be given */
  AXISCAST_ABSENT_VALUE = 1,
  AXISCAST_ABSENT_LOWEST = 2, /* the lowest number of the dtype: no bound */
  AXISCAST_ABSENT_HIGHEST = 3
};
typedef struct axiscast_attribute_info {
  size_t struct_size;
  const char* name;
  const char* doc;
  const char* names; /* AXISCAST_ATTRIBUTE_NAME: the values there are, separated by spaces; the first one is the default */
  double value;      /* AXISCAST_ABSENT_VALUE */
  int32_t type;
  int32_t absent;
} axiscast_attribute_info;
/** Errors: AXISCAST_OUT_OF_RANGE. */
int32_t axiscast_op_attribute(const axiscast_op* op, int32_t index, axiscast_attribute_info* info);

/* ------------------------------------------------------ what calls take ------------------------------------------------------ */

#define AXISCAST_MAX_RANK 64
#define AXISCAST_MAX_ARITY 4

/** A view of the caller's memory, which it does not own. Any address (not even aligned to its element) and any strides; see
 * axiscast/tensor.h. Outputs must not overlap themselves. */
typedef struct axiscast_tensor {
  size_t struct_size;
  void* data; /* element [0, ..., 0]; may be NULL where there are no elements, and where only shapes matter */
  int32_t dtype;
  int32_t rank;                /* 0 to AXISCAST_MAX_RANK */
  const int64_t* shape;        /* may be NULL when rank is 0 */
  const int64_t* byte_strides; /* one for each dim; NULL: dense, row-major */
} axiscast_tensor;

enum {
  AXISCAST_VALUE_DOUBLE = 0,
  AXISCAST_VALUE_INT64 = 1,
  AXISCAST_VALUE_UINT64 = 2,
  AXISCAST_VALUE_TEXT = 3,
  AXISCAST_VALUE_SHAPE = 4
};
/** An attribute's value; a number is kept exactly until it is rounded to the dtype of the call. */
typedef struct axiscast_attribute {
  size_t struct_size;
  const char* name;
  int32_t kind; /* which member of `value`: AXISCAST_VALUE_... */
  int32_t rank; /* AXISCAST_VALUE_SHAPE */
  union {
    double number;
    int64_t integer;
    uint64_t natural;
    const char* text;
    const int64_t* shape;
  } value;
} axiscast_attribute;

/** What a call is, beside its op and its operands. Where a function takes one, NULL stands for all defaults. */
typedef struct axiscast_options {
  size_t struct_size;
  int32_t mode;     /* AXISCAST_MODE_... */
  int32_t has_axis; /* 0: `axis` is not looked at */
  int64_t axis;
  const axiscast_attribute* attributes; /* the op's; those that are absent have their defaults */
  int64_t attribute_count;
  const char* caller;       /* what messages begin with; NULL: the op's name as it was looked up */
  const char* const* names; /* what messages call the inputs; NULL, or one of them: the op's own names */
} axiscast_options;

/** How a result goes to memory. */
enum {
  AXISCAST_STORES_AUTO = 0,   /* past the caches where the call's bytes are more than they hold */
  AXISCAST_STORES_CACHED = 1, /* into the caches: the result is read soon */
  AXISCAST_STORES_STREAM = 2  /* past the caches */
};
/** How a call runs; results never depend on it. NULL stands for all defaults. */
typedef struct axiscast_execute_options {
  size_t struct_size;
  int32_t max_threads;              /* 0: as many as the pool or arena has; 1: the calling thread alone */
  int32_t stores;                   /* AXISCAST_STORES_... */
  const axiscast_thread_pool* pool; /* the caller's own pool, which must not throw; NULL: oneTBB */
  void* task_arena;                 /* a tbb::task_arena* of the caller's; NULL: the current arena of the calling thread */
} axiscast_execute_options;

/* ------------------------------------------------------- shapes alone ------------------------------------------------------- */

/** The shape that `count` >= 1 operands broadcast to, by options->mode and options->axis. Of the operands rank and shape alone are
 * looked at. Writes *rank, and so many extents where they are not more than `capacity` (AXISCAST_MAX_RANK always suffices).
 *
 * Errors: AXISCAST_INVALID_SHAPE, AXISCAST_OUT_OF_RANGE (axis), AXISCAST_INVALID_ARGUMENT (also a capacity that is too small; *rank
 * is then written); the rest is then untouched. Cost: no allocation unless it fails. */
int32_t axiscast_resolve_shape(const axiscast_tensor* operands, int64_t count, const axiscast_options* options, int64_t* extents,
                               int32_t capacity, int32_t* rank);
/** Checks that the first operand can be the destination: the result must have its shape. */
int32_t axiscast_resolve_in_place(const axiscast_tensor* operands, int64_t count, const axiscast_options* options);

/** An extent that is not known yet. Lower numbers, down to AXISCAST_LOWEST_UNKNOWN, are unknowns with a name: each stands for one
 * extent wherever it occurs in the call. Messages call -2 u2 and so on. */
#define AXISCAST_UNKNOWN (-1)
#define AXISCAST_LOWEST_UNKNOWN (-256)
/** The same as axiscast_resolve_shape where extents may be unknown, in the result too. It refuses nothing that could turn out to be
 * right; calls with known extents decide. Not for AXISCAST_MODE_LEGACY_POINTWISE. */
int32_t axiscast_infer_shape(const axiscast_tensor* operands, int64_t count, const axiscast_options* options, int64_t* extents,
                             int32_t capacity, int32_t* rank);
/** The first operand is the destination; the result is its shape with all that the others say of its unknown extents. */
int32_t axiscast_infer_in_place(const axiscast_tensor* operands, int64_t count, const axiscast_options* options, int64_t* extents,
                                int32_t capacity, int32_t* rank);

/** The shape and the dtype that the op gives for these inputs; their data pointers are not looked at. Errors as axiscast_plan_make
 * and axiscast_resolve_shape. */
int32_t axiscast_infer_output(const axiscast_op* op, const axiscast_tensor* inputs, int64_t count, const axiscast_options* options,
                              int64_t* extents, int32_t capacity, int32_t* rank, int32_t* dtype);

/* ----------------------------------------------------- plans, eager calls ----------------------------------------------------- */

/** An op bound to shapes, dtypes and strides. Never changes; any number of threads may execute it at once. It may outlive a
 * registry of one's own. */
typedef struct axiscast_plan axiscast_plan;

/** Makes a plan for out = op(inputs...). The operands' data pointers are not looked at.
 *
 * The result may have fewer or smaller dims than `out`; it is then stretched to it. Errors: AXISCAST_INVALID_SHAPE,
 * AXISCAST_UNSUPPORTED_DTYPE, AXISCAST_INVALID_ARGUMENT (attributes, number of inputs, an out that overlaps itself),
 * AXISCAST_OUT_OF_RANGE (axis), AXISCAST_UNKNOWN_NAME (attribute), AXISCAST_OUT_OF_MEMORY; *plan is then untouched. Cost: some
 * microseconds and allocations. */
int32_t axiscast_plan_make(const axiscast_op* op, const axiscast_tensor* inputs, int64_t count, const axiscast_tensor* out,
                           const axiscast_options* options, axiscast_plan** plan);
/** NULL is nothing to free. */
int32_t axiscast_plan_free(axiscast_plan* plan);

/** Runs the plan on memory of the planned shapes and strides; inputs[i] points at element [0, ..., 0] of input i.
 *
 * Aliasing: `out` may be exactly an input. Any other overlap gives the result as if the inputs had been copied first. Memory: of an
 * elementwise plan, that copy and the messages of errors alone come from the heap; scratch is on the stack of the threads that run
 * it, some 40 KB each, and up to 100 of sums and gradients. Plans of other ops may allocate more. Errors: AXISCAST_INVALID_ARGUMENT
 * (a null pointer with elements behind it, the number of inputs), AXISCAST_DIVISION_BY_ZERO, AXISCAST_OUT_OF_RANGE (an index),
 * AXISCAST_OUT_OF_MEMORY (the copy); out is then untouched. */
int32_t axiscast_plan_execute(const axiscast_plan* plan, const void* const* inputs, int64_t count, void* out,
                              const axiscast_execute_options* options);

/** Runs part `part` of `parts` in the calling thread, for callers that split the work themselves: parts 0 to parts - 1, each called
 * once with the same pointers, write disjoint elements and together what axiscast_plan_execute writes. They may run in any order,
 * at once, in any threads; none waits for another.
 *
 * One part of one is the whole, and always runs. More are refused with AXISCAST_UNSUPPORTED where one part cannot go without the
 * others: a plan that is not divisible (axiscast_plan_info), or pointers for which an input would have to be copied first. Of the
 * options, `stores` alone is heeded. */
int32_t axiscast_plan_execute_part(const axiscast_plan* plan, const void* const* inputs, int64_t count, void* out, int64_t part,
                                   int64_t parts, const axiscast_execute_options* options);

/** How a plan will run. */
typedef struct axiscast_plan_info {
  size_t struct_size;
  int32_t input_count;
  int32_t rank;             /* of the result */
  int64_t tiles;            /* what threads share; a thread that runs all of them may take several as one */
  int64_t tile_rows;        /* of so many elements */
  int64_t tile_cols;        /* by so many */
  double estimated_seconds; /* by one thread; 0 where it is not known */
  int32_t parallel;         /* threads may share it, those of a pool from some 3 us on; 0: runs in the calling thread, whatever the
                               options */
  int32_t divisible;        /* 0: axiscast_plan_execute_part takes it in one part only: it looks at data before it writes (integer
                               divisors), or it is more than elementwise */
  uint32_t may_be_out;      /* inputs (a bit each) that may be the very buffer of the output, at no cost */
  uint32_t reserved;
} axiscast_plan_info;
int32_t axiscast_plan_describe(const axiscast_plan* plan, axiscast_plan_info* info);

/** Computes out = op(inputs...): a plan that is made, or that the calling thread has kept from one of its last calls (64 of some
 * 5 to 10 KB, until the thread ends), and its execution. A call like one of the last allocates nothing and locks nothing. Errors as
 * axiscast_plan_make and axiscast_plan_execute. */
int32_t axiscast_apply(const axiscast_op* op, const axiscast_tensor* inputs, int64_t count, const axiscast_tensor* out,
                       const axiscast_options* options, const axiscast_execute_options* execute_options);
/** Computes x = op(x, rest...): x takes part in the broadcast, and the result must have its shape. Messages begin with the op's
 * name and "_". */
int32_t axiscast_apply_in_place(const axiscast_op* op, const axiscast_tensor* x, const axiscast_tensor* rest, int64_t rest_count,
                                const axiscast_options* options, const axiscast_execute_options* execute_options);

/* -------------------------------------------------------- expressions -------------------------------------------------------- */

/** Elementwise ops one after the other over the same elements, in one pass: each input is read once, the result is written once.
 * Never changes; any number of threads may make plans of it at once. */
typedef struct axiscast_expression axiscast_expression;

/** Reads "maximum(add(multiply(x, scale@1), bias@1), 0)": calls of elementwise ops of the registry, on other calls, inputs and
 * numbers. An input is a name; its dims align right with the result's, or face them from an axis on, which stands behind the name.
 * Numbers have the dtype of the inputs beside them. Attributes follow the operands, as in "clip(x, min=0, max=6)". See
 * axiscast/expression.h.
 *
 * Errors: AXISCAST_INVALID_ARGUMENT (a text that cannot be read), AXISCAST_UNKNOWN_NAME (an op, an attribute), AXISCAST_UNSUPPORTED
 * (an op that is more than elementwise; more than one pass takes, 32 calls, and 32 operands with numbers and the result); messages
 * name the place. *expression is then untouched. Cost: some microseconds. */
int32_t axiscast_expression_create(const axiscast_registry* registry, const char* text, axiscast_expression** expression);
/** NULL is nothing to free. Plans that were made of it live on. */
int32_t axiscast_expression_free(axiscast_expression* expression);

/** Inputs are given in the order in which they first occur in the text. Names live as long as the expression. Errors of the name:
 * AXISCAST_OUT_OF_RANGE. */
int32_t axiscast_expression_input_count(const axiscast_expression* expression, int32_t* count);
int32_t axiscast_expression_input_name(const axiscast_expression* expression, int32_t index, const char** name);

/** The shape that all inputs broadcast to, and the dtype of the last op; data pointers are not looked at. Errors as
 * axiscast_plan_make_expression and axiscast_resolve_shape. */
int32_t axiscast_expression_infer_output(const axiscast_expression* expression, const axiscast_tensor* inputs, int64_t count,
                                         const axiscast_options* options, int64_t* extents, int32_t capacity, int32_t* rank,
                                         int32_t* dtype);

/** Makes a plan for out = expression(inputs...), which is executed as every plan is: the bits are those of the ops one after the
 * other. The operands' data pointers are not looked at. Of the options, `caller` and `names` are heeded; a mode other than numpy,
 * an axis and attributes are refused, as the text has them.
 *
 * Errors: as axiscast_plan_make, and AXISCAST_UNSUPPORTED (numbers and inputs that are more than one pass takes; an op that looks
 * at data before it writes, as an integer division does at the divisor, where that is computed by another op),
 * AXISCAST_DIVISION_BY_ZERO (by the number 0); *plan is then untouched. */
int32_t axiscast_plan_make_expression(const axiscast_expression* expression, const axiscast_tensor* inputs, int64_t count,
                                      const axiscast_tensor* out, const axiscast_options* options, axiscast_plan** plan);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif /* AXISCAST_C_API_H_ */

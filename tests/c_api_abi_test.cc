// The C API's ABI is what tests/data/c_abi.txt recorded: sizes, offsets, numbers, functions' types; and nothing in the header is
// without a record. A line may be added there; one that changes breaks programs that were compiled before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <typeinfo>
#include <vector>

#include "axiscast/c_api.h"
#include "core/c_api.h"

namespace axiscast {
namespace {

struct Field {
  std::string name;
  std::size_t offset;
  std::size_t size;
};

struct StructRecord {
  std::string name;
  std::size_t size;
  std::vector<Field> fields;
};

#define FIELD(type, name) \
  { #name, offsetof(type, name), sizeof(type::name) }
#define STRUCT(type, ...)                \
  {                                      \
#type, sizeof(type), { __VA_ARGS__ } \
  }

std::vector<StructRecord> Structs() {
  return {
      STRUCT(axiscast_tensor, FIELD(axiscast_tensor, struct_size), FIELD(axiscast_tensor, data), FIELD(axiscast_tensor, dtype),
             FIELD(axiscast_tensor, rank), FIELD(axiscast_tensor, shape), FIELD(axiscast_tensor, byte_strides)),
      STRUCT(axiscast_attribute, FIELD(axiscast_attribute, struct_size), FIELD(axiscast_attribute, name),
             FIELD(axiscast_attribute, kind), FIELD(axiscast_attribute, rank), FIELD(axiscast_attribute, value)),
      STRUCT(axiscast_options, FIELD(axiscast_options, struct_size), FIELD(axiscast_options, mode),
             FIELD(axiscast_options, has_axis), FIELD(axiscast_options, axis), FIELD(axiscast_options, attributes),
             FIELD(axiscast_options, attribute_count), FIELD(axiscast_options, caller), FIELD(axiscast_options, names)),
      STRUCT(axiscast_execute_options, FIELD(axiscast_execute_options, struct_size), FIELD(axiscast_execute_options, max_threads),
             FIELD(axiscast_execute_options, stores), FIELD(axiscast_execute_options, pool),
             FIELD(axiscast_execute_options, task_arena)),
      STRUCT(axiscast_thread_pool, FIELD(axiscast_thread_pool, struct_size), FIELD(axiscast_thread_pool, context),
             FIELD(axiscast_thread_pool, parallel_for), FIELD(axiscast_thread_pool, concurrency)),
      STRUCT(axiscast_op_info, FIELD(axiscast_op_info, struct_size), FIELD(axiscast_op_info, name), FIELD(axiscast_op_info, asked),
             FIELD(axiscast_op_info, aliases), FIELD(axiscast_op_info, doc), FIELD(axiscast_op_info, special),
             FIELD(axiscast_op_info, source), FIELD(axiscast_op_info, operands), FIELD(axiscast_op_info, max_ulp),
             FIELD(axiscast_op_info, arity), FIELD(axiscast_op_info, elementwise), FIELD(axiscast_op_info, attribute_count),
             FIELD(axiscast_op_info, kernel_count)),
      STRUCT(axiscast_kernel_info, FIELD(axiscast_kernel_info, struct_size), FIELD(axiscast_kernel_info, inputs),
             FIELD(axiscast_kernel_info, output), FIELD(axiscast_kernel_info, may_be_out)),
      STRUCT(axiscast_attribute_info, FIELD(axiscast_attribute_info, struct_size), FIELD(axiscast_attribute_info, name),
             FIELD(axiscast_attribute_info, doc), FIELD(axiscast_attribute_info, names), FIELD(axiscast_attribute_info, value),
             FIELD(axiscast_attribute_info, type), FIELD(axiscast_attribute_info, absent)),
      STRUCT(axiscast_plan_info, FIELD(axiscast_plan_info, struct_size), FIELD(axiscast_plan_info, input_count),
             FIELD(axiscast_plan_info, rank), FIELD(axiscast_plan_info, tiles), FIELD(axiscast_plan_info, tile_rows),
             FIELD(axiscast_plan_info, tile_cols), FIELD(axiscast_plan_info, estimated_seconds),
             FIELD(axiscast_plan_info, parallel), FIELD(axiscast_plan_info, divisible), FIELD(axiscast_plan_info, may_be_out),
             FIELD(axiscast_plan_info, reserved)),
  };
}

struct Number {
  std::string name;
  std::int64_t value;
};

#define NUMBER(name) \
  { #name, name }

std::vector<Number> Numbers() {
  return {
      NUMBER(AXISCAST_ABI_VERSION),
      NUMBER(AXISCAST_OK),
      NUMBER(AXISCAST_INVALID_ARGUMENT),
      NUMBER(AXISCAST_INVALID_SHAPE),
      NUMBER(AXISCAST_UNSUPPORTED_DTYPE),
      NUMBER(AXISCAST_UNKNOWN_NAME),
      NUMBER(AXISCAST_OUT_OF_RANGE),
      NUMBER(AXISCAST_DIVISION_BY_ZERO),
      NUMBER(AXISCAST_OUT_OF_MEMORY),
      NUMBER(AXISCAST_UNSUPPORTED),
      NUMBER(AXISCAST_INTERNAL),
      NUMBER(AXISCAST_BOOL),
      NUMBER(AXISCAST_INT8),
      NUMBER(AXISCAST_INT16),
      NUMBER(AXISCAST_INT32),
      NUMBER(AXISCAST_INT64),
      NUMBER(AXISCAST_UINT8),
      NUMBER(AXISCAST_UINT16),
      NUMBER(AXISCAST_UINT32),
      NUMBER(AXISCAST_UINT64),
      NUMBER(AXISCAST_FLOAT16),
      NUMBER(AXISCAST_BFLOAT16),
      NUMBER(AXISCAST_FLOAT32),
      NUMBER(AXISCAST_FLOAT64),
      NUMBER(AXISCAST_MODE_DEFAULT),
      NUMBER(AXISCAST_MODE_NUMPY),
      NUMBER(AXISCAST_MODE_AXIS),
      NUMBER(AXISCAST_MODE_ONNX_LEGACY),
      NUMBER(AXISCAST_MODE_NONE),
      NUMBER(AXISCAST_MODE_SAME_RANK),
      NUMBER(AXISCAST_MODE_PATTERN),
      NUMBER(AXISCAST_MODE_LEGACY_POINTWISE),
      NUMBER(AXISCAST_MODE_POINTWISE),
      NUMBER(AXISCAST_ATTRIBUTE_NUMBER),
      NUMBER(AXISCAST_ATTRIBUTE_INTEGER),
      NUMBER(AXISCAST_ATTRIBUTE_BOOL),
      NUMBER(AXISCAST_ATTRIBUTE_NAME),
      NUMBER(AXISCAST_ATTRIBUTE_SHAPE),
      NUMBER(AXISCAST_ABSENT_REQUIRED),
      NUMBER(AXISCAST_ABSENT_VALUE),
      NUMBER(AXISCAST_ABSENT_LOWEST),
      NUMBER(AXISCAST_ABSENT_HIGHEST),
      NUMBER(AXISCAST_MAX_RANK),
      NUMBER(AXISCAST_MAX_ARITY),
      NUMBER(AXISCAST_VALUE_DOUBLE),
      NUMBER(AXISCAST_VALUE_INT64),
      NUMBER(AXISCAST_VALUE_UINT64),
      NUMBER(AXISCAST_VALUE_TEXT),
      NUMBER(AXISCAST_VALUE_SHAPE),
      NUMBER(AXISCAST_STORES_AUTO),
      NUMBER(AXISCAST_STORES_CACHED),
      NUMBER(AXISCAST_STORES_STREAM),
      NUMBER(AXISCAST_UNKNOWN),
      NUMBER(AXISCAST_LOWEST_UNKNOWN),
  };
}

struct FunctionRecord {
  std::string name;
  std::string type;  // as the C++ ABI of gcc and clang spells it
};

#define FUNCTION(f) \
  { #f, typeid(f).name() }

std::vector<FunctionRecord> Functions() {
  return {
      FUNCTION(axiscast_abi_version),
      FUNCTION(axiscast_version),
      FUNCTION(axiscast_last_message),
      FUNCTION(axiscast_status_name),
      FUNCTION(axiscast_dtype_name),
      FUNCTION(axiscast_dtype_size),
      FUNCTION(axiscast_dtype_find),
      FUNCTION(axiscast_dtype_from_dlpack),
      FUNCTION(axiscast_dtype_to_dlpack),
      FUNCTION(axiscast_mode_name),
      FUNCTION(axiscast_mode_find),
      FUNCTION(axiscast_target_count),
      FUNCTION(axiscast_target_at),
      FUNCTION(axiscast_registry_for_target),
      FUNCTION(axiscast_registry_target),
      FUNCTION(axiscast_op_count),
      FUNCTION(axiscast_op_at),
      FUNCTION(axiscast_op_find),
      FUNCTION(axiscast_op_gradient),
      FUNCTION(axiscast_op_describe),
      FUNCTION(axiscast_op_kernel),
      FUNCTION(axiscast_op_attribute),
      FUNCTION(axiscast_resolve_shape),
      FUNCTION(axiscast_resolve_in_place),
      FUNCTION(axiscast_infer_shape),
      FUNCTION(axiscast_infer_in_place),
      FUNCTION(axiscast_infer_output),
      FUNCTION(axiscast_plan_make),
      FUNCTION(axiscast_plan_free),
      FUNCTION(axiscast_plan_execute),
      FUNCTION(axiscast_plan_execute_part),
      FUNCTION(axiscast_plan_describe),
      FUNCTION(axiscast_apply),
      FUNCTION(axiscast_apply_in_place),
      FUNCTION(axiscast_expression_create),
      FUNCTION(axiscast_expression_free),
      FUNCTION(axiscast_expression_input_count),
      FUNCTION(axiscast_expression_input_name),
      FUNCTION(axiscast_expression_infer_output),
      FUNCTION(axiscast_plan_make_expression),
  };
}

std::string Record() {
  std::ostringstream text;
  text << "# The C API's ABI version 1 on 64-bit machines: structs with their sizes, fields with offset and size, numbers, and\n"
          "# functions with their types as the C++ ABI of gcc and clang spells them. c_api_abi_test compares.\n";
  for (const StructRecord& record : Structs()) {
    text << "struct " << record.name << " " << record.size << "\n";
    for (const Field& field : record.fields) text << "  " << field.name << " " << field.offset << " " << field.size << "\n";
  }
  for (const Number& number : Numbers()) text << number.name << " " << number.value << "\n";
  for (const FunctionRecord& function : Functions()) text << function.name << " " << function.type << "\n";
  return text.str();
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CAbi, IsWhatWasRecorded) {
  const std::string path = std::string(AXISCAST_TEST_DATA) + "/c_abi.txt";
  EXPECT_EQ(Record(), TextOf(path)) << "if nothing but additions differ, this is to be the content of " << path;
}

// So that a field that is added is recorded: no bytes of a struct are without a field.
TEST(CAbi, FieldsLeaveNoGaps) {
  for (const StructRecord& record : Structs()) {
    std::size_t end = 0;
    for (const Field& field : record.fields) {
      EXPECT_EQ(field.offset, end) << record.name << "." << field.name;
      end = field.offset + field.size;
    }
    EXPECT_EQ(end, record.size) << record.name;
    EXPECT_EQ(record.fields[0].name, "struct_size");
  }
}

TEST(CAbi, NothingInTheHeaderIsWithoutARecord) {
  const std::string header = TextOf(std::string(AXISCAST_TEST_DATA) + "/../../include/axiscast/c_api.h");
  std::set<std::string> names;
  for (const Number& number : Numbers()) names.insert(number.name);
  for (const FunctionRecord& function : Functions()) names.insert(function.name);
  for (const StructRecord& record : Structs()) names.insert(record.name);
  // Declarations begin in the first column, enumerators with two spaces; a function's name ends at its parenthesis.
  std::vector<std::string> functions, enumerators, macros, structs;
  std::istringstream lines(header);
  const auto word_at = [](const std::string& line, std::size_t at) {
    const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at);
    return line.substr(at, end - at);
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('('), name = line.find(" axiscast_"), pointer = line.find("* axiscast_");
    if (line.rfind("#define AXISCAST_", 0) == 0 && line != "#define AXISCAST_C_API_H_") macros.push_back(word_at(line, 8));
    if (line.rfind("  AXISCAST_", 0) == 0 && line.find(" = ") != line.npos) enumerators.push_back(word_at(line, 2));
    if (line.rfind("} axiscast_", 0) == 0) structs.push_back(word_at(line, 2));
    if (line.rfind("int", 0) != 0 && line.rfind("const", 0) != 0) continue;
    if (open != line.npos && name < open) functions.push_back(word_at(line, (pointer < open ? pointer + 1 : name) + 1));
  }
  EXPECT_EQ(functions.size(), Functions().size());
  EXPECT_EQ(enumerators.size() + macros.size(), Numbers().size());
  EXPECT_EQ(structs.size() + 1, Structs().size());  // the pool is in thread_pool.h
  for (const auto& list : {functions, enumerators, macros, structs}) {
    for (const std::string& name : list) EXPECT_TRUE(names.count(name) != 0) << name;
  }
}

// Two versions of a struct, as a field at the end makes them.
struct Old {
  std::size_t struct_size;
  std::int64_t a;
};
struct New {
  std::size_t struct_size;
  std::int64_t a;
  std::int64_t b;
};

TEST(CAbi, AnOlderCallersStructHasZerosWhereItHasNothing) {
  const Old given{sizeof(Old), 7};
  New known{0, 0, 99};
  EXPECT_TRUE(c::Read("call", "it", &given, sizeof(Old), &known).ok());
  EXPECT_EQ(known.a, 7);
  EXPECT_EQ(known.b, 0);
}

TEST(CAbi, ANewerCallersStructMustHaveZerosInWhatIsNotKnown) {
  New given{sizeof(New), 7, 0};
  Old known;
  EXPECT_TRUE(c::Read("call", "it", &given, sizeof(Old), &known).ok());
  EXPECT_EQ(known.a, 7);
  reinterpret_cast<std::byte*>(&given)[sizeof(Old) + 1] = std::byte{1};
  const Status status = c::Read("call", "it", &given, sizeof(Old), &known);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(),
               "call: a field of it that this library does not know must be 0: at byte 17 of its struct, which has 16 here");
}

TEST(CAbi, ACallersStructIsFilledInAsFarAsItGoes) {
  New bytes{sizeof(Old), 1, 99};
  EXPECT_TRUE(c::Write("call", "it", New{0, 5, 6}, sizeof(Old), &bytes).ok());
  EXPECT_EQ(bytes.struct_size, sizeof(Old));
  EXPECT_EQ(bytes.a, 5);
  EXPECT_EQ(bytes.b, 99);
  New newer{sizeof(New), 1, 99};
  EXPECT_TRUE(c::Write("call", "it", Old{0, 5}, sizeof(Old), reinterpret_cast<Old*>(&newer)).ok());
  EXPECT_EQ(newer.struct_size, sizeof(New));
  EXPECT_EQ(newer.a, 5);
  EXPECT_EQ(newer.b, 0);
}

TEST(CAbi, OtherSizesAreRefused) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{17}, std::size_t{4104}, ~std::size_t{0}}) {
    const Old given{size, 7};
    New known;
    const Status status = c::Read("call", "it", &given, sizeof(Old), &known);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "call: the struct_size of it must be sizeof of its struct, which is 24 here; got " + std::to_string(size));
    New out{size, 1, 2};
    EXPECT_EQ(c::Write("call", "it", New{0, 5, 6}, sizeof(Old), &out).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(out.a, 1);
  }
}

}  // namespace
}  // namespace axiscast

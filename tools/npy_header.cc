// What the header of a .npy file says. Source: NumPy's numpy/lib/format.py.
#include "tools/npy_header.h"

#include <bit>
#include <limits>
#include <optional>

#include "tools/failure.h"
#include "tools/python_literal.h"
#include "tools/shape_text.h"

namespace axiscast::tools {
namespace {

using Kind = PythonLiteral::Kind;

constexpr bool kLittleEndian = std::endian::native == std::endian::little;

[[noreturn]] void RefuseFile(const std::string& path, const std::string& why) { Fail(kFileError, path + ": " + why); }

// NumPy's one-letter codes. `long` has 8 bytes where this is built.
struct CodeRow {
  char code;
  const char* name;
};
constexpr CodeRow kCodes[] = {
    {'?', "bool"},    {'b', "int8"},     {'B', "uint8"},     {'h', "int16"},      {'H', "uint16"},
    {'i', "int32"},   {'I', "uint32"},   {'l', "int64"},     {'L', "uint64"},     {'q', "int64"},
    {'Q', "uint64"},  {'p', "int64"},    {'P', "uint64"},    {'e', "float16"},    {'f', "float32"},
    {'d', "float64"}, {'g', "float128"}, {'F', "complex64"}, {'D', "complex128"}, {'G', "complex256"},
};

// NumPy has no bfloat16: this is what ml_dtypes writes.
constexpr const char* kBFloat16Code = "V2";

// The kinds of a code with a size in bytes behind it, as in `f4`.
struct SizedRow {
  char kind;
  const char* prefix;
};
constexpr SizedRow kSized[] = {{'i', "int"}, {'u', "uint"}, {'f', "float"}, {'c', "complex"}};

// NumPy's name of what a type string without its byte order means; empty when it is none that this table knows.
std::string DTypeName(std::string_view code) {
  DType dtype;
  if (FindDType(code, &dtype)) return std::string(code);
  if (code == "complex64" || code == "complex128") return std::string(code);
  if (code == kBFloat16Code) return "bfloat16";
  if (code == "b1") return "bool";
  if (code.size() == 1) {
    for (const CodeRow& row : kCodes) {
      if (row.code == code[0]) return row.name;
    }
  }
  for (const SizedRow& row : kSized) {
    std::int64_t size = 0;
    if (code.size() > 1 && row.kind == code[0] && ReadInteger(code.substr(1), &size) == IntegerText::kFits && size > 0 &&
        size <= 32) {
      return row.prefix + std::to_string(size * 8);
    }
  }
  return "";
}

// Says what a dtype is that no build will ever read.
std::string KindOfObject(std::string_view code) {
  switch (code.empty() ? '\0' : code[0]) {
    case 'O':
      return "it holds pickled Python objects, which are never loaded";
    case 'U':
    case 'S':
    case 'a':
      return "it holds strings";
    case 'M':
    case 'm':
      return "it holds dates or times";
    case 'V':
      return "it holds raw bytes (void)";
    default:
      return "its dtype is not one of NumPy's numbers";
  }
}

std::string KnownDTypes() {
  std::string names;
  for (const DTypeRow& row : kDTypes) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

void ReadDescr(const PythonLiteral& descr, const std::string& path, NpyHeader* header) {
  if (descr.kind == Kind::kList || descr.kind == Kind::kTuple) {
    RefuseFile(path, "it holds a structured dtype; only plain numbers can be read (save one field at a time)");
  }
  if (descr.kind != Kind::kString) RefuseFile(path, "the header's `descr` is not a dtype");
  std::string_view code = descr.string;
  char order = '=';
  if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
    order = code[0];
    code.remove_prefix(1);
  }
  const std::string name = DTypeName(code);
  if (name.empty()) RefuseFile(path, KindOfObject(code) + " (descr '" + descr.string + "'); it can hold " + KnownDTypes());
  if (!FindDType(name, &header->dtype)) {
    Fail(StatusCode::kUnsupportedDType,
         path + ": dtype " + name + " (descr '" + descr.string + "') is not offered by this build; it has " + KnownDTypes());
  }
  header->swapped = SizeOf(header->dtype) > 1 && order == (kLittleEndian ? '>' : '<');
}

void ReadShapeTuple(const PythonLiteral& shape, const std::string& path, NpyHeader* header) {
  if (shape.kind != Kind::kTuple) RefuseFile(path, "the header's `shape` is not a tuple of integers");
  bool empty = false;
  for (const PythonLiteral& extent : shape.items) {
    if (extent.kind != Kind::kInteger) RefuseFile(path, "the header's `shape` is not a tuple of integers");
    const std::int64_t value = extent.integer;
    if (value < 0) RefuseFile(path, "the header has a negative extent");
    if (!extent.fits) RefuseFile(path, "the header has an extent that does not fit in int64");
    empty = empty || value == 0;
    header->shape.push_back(value);
  }
  if (!header->shape.valid()) {
    RefuseFile(path,
               "it has rank " + std::to_string(header->shape.given_rank()) + ", and ranks go up to " + std::to_string(kMaxRank));
  }
  header->data_bytes = empty ? 0 : static_cast<std::int64_t>(SizeOf(header->dtype));
  for (const std::int64_t extent : header->shape) {
    if (header->data_bytes > 0 && extent > std::numeric_limits<std::int64_t>::max() / header->data_bytes) {
      RefuseFile(path, "the header's extents " + ShapeText(header->shape) + " overflow int64");
    }
    header->data_bytes *= extent;
  }
}

}  // namespace

NpyHeader ReadNpyHeader(std::string_view dict, const std::string& path) {
  PythonLiteral literal;
  std::string why;
  if (!ParsePythonLiteral(dict, &literal, &why)) RefuseFile(path, "the header is not a Python dict literal: " + why);
  if (literal.kind != Kind::kDict) RefuseFile(path, "the header is not a dict");
  const PythonLiteral* descr = nullptr;
  const PythonLiteral* fortran_order = nullptr;
  const PythonLiteral* shape = nullptr;
  for (std::size_t i = 0; i < literal.items.size(); i += 2) {  // the last of equal keys counts, as in Python
    const PythonLiteral& key = literal.items[i];
    const PythonLiteral* const value = &literal.items[i + 1];
    if (key.kind == Kind::kString && key.string == "descr")
      descr = value;
    else if (key.kind == Kind::kString && key.string == "fortran_order")
      fortran_order = value;
    else if (key.kind == Kind::kString && key.string == "shape")
      shape = value;
    else
      RefuseFile(path, "the header has keys other than descr, fortran_order and shape");
  }
  if (descr == nullptr || fortran_order == nullptr || shape == nullptr) {
    RefuseFile(path, "the header must have the keys descr, fortran_order and shape");
  }
  if (fortran_order->kind != Kind::kBool) RefuseFile(path, "the header's `fortran_order` is neither True nor False");
  NpyHeader header;
  header.fortran_order = fortran_order->boolean;
  ReadDescr(*descr, path, &header);
  ReadShapeTuple(*shape, path, &header);
  return header;
}

std::string NpyPreamble(DType dtype, const Shape& shape) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kGrowthDigits = 21;   // NumPy leaves room for the first extent to grow in place
  constexpr const char* kKindCodes = "biuf";  // bool, signed, unsigned, float
  std::string dict = "{'descr': '";
  dict += SizeOf(dtype) == 1 ? '|' : '<';
  dict += dtype == DType::kBFloat16 ? kBFloat16Code : kKindCodes[static_cast<int>(KindOf(dtype))] + std::to_string(SizeOf(dtype));
  dict += "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < shape.rank(); ++i) dict += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  dict += shape.rank() == 1 ? ",), }" : "), }";
  if (shape.rank() > 0) dict.append(kGrowthDigits - std::to_string(shape[0]).size(), ' ');
  const std::size_t prefix = 10;  // magic, version, length
  const std::size_t unpadded = prefix + dict.size() + 1;
  dict.append(kAlignment - unpadded % kAlignment, ' ');  // a whole line of padding where none is needed: NumPy's habit
  dict += '\n';
  std::string preamble("\x93NUMPY\x01\x00", 8);  // the highest rank fits: version 1.0 allows 65535 characters
  preamble += static_cast<char>(dict.size() & 0xff);
  preamble += static_cast<char>(dict.size() >> 8);
  return preamble + dict;
}

}  // namespace axiscast::tools

// `axiscast explain`: how a call would run, and what the machine's memory allows.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "axiscast/plan.h"
#include "tools/command_line.h"
#include "tools/computation.h"
#include "tools/failure.h"
#include "tools/json.h"
#include "tools/library_internals.h"
#include "tools/operators.h"
#include "tools/roof.h"
#include "tools/shape_text.h"
#include "tools/table.h"
#include "tools/verbs.h"
#include "tools/warnings.h"

namespace axiscast::tools {
namespace {

constexpr VerbText kText = {
    "axiscast explain OP SHAPE... [flags]",
    "Shows how a call on dense tensors of these shapes would run: the canonical dims that are left after merging, the tile, how "
    "each operand reaches the kernel, and the roof: the time that memory needs for the bytes of the call, at a bandwidth measured "
    "now. OP may be an expression of several ops, as axiscast run takes it.",
    "  A bias per channel:\n"
    "    axiscast explain add 8,64,56,56 64 --axis 1\n"
    "  A short row, in float64, on one thread:\n"
    "    axiscast explain multiply 100000,3 3 --dtype float64 --threads 1\n"
    "  Rows that an index of int32 chooses:\n"
    "    axiscast explain gather 30000,64 500 --attr dim=0 --index-dtype int32\n"
    "  Several ops in one pass, the first input a mask:\n"
    "    axiscast explain 'where(mask, add(x, y@1), 0)' 8,1,9,9 8,64,9,9 64 --dtype bool,float32,float32\n"
    "  What is stretched is declared, as in PyTensor:\n"
    "    axiscast explain add 100,3 1,3 --pattern NN --pattern BN\n"
    "  For a script:\n"
    "    axiscast explain add 2,3,4,5 3,4 --axis 1 --json\n",
};

DType ReadDType(const std::string& name) {
  DType dtype;
  if (FindDType(name, &dtype)) return dtype;
  if (name == "complex64" || name == "complex128")
    Fail(StatusCode::kUnsupportedDType, "dtype " + name + " is not offered by this build");
  std::vector<std::string> names;
  for (const DTypeRow& row : kDTypes) names.emplace_back(row.name);
  Fail(StatusCode::kUnknownName, NoSuch("dtype", name, names));
}

// The dtype asked for of an input; else the preferred one where the op has it, else its first.
DType ChooseDType(const Op& op, int operand, const Value& name, DType preferred) {
  const std::vector<DType> dtypes = DTypesOf(op, operand);
  const DType dtype = name ? ReadDType(*name) : preferred;
  if (std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end()) return dtype;
  if (!name) return dtypes[0];
  std::string supported;
  for (const DType known : dtypes) supported += (supported.empty() ? "" : ", ") + std::string(NameOf(known));
  const std::string what = operand == DataOperand(op) ? "" : "an index of ";
  Fail(StatusCode::kUnsupportedDType,
       std::string("no kernel of ") + op.name() + " for " + what + NameOf(dtype) + "; it supports " + supported);
}

// The kernel for the dtypes asked for: of the data operands, and of an index where the op has one.
const Kernel& ChooseKernel(const Op& op, const Value& dtype_name, const Value& index_dtype_name) {
  const int index = IndexOperand(op);
  if (index_dtype_name && index < 0) Fail(kUsage, std::string("--index-dtype: ") + op.name() + " takes no index");
  const int data = DataOperand(op);
  const DType dtype = ChooseDType(op, data, dtype_name, DType::kFloat32);
  const auto fits = [&](const Kernel& kernel) { return kernel.inputs[data] == dtype; };
  if (index < 0) return *std::find_if(op.kernels().begin(), op.kernels().end(), fits);
  const DType index_dtype = ChooseDType(op, index, index_dtype_name, DType::kInt64);
  return *std::find_if(op.kernels().begin(), op.kernels().end(),
                       [&](const Kernel& kernel) { return fits(kernel) && kernel.inputs[index] == index_dtype; });
}

// The inputs' dtypes: an op's as its kernel has them, an expression's by their order, or one for all.
std::vector<DType> ChooseDTypes(const Computation& computation, std::size_t count, const Value& dtype, const Value& index_dtype) {
  std::vector<DType> dtypes;
  if (const Op* const op = computation.op(); op != nullptr) {
    const Kernel& kernel = ChooseKernel(*op, dtype, index_dtype);
    for (std::size_t i = 0; i < count; ++i) dtypes.push_back(kernel.inputs[std::min<std::size_t>(i, kMaxArity - 1)]);
    return dtypes;
  }
  if (index_dtype) Fail(kUsage, "--index-dtype: an expression takes no index");
  const std::string list = dtype.value_or("float32");
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    dtypes.push_back(ReadDType(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (dtypes.size() == 1) dtypes.resize(count, dtypes[0]);
  if (dtypes.size() != count) {
    Fail(kUsage, "--dtype takes one dtype for all inputs of an expression, or one for each; got " + std::to_string(dtypes.size()) +
                     " for " + std::to_string(count));
  }
  return dtypes;
}

// With numbers that make a plan possible where the op requires them: how it runs does not depend on those.
std::vector<Attribute> WithAnyNumbers(const Op& op, std::vector<Attribute> attributes) {
  for (int i = 0; i < op.info().attribute_count; ++i) {
    const AttributeInfo& info = op.info().attributes[i];
    const auto same = [&](const Attribute& given) { return std::strcmp(given.name, info.name) == 0; };
    const bool given = std::any_of(attributes.begin(), attributes.end(), same);
    if (info.absent == AttributeDefault::kRequired && info.type == AttributeType::kNumber && !given)
      attributes.emplace_back(info.name, 1);
  }
  return attributes;
}

struct Roof {
  std::int64_t bytes = 0;
  int threads = 1;
  Level level = Level::kL1;
  Mix mix = Mix::kCopy;
  double bytes_per_second = 0;
  double seconds() const { return bytes_per_second > 0 ? static_cast<double>(bytes) / bytes_per_second : 0; }
};

Roof MakeRoof(const PlanDescription& description, int threads) {
  Roof roof;
  if (description.operands.empty()) return roof;  // nothing to write
  const std::int64_t written = description.operands.back().unique_bytes;
  for (const PlanDescription::Operand& operand : description.operands) {
    if (__builtin_add_overflow(roof.bytes, operand.unique_bytes, &roof.bytes))
      roof.bytes = std::numeric_limits<std::int64_t>::max();
  }
  roof.threads = threads;
  roof.level = LevelOf(roof.bytes, roof.threads);
  roof.mix = MixOf(roof.bytes - written, written);
  roof.bytes_per_second = Bandwidth(roof.level, roof.mix, roof.threads);
  return roof;
}

std::string List(const std::vector<std::int64_t>& numbers) {
  std::string text = "[";
  for (const std::int64_t number : numbers) text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

std::string RoofText(const Roof& roof) {
  return BytesText(static_cast<double>(roof.bytes)) + " / " + RateText(roof.bytes_per_second) + " = " +
         SecondsText(roof.seconds()) + " (" + NameOf(roof.level) + ", a plain " + NameOf(roof.mix) + " loop on " +
         std::to_string(roof.threads) + (roof.threads == 1 ? " thread)" : " threads)");
}

// roofs: of one thread, which the estimate is for, and of as many as the call may have where those are more.
std::string Text(const Computation& computation, DType dtype, const PlanDescription& plan, const std::vector<Roof>& roofs,
                 const Registry& registry) {
  std::string text = computation.name() + " -> " + NameOf(dtype) + " " + ShapeText(plan.shape) + "\n";
  if (plan.operands.empty()) return text + "\nnothing to write: the result is empty\n";
  const int threads = roofs.back().threads;
  std::vector<std::vector<std::string>> rows = {{"operand", "dtype", "byte strides", "reaches the kernel", "unique bytes"}};
  for (const PlanDescription::Operand& operand : plan.operands) {
    rows.push_back({operand.name, NameOf(operand.dtype), List(operand.byte_strides), operand.delivery,
                    BytesText(static_cast<double>(operand.unique_bytes))});
  }
  const std::string grain = std::to_string(plan.grain_tiles) + (plan.grain_tiles == 1 ? " tile" : " tiles") + " or more";
  text += "\n" + Table(rows) + "\n";
  std::vector<std::vector<std::string>> how = {
      {"canonical dims", List(plan.extents) + " (outermost first)"},
      {"tile", std::to_string(plan.tile_rows) + (plan.tile_rows == 1 ? " row x " : " rows x ") + std::to_string(plan.tile_cols) +
                   " cols, " + std::to_string(plan.tiles) + (plan.tiles == 1 ? " tile" : " tiles")},
      {"stores", plan.store},
      {"target", registry.target()},
      {"threads", plan.parallel && threads > 1 ? "up to " + std::to_string(threads) + ", in pieces of " + grain
                                               : std::string("1: in the calling thread")},
      {"estimate", SecondsText(plan.estimated_seconds) + " on one thread, when planned and warm, by the cost model" +
                       (plan.parts.empty() ? "" : ": the sum of")}};
  for (const PlanDescription::Part& part : plan.parts)
    how.push_back({"  " + part.name, SecondsText(part.seconds) + " (" + part.counted + ")"});
  for (const Roof& roof : roofs) how.push_back({&roof == &roofs.front() ? "roof" : "", RoofText(roof)});
  if (plan.estimated_seconds < 0.9 * roofs.front().seconds()) {
    how.push_back(
        {"", std::string(NameOf(roofs.front().level)) + " was slower just now than the cost model has it: the CPU may be shared"});
  }
  text += Table(how);
  return text;
}

// Of no bytes, no memory is the roof.
Json ToJson(const Roof& roof) {
  Json json = {{"threads", roof.threads},     {"bytes", roof.bytes}, {"seconds", roof.seconds()},
               {"bytes_per_second", nullptr}, {"level", nullptr},    {"mix", nullptr}};
  if (roof.bytes == 0) return json;
  json["bytes_per_second"] = roof.bytes_per_second;
  json["level"] = NameOf(roof.level);
  json["mix"] = NameOf(roof.mix);
  return json;
}

Json ToJson(const Computation& computation, DType dtype, const PlanDescription& plan, const std::vector<Roof>& roofs,
            const Registry& registry, const Warnings& warnings) {
  Json operands = Json::array();
  for (const PlanDescription::Operand& operand : plan.operands) {
    operands.push_back({{"name", operand.name},
                        {"dtype", NameOf(operand.dtype)},
                        {"byte_strides", operand.byte_strides},
                        {"delivery", operand.delivery},
                        {"unique_bytes", operand.unique_bytes}});
  }
  Json parts = Json::array();
  for (const PlanDescription::Part& part : plan.parts)
    parts.push_back({{"name", part.name}, {"seconds", part.seconds}, {"counted", part.counted}});
  Json json = {{computation.kind(), computation.name()},
               {"dtype", NameOf(dtype)},
               {"shape", DimsToJson(plan.shape)},
               {"extents", plan.extents},
               {"operands", operands},
               {"tile", {{"rows", plan.tile_rows}, {"cols", plan.tile_cols}}},
               {"tiles", plan.tiles},
               {"grain_tiles", plan.grain_tiles},
               {"parallel", plan.parallel},
               {"threads", roofs.back().threads},
               {"store", plan.store},
               {"target", registry.target()},
               {"estimated_seconds", plan.estimated_seconds},
               {"estimated_parts", parts},
               {"roof", ToJson(roofs.back())},
               {"roof_of_one_thread", ToJson(roofs.front())}};
  warnings.AddTo(&json);
  return json;
}

}  // namespace

std::string ExplainVerb(const std::vector<std::string>& words) {
  CommandLine line(kText);
  Value dtype, index_dtype, mode, axis, threads, target;
  std::vector<std::string> attribute_texts, patterns;
  line.AddValue("--dtype", "D",
                "of the data operands, as in float64 (float32 where the op has it); of an expression's inputs, or D,D,... of each",
                &dtype);
  line.AddValue("--index-dtype", "D", "of the index of gather and scatter, int32 or int64 (int64)", &index_dtype);
  line.AddValue("--mode", "M", "how axes face each other: " + ModeNames() + " (numpy, or axis when --axis is given)", &mode);
  line.AddValue("--axis", "N", "where the operand of lower rank is anchored; -1 aligns right", &axis);
  line.AddValues("--pattern", "P", PatternHelp("input"), &patterns);
  line.AddValues("--attr", "KEY=VALUE", "an attribute of the op; may be repeated", &attribute_texts);
  Warnings warnings(&line);
  line.AddValue("--threads", "N", "at most so many threads, 1 or more (as many as there are, which is the most)", &threads);
  line.AddValue("--target", "T", "an instruction set by Highway's name, as in AVX2 (AXISCAST_TARGET, or the best)", &target);
  if (const auto help = line.Parse(words)) return *help;
  line.RequireOperands(1, static_cast<std::size_t>(-1), "OP");
  line.RequireOperands(2, static_cast<std::size_t>(-1), "a SHAPE");
  const int limit = ReadThreads(threads);
  const Alignment alignment = ReadAlignment(mode, axis, patterns);
  const Registry& registry = ChooseRegistry(target);
  const Computation computation(registry, line.operands()[0]);
  const Op* const op = computation.op();
  if (op != nullptr) CheckPatterns(alignment, PatternCount(*op), "input");
  const std::size_t count = line.operands().size() - 1;
  computation.RequireInputs(count);
  const std::vector<DType> dtypes = ChooseDTypes(computation, count, dtype, index_dtype);
  std::vector<TensorView> inputs;
  for (std::size_t i = 0; i < count; ++i) inputs.emplace_back(nullptr, dtypes[i], ReadShape(line.operands()[i + 1]));
  PlanOptions options;
  options.mode = alignment.mode;
  options.axis = alignment.axis;
  options.patterns = alignment.declared();
  options.attributes = computation.ReadAttributes(attribute_texts);
  if (op != nullptr) options.attributes = WithAnyNumbers(*op, options.attributes);
  MutableTensorView out;
  Shape shape;
  DType out_dtype = DType::kBool;
  computation.Infer(inputs, options, &shape, &out_dtype);
  if (warnings.asked()) options.diagnostics = warnings.diagnostics();  // not before: the inference would say the same
  const Plan plan = computation.MakePlan(inputs, MutableTensorView(nullptr, out_dtype, shape), options);
  const PlanDescription description = plan.Describe();
  std::vector<Roof> roofs = {MakeRoof(description, 1)};
  if (const int most = ThreadCount(limit); description.parallel && most > 1) roofs.push_back(MakeRoof(description, most));
  if (line.json()) return Print(ToJson(computation, out_dtype, description, roofs, registry, warnings));
  warnings.Print();
  return Text(computation, out_dtype, description, roofs, registry);
}

}  // namespace axiscast::tools

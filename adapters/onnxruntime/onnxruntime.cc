// The entry: every op of the registry in the domain axiscast; on request the ops of ONNX's own domain too.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#include "onnxruntime/node.h"

namespace axiscast_onnxruntime {
namespace {

// An entry of the session's configuration: which ops of ONNX to replace: names, "all", and "-" before those that are not meant.
const char kReplace[] = "axiscast.replace";

// Op types and the domain that has them. Sessions keep pointers to both, so that they live until the end.
struct Domain {
  std::vector<OpType> types;
  OrtCustomOpDomain* handle = nullptr;
};

OrtStatus* Complete(const char* name, Domain* domain) {
  if (OrtStatus* status = Api().CreateCustomOpDomain(name, &domain->handle)) return status;
  for (const OpType& type : domain->types) {
    if (OrtStatus* status = Api().CustomOpDomain_Add(domain->handle, &type)) return status;
  }
  return nullptr;
}

OrtStatus* Ours(const Domain** found) {
  static Domain* domain = nullptr;
  if (domain == nullptr) {
    auto made = std::make_unique<Domain>();
    int64_t count = 0;
    axiscast_op_count(nullptr, &count);
    for (int64_t i = 0; i < count; ++i) {
      const axiscast_op* op = nullptr;
      axiscast_op_info info{};
      info.struct_size = sizeof(info);
      if (axiscast_op_at(nullptr, i, &op) != AXISCAST_OK || axiscast_op_describe(op, &info) != AXISCAST_OK) continue;
      for (OpType& type : Describe(info.name, info.name, Rule::kAxiscast, 1)) made->types.push_back(type);
    }
    if (OrtStatus* status = Complete("axiscast", made.get())) return status;
    domain = made.release();
  }
  *found = domain;
  return nullptr;
}

// Reads a list such as "all -Equal" or "Add,Mul" of ops among `types`.
OrtStatus* ReadNames(std::string list, const std::vector<OpType>& types, std::set<std::string>* chosen) {
  std::set<std::string> known;
  for (const OpType& type : types) known.insert(type.name);
  std::replace(list.begin(), list.end(), ',', ' ');
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(word[0] == '-' ? 1 : 0);
    if (word == "all") {
      *chosen = known;
    } else if (known.count(name) == 0) {
      std::string message = std::string(kReplace) + ": no such op '" + name + "'; there are all";
      for (const std::string& op : known) message += " " + op;
      return Refuse(message);
    } else if (word == name) {
      chosen->insert(name);
    } else {
      chosen->erase(name);
    }
  }
  return nullptr;
}

OrtStatus* Replacements(const std::string& list, const Domain** found) {
  static std::map<std::string, Domain*> domains;
  *found = domains.count(list) != 0 ? domains[list] : nullptr;
  if (*found != nullptr) return nullptr;
  auto made = std::make_unique<Domain>();
  std::set<std::string> chosen;
  const std::vector<OpType> types = OnnxOps();
  if (OrtStatus* status = ReadNames(list, types, &chosen)) return status;
  for (const OpType& type : types) {
    if (chosen.count(type.name) != 0) made->types.push_back(type);
  }
  if (OrtStatus* status = Complete("", made.get())) return status;
  *found = domains[list] = made.release();
  return nullptr;
}

OrtStatus* Configured(const OrtSessionOptions* options, const char* key, std::string* value) {
  int has = 0;
  size_t size = 0;
  if (OrtStatus* status = Api().HasSessionConfigEntry(options, key, &has)) return status;
  if (has == 0) return nullptr;
  if (OrtStatus* status = Api().GetSessionConfigEntry(options, key, nullptr, &size)) return status;
  value->resize(size);
  if (OrtStatus* status = Api().GetSessionConfigEntry(options, key, value->data(), &size)) return status;
  value->resize(size - 1);  // the host counts the final 0
  return nullptr;
}

OrtStatus* Register(OrtSessionOptions* options, const OrtApi* api, const char* version) {
  static std::mutex mutex;
  static const OrtApi* only = nullptr;
  const std::lock_guard<std::mutex> lock(mutex);
  if (only == nullptr) SetApi(only = api, version);
  if (only != api)
    return api->CreateStatus(ORT_FAIL, "axiscast serves one ONNX Runtime in a process; another one has loaded it before");
  const Domain* domain = nullptr;
  if (OrtStatus* status = Ours(&domain)) return status;
  if (OrtStatus* status = Api().AddCustomOpDomain(options, domain->handle)) return status;
  std::string list;
  if (OrtStatus* status = Configured(options, kReplace, &list)) return status;
  if (list.empty()) return nullptr;
  if (OrtStatus* status = Replacements(list, &domain)) return status;
  return Api().AddCustomOpDomain(options, domain->handle);
}

}  // namespace
}  // namespace axiscast_onnxruntime

#pragma GCC visibility push(default)
extern "C" {

// What ONNX Runtime calls when it loads this library for a session.
OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
  using namespace axiscast_onnxruntime;
  const OrtApi* api = base->GetApi(kApiVersion);
  if (api == nullptr) {
    char message[128];
    std::snprintf(message, sizeof(message), "axiscast needs ONNX Runtime 1.%d or later; this is %s", static_cast<int>(kApiVersion),
                  base->GetVersionString());
    return base->GetApi(1)->CreateStatus(ORT_FAIL, message);
  }
  try {
    return Register(options, api, base->GetVersionString());
  } catch (...) {
    return api->CreateStatus(ORT_FAIL, "axiscast: out of memory");
  }
}

// How many nodes have run on our kernels.
int64_t axiscast_onnxruntime_calls(void) { return axiscast_onnxruntime::CallCount(); }

}  // extern "C"
#pragma GCC visibility pop

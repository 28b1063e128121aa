// `--warn`: where shapes with equal element counts broadcast, or are paired instead.
#ifndef AXISCAST_TOOLS_WARNINGS_H_
#define AXISCAST_TOOLS_WARNINGS_H_

#include <string>
#include <vector>

#include "axiscast/resolve.h"
#include "tools/command_line.h"
#include "tools/json.h"

namespace axiscast::tools {

// What calls say of their shapes, shown when the flag is given.
class Warnings {
 public:
  // Declares the flag.
  explicit Warnings(CommandLine* line);
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  // For the options of a call that is to be heard; this must live as long as they do.
  Diagnostics diagnostics() { return {Add, this}; }
  bool asked() const { return asked_; }
  // Whether a call said that it pairs elements, whatever axes face each other.
  bool paired() const { return paired_; }

  // On stderr, for people.
  void Print() const;
  // As the key `warnings`.
  void AddTo(Json* json) const;

 private:
  static void Add(void* warnings, DiagnosticCode code, const char* message);

  bool asked_ = false;
  bool paired_ = false;
  std::vector<std::string> texts_;
};

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_WARNINGS_H_

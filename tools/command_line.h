// The words after a verb: flags, flags' values and the rest. CLI11 reads them; this file decides what a wrong one is told.
#ifndef AXISCAST_TOOLS_COMMAND_LINE_H_
#define AXISCAST_TOOLS_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/resolve.h"

namespace axiscast::tools {

// What `axiscast VERB --help` says besides its flags.
struct VerbText {
  const char* usage;     // "axiscast resolve SHAPE... [flags]"
  const char* about;     // one paragraph, without line ends
  const char* examples;  // lines; those that begin with "axiscast " are run by a test
};

// A flag's value as it was typed; unset when the flag was not given.
using Value = std::optional<std::string>;

class CommandLine {
 public:
  explicit CommandLine(const VerbText& text);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Declares a flag without a value.
  void AddFlag(const std::string& name, const std::string& doc, bool* given);
  // Declares a flag with a value, shown as `value_name`.
  void AddValue(const std::string& name, const std::string& value_name, const std::string& doc, Value* value);
  // The same for a flag that may be given several times.
  void AddValues(const std::string& name, const std::string& value_name, const std::string& doc, std::vector<std::string>* values);

  // Reads the words after the verb; `--json` and `--help` are known everywhere. Fails with kUsage. When help was asked for, returns
  // its text; the rest is then not to be used.
  std::optional<std::string> Parse(std::vector<std::string> words);

  bool json() const { return json_; }
  // The words that are no flags.
  const std::vector<std::string>& operands() const { return operands_; }
  // Fails with kUsage when there are fewer or more operands; the message repeats `what`.
  void RequireOperands(std::size_t at_least, std::size_t at_most, const std::string& what) const;

 private:
  void Declare(CLI::Option* option, const std::string& name);
  [[noreturn]] void RefuseFlag(const std::string& word) const;
  std::string Help() const;

  VerbText text_;
  CLI::App app_;
  std::vector<std::string> flags_;
  std::vector<std::string> bare_flags_;  // those without a value
  std::vector<std::string> operands_;
  bool json_ = false;
  bool help_ = false;
};

// What `--mode`, `--axis` and `--pattern` say together.
struct Alignment {
  std::optional<Mode> mode;
  std::optional<std::int64_t> axis;
  std::vector<Pattern> patterns;

  // For the options of a call.
  const Pattern* declared() const { return patterns.empty() ? nullptr : patterns.data(); }
};

// Fails with kUsage (a value that cannot be read, an axis or patterns with a mode that takes none) or kOutOfRange (an integer too
// large for int64).
Alignment ReadAlignment(const Value& mode, const Value& axis, const std::vector<std::string>& patterns);
// In mode pattern there must be one for each of `count` things. Fails with kUsage.
void CheckPatterns(const Alignment& alignment, std::size_t count, const std::string& thing);
// The help text of `--pattern`.
std::string PatternHelp(const std::string& thing);
// `--threads`: 1 or more; 0 when it is not given. Fails with kUsage.
int ReadThreads(const Value& value);
// The help text of `--mode`: every name.
std::string ModeNames();

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_COMMAND_LINE_H_

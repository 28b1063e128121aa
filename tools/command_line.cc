// The words after a verb.
#include "tools/command_line.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include "tools/failure.h"
#include "tools/json.h"
#include "tools/library_internals.h"
#include "tools/shape_text.h"
#include "tools/table.h"

namespace axiscast::tools {
namespace {

std::string List(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> Modes() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kModeCount; ++i) names.emplace_back(kModes[i].name);
  return names;
}

// Whether a word is meant as a flag. `-1,3` is a shape with a wrong extent, `-` and `` are odd file names.
bool LooksLikeFlag(const std::string& word) { return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9'); }

// `-o --json` lacks the file: it does not mean one of that name.
void RefuseFlagAsValue(const std::string& name, const std::string& word) {
  if (LooksLikeFlag(word)) Fail(kUsage, name + " wants a value; `" + word + "` looks like a flag");
}

}  // namespace

CommandLine::CommandLine(const VerbText& text) : text_(text) {
  app_.set_help_flag();
  app_.allow_extras();  // operands are picked up from what is left: CLI11 would split `[1,2]` in two
}

void CommandLine::Declare(CLI::Option* option, const std::string& name) {
  option->group("Flags");
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find(',', begin), name.size());
    flags_.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
}

void CommandLine::AddFlag(const std::string& name, const std::string& doc, bool* given) {
  const std::size_t before = flags_.size();
  Declare(app_.add_flag_function(
              name, [given](std::int64_t count) { *given = count > 0; }, doc),
          name);
  bare_flags_.insert(bare_flags_.end(), flags_.begin() + static_cast<std::ptrdiff_t>(before), flags_.end());
}

void CommandLine::AddValue(const std::string& name, const std::string& value_name, const std::string& doc, Value* value) {
  const auto take = [name, value](const CLI::results_t& words) {
    RefuseFlagAsValue(name, words.front());
    *value = words.front();
    return true;
  };
  CLI::Option* const option = app_.add_option(name, CLI::callback_t(take), doc);
  option->type_name(value_name);
  Declare(option, name);
}

void CommandLine::AddValues(const std::string& name, const std::string& value_name, const std::string& doc,
                            std::vector<std::string>* values) {
  const auto take = [name, values](const CLI::results_t& words) {
    for (const std::string& word : words) RefuseFlagAsValue(name, word);
    *values = words;
    return true;
  };
  CLI::Option* const option = app_.add_option(name, CLI::callback_t(take), doc);
  option->take_all()->type_name(value_name);
  Declare(option, name);
}

std::optional<std::string> CommandLine::Parse(std::vector<std::string> words) {
  AddFlag("--json", "print exactly one JSON value on stdout, errors too", &json_);
  AddFlag("-h,--help", "print this text", &help_);
  for (const std::string& word : words) {  // CLI11 would take `--json=no` for a number, with a bare exception
    if (word == "--") break;
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    if (std::find(bare_flags_.begin(), bare_flags_.end(), word.substr(0, equals)) == bare_flags_.end()) continue;
    Fail(kUsage, "`" + word + "`: " + word.substr(0, equals) + " takes no value; usage: " + text_.usage);
  }
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app_.parse(std::move(words));
  } catch (const Failure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // CLI11's own, and now and then one of the standard library's
    Fail(kUsage, std::string(error.what()) + "; usage: " + text_.usage);
  }
  bool all_operands = false;
  for (const std::string& word : app_.remaining()) {
    if (!all_operands && word == "--") {
      all_operands = true;
    } else if (!all_operands && LooksLikeFlag(word)) {
      RefuseFlag(word);
    } else {
      operands_.push_back(word);
    }
  }
  if (help_) return json_ ? Print(Json{{"help", Help()}}) : Help();
  return std::nullopt;
}

void CommandLine::RefuseFlag(const std::string& word) const {
  Fail(kUsage, NoSuch("flag", word.substr(0, word.find('=')), flags_) + "; usage: " + text_.usage);
}

void CommandLine::RequireOperands(std::size_t at_least, std::size_t at_most, const std::string& what) const {
  if (operands_.size() < at_least) Fail(kUsage, what + " is missing; usage: " + text_.usage);
  if (operands_.size() > at_most) {
    Fail(kUsage, "`" + operands_[at_most] + "` is one word too many; usage: " + text_.usage);
  }
}

std::string CommandLine::Help() const {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CLI::Option* const option : app_.get_options()) {
    const bool has_value = option->get_type_size() > 0;
    rows.emplace_back("  " + option->get_name(false, true) + (has_value ? " " + option->get_type_name() : ""),
                      option->get_description());
  }
  return std::string("Usage: ") + text_.usage + "\n\n" + Wrap(text_.about, 0) + "\nFlags:\n" + Glossary(rows) + "\nExamples:\n" +
         text_.examples;
}

Alignment ReadAlignment(const Value& mode, const Value& axis, const std::vector<std::string>& patterns) {
  Alignment alignment;
  if (!patterns.empty() && axis) Fail(kUsage, "mode pattern takes no axis; got --axis " + *axis);
  bool mode_takes_axis = true;
  if (mode) {
    Mode found = Mode::kNumpy;
    if (!FindMode(*mode, &found).ok()) {
      const bool of_an_index = *mode == "broadcast" || *mode == "prefix";  // same_rank is a mode of both kinds
      Fail(kUsage, "--mode: " + NoSuch("mode", *mode, Modes()) +
                       (of_an_index ? "; of gather and scatter, mode is an attribute: --attr mode=" + *mode : ""));
    }
    alignment.mode = found;
    mode_takes_axis = kModes[static_cast<std::size_t>(found)].takes_axis;
  }
  if (axis) {
    std::int64_t value = 0;
    const IntegerText read = ReadInteger(*axis, &value);
    if (read == IntegerText::kNotAnInteger) Fail(kUsage, "--axis takes an integer, not `" + *axis + "`");
    if (!mode_takes_axis) Fail(kUsage, "mode " + *mode + " takes no axis; got --axis " + *axis);
    if (read == IntegerText::kTooLarge) Fail(StatusCode::kOutOfRange, "axis " + *axis + " is outside the range of every rank");
    alignment.axis = value;
  }
  if (!patterns.empty() && alignment.mode.value_or(Mode::kPattern) != Mode::kPattern)
    Fail(kUsage, "mode " + *mode + " takes no pattern; got --pattern " + patterns[0]);
  if (!patterns.empty()) alignment.mode = Mode::kPattern;
  for (const std::string& text : patterns) alignment.patterns.push_back(ReadPattern(text));
  return alignment;
}

void CheckPatterns(const Alignment& alignment, std::size_t count, const std::string& thing) {
  if (alignment.mode != Mode::kPattern || alignment.patterns.size() == count) return;
  Fail(kUsage, "mode pattern wants a --pattern for each " + thing + "; got " + std::to_string(alignment.patterns.size()) + " for " +
                   std::to_string(count) + " " + thing + (count == 1 ? "" : "s"));
}

std::string PatternHelp(const std::string& thing) {
  return "for each " + thing + ", which axes are broadcast (B) and which are not (N) or have a fixed extent: BN, or 10,N, or ()";
}

int ReadThreads(const Value& value) {
  if (!value) return 0;
  std::int64_t threads = 0;
  const IntegerText read = ReadInteger(*value, &threads);
  if (read == IntegerText::kTooLarge && value->find('-') == std::string::npos) threads = std::numeric_limits<int>::max();
  if (read == IntegerText::kNotAnInteger || threads < 1)
    Fail(kUsage, "--threads takes an integer of 1 or more, not `" + *value + "`");
  return static_cast<int>(std::min<std::int64_t>(threads, std::numeric_limits<int>::max()));
}

std::string ModeNames() { return List(Modes()); }

}  // namespace axiscast::tools

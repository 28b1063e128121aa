// Files that appear whole or not at all.
#ifndef AXISCAST_TOOLS_OUTPUT_FILE_H_
#define AXISCAST_TOOLS_OUTPUT_FILE_H_

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace axiscast::tools {

// Whether what is written to `path` goes where stdout goes: `-`, /dev/stdout and its other names, the terminal or pipe itself.
bool IsStdout(const std::string& path);

// Writes `parts` to a new file beside `path`, calls `report`, then renames the file to `path`. A link is followed; what is no
// regular file (/dev/null, a pipe) is written in place, and so is stdout. Fails with kFileError, or as `report` does, and `path` is
// then untouched.
void ReplaceFile(const std::string& path, std::initializer_list<std::string_view> parts, const std::function<void()>& report);

// Writes a verb's result to stdout. Fails with kFileError.
void Emit(std::string_view text);

// Fails with kFileError when a file could not be put at `path`: to be called before any long work.
void CheckWritable(const std::string& path);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_OUTPUT_FILE_H_

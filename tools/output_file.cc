// Files that appear whole or not at all.
#include "tools/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <system_error>

#include "tools/failure.h"
#include "tools/temporary_file.h"

namespace axiscast::tools {
namespace {

constexpr std::string_view kDash = "-";
constexpr std::string_view kStdoutNames[] = {kDash, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};

[[noreturn]] void Refuse(const std::string& path, const std::string& why, int error) {
  Fail(kFileError, (path == kDash ? "stdout" : path) + ": " + why + ": " + std::generic_category().message(error));
}

// Writes everything and closes. Returns 0 or an errno.
int WriteAndClose(int file, std::initializer_list<std::string_view> parts) {
  int error = 0;
  for (std::string_view part : parts) {
    while (error == 0 && !part.empty()) {
      const ssize_t written = write(file, part.data(), std::min<std::size_t>(part.size(), 1 << 30));
      if (written >= 0)
        part.remove_prefix(static_cast<std::size_t>(written));
      else if (errno != EINTR)
        error = errno;
    }
  }
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

// Where `path` leads when it is a link.
std::string FollowLink(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string real = resolved;
  std::free(resolved);
  return real;
}

enum class Target { kReplace, kWriteInPlace, kStdout };

Target LookAt(const std::string& path) {
  if (IsStdout(path)) return Target::kStdout;
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return Target::kReplace;
  if (S_ISDIR(status.st_mode)) Refuse(path, "cannot be written", EISDIR);
  return S_ISREG(status.st_mode) ? Target::kReplace : Target::kWriteInPlace;
}

}  // namespace

bool IsStdout(const std::string& path) {
  if (std::find(std::begin(kStdoutNames), std::end(kStdoutNames), path) != std::end(kStdoutNames)) return true;
  struct stat out, file;
  if (fstat(STDOUT_FILENO, &out) != 0 || stat(path.c_str(), &file) != 0) return false;
  if (out.st_dev != file.st_dev || out.st_ino != file.st_ino) return false;
  return !S_ISCHR(file.st_mode) || isatty(STDOUT_FILENO) != 0;  // what goes to /dev/null may go there twice
}

void Emit(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) Fail(kFileError, "stdout cannot be written: " + std::generic_category().message(errno));
}

void CheckWritable(const std::string& path) {
  if (path.empty() || path.back() == '/')
    Refuse(path.empty() ? "(an empty path)" : path, "cannot be written", path.empty() ? ENOENT : EISDIR);
  if (LookAt(path) != Target::kReplace) return;
  const std::string folder = FolderOf(FollowLink(path));
  if (access(folder.c_str(), W_OK | X_OK) == 0) return;
  const int error = errno;
  const bool folder_is_why = error == EACCES || error == EROFS;
  Refuse(path,
         folder_is_why ? "cannot be written: a new file is put in its place, and the folder " + folder + " is not writable"
                       : "cannot be written",
         error);
}

void ReplaceFile(const std::string& path, std::initializer_list<std::string_view> parts, const std::function<void()>& report) {
  CheckWritable(path);
  if (const Target target = LookAt(path); target != Target::kReplace) {
    const int file = target == Target::kStdout ? dup(STDOUT_FILENO) : open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) Refuse(path, "cannot be opened for writing", errno);
    const int error = WriteAndClose(file, parts);
    if (error != 0) Refuse(path, "cannot be written", error);
    report();
    return;
  }
  const std::string real = FollowLink(path);
  TemporaryFile beside(real);
  if (beside.file() < 0) Refuse(path, "cannot be written", beside.error());
  struct stat replaced;  // a private file stays private
  if (stat(real.c_str(), &replaced) == 0) (void)fchmod(beside.file(), replaced.st_mode & 07777);
  int error = WriteAndClose(beside.file(), parts);
  if (error == 0) {
    report();
    error = beside.Rename();
  }
  if (error != 0) Refuse(path, "cannot be written", error);
}

}  // namespace axiscast::tools

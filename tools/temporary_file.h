// A file that is written beside its place.
#ifndef AXISCAST_TOOLS_TEMPORARY_FILE_H_
#define AXISCAST_TOOLS_TEMPORARY_FILE_H_

#include <string>

namespace axiscast::tools {

// A new file in the folder of `path`, with a name that no other has and the permissions of any fresh file. It is removed with this
// object unless it was renamed to `path`, and by a signal that ends the process, the ones of Ctrl-C, kill and a terminal that is
// closed. One at a time.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Open for writing, for the caller to close; -1 where there is no file.
  int file() const { return file_; }
  // Why there is no file: an errno.
  int error() const { return error_; }

  // Puts the file at `path`, in the place of what is there. Returns 0 or an errno.
  int Rename();

 private:
  std::string path_;
  int file_ = -1;
  int error_ = 0;
};

// "a/b" is in "a", "b" in ".".
std::string FolderOf(const std::string& path);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_TEMPORARY_FILE_H_

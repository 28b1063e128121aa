// A file that is written beside its place. The handler of signals may run at any time and on any thread, so what it reads is
// static.
#include "tools/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>

namespace axiscast::tools {
namespace {

constexpr int kDeadly[] = {SIGINT, SIGTERM, SIGHUP};

enum State : int { kNone, kChanging, kThere };
std::atomic<int> state = kNone;
static_assert(std::atomic<int>::is_always_lock_free, "the handler must not wait for a lock of the thread that it interrupts");
char name[PATH_MAX];  // read where the state is kThere

// Removes the file, and ends the process as the signal would have done.
extern "C" void RemoveAndDie(int number) {
  while (state.load() == kChanging) continue;  // in another thread: the one that changes it has the signals blocked
  if (state.load() == kThere) unlink(name);
  std::signal(number, SIG_DFL);
  std::raise(number);  // arrives when this function is left
}

// What is ignored, as by nohup, stays so.
void HandleSignals() {
  for (const int number : kDeadly) {
    struct sigaction before;
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action = {};
    action.sa_handler = RemoveAndDie;
    for (const int other : kDeadly) sigaddset(&action.sa_mask, other);
    sigaction(number, &action, nullptr);
  }
}

// While a file appears or gets its last name. No signal comes between that and what the handler is to know of it.
class Change {
 public:
  Change() {
    sigset_t deadly;
    sigemptyset(&deadly);
    for (const int number : kDeadly) sigaddset(&deadly, number);
    pthread_sigmask(SIG_BLOCK, &deadly, &before_);
    state = kChanging;
  }
  ~Change() {
    state = after_;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  void set_after(State after) { after_ = after; }

 private:
  sigset_t before_;
  State after_ = kNone;
};

// Opens a new file and leaves its name in `name`. Returns -1 and leaves an errno where there is none to be had. Not mkstemp: its
// files are private, and which permissions a fresh one has (umask, the folder's defaults) is known to the system alone.
int OpenNew(const std::string& start) {
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries; ++i) {
    const unsigned first = random(), second = random();
    const int length = std::snprintf(name, sizeof(name), "%s%08x%08x", start.c_str(), first, second);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof(name)) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

}  // namespace

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

TemporaryFile::TemporaryFile(const std::string& path) : path_(path) {
  constexpr std::size_t kLongestPart = 200;           // a name has at most 255 bytes
  const std::size_t last_part = path.rfind('/') + 1;  // rfind's npos + 1 is 0
  const std::string start = FolderOf(path) + "/." + path.substr(last_part, kLongestPart) + ".axiscast-";
  HandleSignals();
  Change change;
  file_ = OpenNew(start);
  if (file_ < 0) error_ = errno;
  if (file_ >= 0) change.set_after(kThere);
}

TemporaryFile::~TemporaryFile() {
  if (state != kThere) return;
  const Change change;
  unlink(name);
}

int TemporaryFile::Rename() {
  Change change;
  if (std::rename(name, path_.c_str()) == 0) return 0;
  const int error = errno;
  change.set_after(kThere);
  return error;
}

}  // namespace axiscast::tools

// Says on a terminal what takes long.
#include "tools/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "tools/library_internals.h"

namespace axiscast::tools {
namespace {

constexpr std::chrono::seconds kQuiet{2};
constexpr std::chrono::milliseconds kRefresh{500};

}  // namespace

Progress::Progress() {
  if (isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] { Show(); });
  } catch (const std::exception&) {  // no thread to have: no progress to see
  }
}

Progress::~Progress() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::Stage(const std::string& stage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stage_ = Printable(stage);
}

void Progress::Show() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  if (wake_.wait_for(lock, kQuiet, [this] { return done_; })) return;
  do {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    std::fprintf(stderr, "\r\033[K%s ... %.0f s", stage_.c_str(), elapsed.count());
    std::fflush(stderr);
  } while (!wake_.wait_for(lock, kRefresh, [this] { return done_; }));
  std::fputs("\r\033[K", stderr);
}

}  // namespace axiscast::tools

// Says on a terminal what takes long.
#ifndef AXISCAST_TOOLS_PROGRESS_H_
#define AXISCAST_TOOLS_PROGRESS_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace axiscast::tools {

// From two seconds on, shows the current stage and the time on stderr, in one line that is wiped at the end. Silent where stderr is
// no terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Stage(const std::string& stage);

 private:
  void Show();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::string stage_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_PROGRESS_H_

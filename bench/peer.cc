// Questions and answers are lines in two pipes.
#include "bench/peer.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>

namespace axiscast::bench {
namespace {

[[noreturn]] void FailPeer(const std::string& program, const char* why) {
  std::fprintf(stderr, "--compare: %s %s\n", program.c_str(), why);
  std::exit(1);
}

}  // namespace

Peer::Peer(const std::string& program, const Arguments& arguments) : program_(program) {
  std::vector<std::string> words = {program_, "--serve"};
  if (arguments.quick) words.push_back("--quick");
  if (arguments.random > 0)
    words.insert(words.end(), {"--random=" + std::to_string(arguments.random), "--seed=" + std::to_string(arguments.seed)});
  if (!arguments.target.empty()) words.push_back("--target=" + arguments.target);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a child that has ended is seen by what it does not answer
  int to_child[2], from_child[2];
  if (pipe(to_child) != 0 || pipe(from_child) != 0) FailPeer(program_, "cannot be started: no pipes");
  child_ = fork();
  if (child_ == 0) {
    dup2(to_child[0], STDIN_FILENO);
    dup2(from_child[1], STDOUT_FILENO);
    for (const int end : {to_child[0], to_child[1], from_child[0], from_child[1]}) close(end);
    execv(program_.c_str(), pointers.data());
    _exit(127);
  }
  close(to_child[0]);
  close(from_child[1]);
  if (child_ < 0) FailPeer(program_, "cannot be started");
  for (const int end : {to_child[1], from_child[0]}) fcntl(end, F_SETFD, FD_CLOEXEC);  // not for the next child to hold open
  questions_ = fdopen(to_child[1], "w");
  answers_ = fdopen(from_child[0], "r");
}

Peer::~Peer() {
  std::fclose(questions_);
  std::fclose(answers_);
  waitpid(child_, nullptr, 0);
}

double Peer::Seconds(const std::string& row) {
  std::fprintf(questions_, "%s\n", row.c_str());
  std::fflush(questions_);
  double seconds;
  if (std::fscanf(answers_, "%lf", &seconds) != 1)
    FailPeer(program_, "does not answer (does that build know --serve, and --target where it is given?)");
  return seconds;
}

void Serve(const std::vector<Row>& rows, const Effort& effort) {
  for (std::string name; std::getline(std::cin, name);) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
    std::printf("%.9g\n", row == rows.end() ? 0 : row->measure(effort).seconds);
    std::fflush(stdout);
  }
}

}  // namespace axiscast::bench

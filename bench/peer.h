// The same program of this build or another one, as a child that measures rows when it is asked to.
#ifndef AXISCAST_BENCH_PEER_H_
#define AXISCAST_BENCH_PEER_H_

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/rows.h"

namespace axiscast::bench {

// Starts `program` with --serve, and what else both sides must agree on. Between questions the child sleeps.
class Peer {
 public:
  Peer(const std::string& program, const Arguments& arguments);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // The seconds of a call there; 0 when there is no such row. Ends this program when the other one has ended.
  double Seconds(const std::string& row);

 private:
  std::string program_;
  pid_t child_ = -1;
  std::FILE* questions_ = nullptr;
  std::FILE* answers_ = nullptr;
};

// The child's side: reads names of rows from stdin until it ends, and writes the seconds of each to stdout, or 0.
void Serve(const std::vector<Row>& rows, const Effort& effort);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_PEER_H_

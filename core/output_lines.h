// Results on their way past the caches, in whole lines.
#ifndef AXISCAST_CORE_OUTPUT_LINES_H_
#define AXISCAST_CORE_OUTPUT_LINES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/caches.h"
#include "core/kernel.h"

namespace axiscast {

// Collects what tiles write that follow each other in memory, wherever they begin, and stores it past the caches line by line. A
// line of which two tiles store a part each, past the caches or not, is read and written again: tiles of 1.5 KB then take 2 to 5
// times as long from memory (Zen 4). Only the first and the last line of a run of tiles may be such.
class OutputLines {
 public:
  // Beside what a tile writes.
  static constexpr std::int64_t kMoreBytes = 2 * kLineBytes;

  // `room` is aligned to lines, and as large as a tile and kMoreBytes.
  OutputLines(KernelFunction copy, std::byte* room) noexcept : copy_(copy), room_(room) {}

  // Where a tile that belongs to `out` may be written, as far from a line's boundary as that.
  std::byte* Begin(std::byte* out) noexcept {
    if (out != line_ + end_) {
      Flush();
      begin_ = end_ = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % kLineBytes);
      line_ = out - begin_;
    }
    return room_ + end_;
  }
  // It was, and has so many bytes.
  void End(std::int64_t bytes) noexcept {
    end_ += bytes;
    const std::int64_t whole = end_ / kLineBytes * kLineBytes;
    if (whole == 0) return;
    const std::int64_t from = begin_ == 0 ? 0 : kLineBytes;
    if (begin_ > 0) std::memcpy(line_ + begin_, room_ + begin_, static_cast<std::size_t>(kLineBytes - begin_));
    if (whole > from) Stream(line_ + from, room_ + from, whole - from);
    std::memcpy(room_, room_ + whole, kLineBytes);
    line_ += whole;
    begin_ = 0;
    end_ -= whole;
  }
  // Stores what there is of a line.
  void Flush() noexcept {
    if (begin_ < end_) std::memcpy(line_ + begin_, room_ + begin_, static_cast<std::size_t>(end_ - begin_));
    begin_ = end_;
  }

 private:
  void Stream(std::byte* to, const std::byte* from, std::int64_t bytes) const noexcept {
    Tile tile;
    tile.rows = 1;
    tile.cols = bytes;
    tile.in[0] = {from, 0, false};
    tile.out = to;
    tile.stream = true;
    copy_(tile);
  }

  const KernelFunction copy_;  // of bytes
  std::byte* const room_;
  std::byte* line_ = nullptr;         // to which the beginning of the room belongs
  std::int64_t begin_ = 0, end_ = 0;  // of what is in the room
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_OUTPUT_LINES_H_

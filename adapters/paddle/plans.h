// Plans that a thread keeps for calls without attributes, which are the small and frequent ones. axiscast_apply keeps plans as
// well; here the key is what Paddle has at hand, some ten words, and a hit costs a third.
#ifndef AXISCAST_ADAPTERS_PADDLE_PLANS_H_
#define AXISCAST_ADAPTERS_PADDLE_PLANS_H_

#include <cstdint>
#include <cstring>

#include "paddle/call.h"

namespace axiscast_paddle {

class Plans {
 public:
  Plans() = default;
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;
  ~Plans() {
    for (Entry& entry : entries_) axiscast_plan_free(entry.plan);
  }

  // The plan for a call, which a later call of Get may free. An error is axiscast_plan_make's, and *plan then untouched.
  std::int32_t Get(int row, const axiscast_tensor* inputs, int count, const axiscast_tensor& out, const axiscast_plan** plan) {
    Key key;
    key.Add(row);
    for (int i = 0; i < count; ++i) key.Add(inputs[i]);
    key.Add(out);
    Entry& entry = entries_[key.hash >> 58];
    if (entry.plan == nullptr || !(entry.key == key)) {
      axiscast_plan* made = nullptr;
      const std::int32_t status = axiscast_plan_make(replacements[row].op, inputs, count, &out, Options(row).get(), &made);
      if (status != AXISCAST_OK) return status;
      axiscast_plan_free(entry.plan);
      entry.key = key;
      entry.plan = made;
    }
    *plan = entry.plan;
    return AXISCAST_OK;
  }

 private:
  // Of a row and at most five tensors: dtype and rank in one word, and the extents, of which Paddle has at most nine.
  struct Key {
    std::int64_t words[1 + 5 * 10];
    int count = 0;
    std::uint64_t hash = 0;

    void Add(std::int64_t word) {
      words[count++] = word;
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15;
    }
    void Add(const axiscast_tensor& tensor) {
      Add(tensor.dtype * 16 + tensor.rank);
      for (std::int32_t i = 0; i < tensor.rank; ++i) Add(tensor.shape[i]);
    }
    bool operator==(const Key& other) const {
      return count == other.count && hash == other.hash &&
             std::memcmp(words, other.words, sizeof(words[0]) * static_cast<std::size_t>(count)) == 0;
    }
  };
  struct Entry {
    Key key;
    axiscast_plan* plan = nullptr;
  };

  Entry entries_[64];
};

}  // namespace axiscast_paddle

#endif  // AXISCAST_ADAPTERS_PADDLE_PLANS_H_

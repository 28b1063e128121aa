// What a plan of a gradient runs: a program over the shape of dout, a sum, or both.
#ifndef AXISCAST_CORE_GRADIENT_ROUTINE_H_
#define AXISCAST_CORE_GRADIENT_ROUTINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/routine.h"
#include "core/slab_sum.h"

namespace axiscast {

class GradientRoutine : public Routine {
 public:
  std::shared_ptr<const Plan::Impl> program;  // null: dout is summed as it is
  std::shared_ptr<const Plan::Impl> sum;      // null: the input was not stretched; the program writes the output
  std::unique_ptr<const SlabSum> slabs;       // of both, one slab after the other; null: the program's results, then their sum
  std::vector<int> sources;                   // per input of the program: the gradient's
  int dout = 0;
  std::int64_t temporary_bytes = 0;  // of what is summed
  std::string caller, dout_name;

  Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept override;
  // How the program runs, or else the sum; the time is that of both.
  void Describe(PlanDescription* description) const override;

 private:
  Status NoMemory(std::int64_t bytes, const char* for_what) const noexcept;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_GRADIENT_ROUTINE_H_

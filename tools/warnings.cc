// `--warn`.
#include "tools/warnings.h"

#include <cstdio>

namespace axiscast::tools {

Warnings::Warnings(CommandLine* line) {
  line->AddFlag("--warn", "say where shapes with equal element counts broadcast, or are paired instead (on stderr)", &asked_);
}

void Warnings::Print() const {
  for (const std::string& text : texts_) {
    if (asked_) std::fprintf(stderr, "axiscast: warning: %s\n", text.c_str());
  }
}

void Warnings::AddTo(Json* json) const {
  if (asked_) (*json)["warnings"] = texts_;
}

void Warnings::Add(void* warnings, DiagnosticCode code, const char* message) {
  auto* const all = static_cast<Warnings*>(warnings);
  all->texts_.emplace_back(message);
  all->paired_ = all->paired_ || code == DiagnosticCode::kPairedNotBroadcast;
}

}  // namespace axiscast::tools

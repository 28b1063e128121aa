// The verbs of the `axiscast` command, one file each.
#ifndef AXISCAST_TOOLS_VERBS_H_
#define AXISCAST_TOOLS_VERBS_H_

#include <string>
#include <vector>

namespace axiscast::tools {

// Does what the words after the verb ask for, and returns what belongs on stdout (run has emitted it, before its file appears).
// Fails by throwing a Failure; nothing is then written.
using VerbFunction = std::string(const std::vector<std::string>& words);

VerbFunction OpsVerb;
VerbFunction ResolveVerb;
VerbFunction RunVerb;
VerbFunction ExplainVerb;
VerbFunction InfoVerb;

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_VERBS_H_

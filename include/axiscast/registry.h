// Names to ops. A registry is immutable: it can be listed, searched and shared by threads, and never changes under anyone.
#ifndef AXISCAST_REGISTRY_H_
#define AXISCAST_REGISTRY_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "axiscast/kernel.h"
#include "axiscast/status.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// An op as it was looked up: `name` is the name that was asked for (messages use it), the rest belongs to the op.
/// Lives as long as its registry.
class Op {
 public:
  const char* name() const noexcept { return name_; }
  /// The canonical name and all other text.
  const OpInfo& info() const noexcept;
  int arity() const noexcept { return info().arity; }
  /// Whether every element of the result depends on one element of each input. Other ops (gather, scatter, sum_to, ...) are planned
  /// and called in the same way; their kernels say what dtypes there are, and have no functions.
  bool elementwise() const noexcept;
  const std::vector<Kernel>& kernels() const noexcept;
  /// The kernel for these input dtypes (arity() of them), or null.
  const Kernel* FindKernel(const DType* inputs) const noexcept;

  /// Implementation detail, complete in core/ only.
  struct Entry;
  Op(const char* name, const Entry* entry) noexcept : name_(name), entry_(entry) {}
  const Entry& entry() const noexcept { return *entry_; }

 private:
  const char* name_;
  const Entry* entry_;
};

/// A set of ops for one target (one instruction set of the CPU), maybe on top of another registry.
class Registry {
 public:
  /// The built-in ops, compiled for the best target that this CPU supports. Threads: any; made once, on first use. While there is
  /// no memory for that, a registry without ops, whose Find says kOutOfMemory.
  static const Registry& BuiltIn() noexcept;
  /// The built-in ops for a target by Highway's name ("AVX2", in any case). Errors: kUnknownName (the message lists the targets of
  /// this build, near ones first), kUnsupported (this CPU lacks it; the message lists those it has).
  static Status BuiltInFor(std::string_view target, const Registry** registry) noexcept;
  /// Names of the targets compiled in, and of those that this CPU supports; best first. Both throw std::bad_alloc alone.
  static std::vector<const char*> CompiledTargets();
  static std::vector<const char*> SupportedTargets();

  Registry(Registry&&) noexcept;
  Registry& operator=(Registry&&) noexcept;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry();

  /// Looks up an op by its name or an alias; null when there is none.
  const Op* Find(std::string_view name) const noexcept;
  /// The same with an error for the caller's user: kUnknownName, near names first, or what another library's op is here;
  /// kUnsupported for the gradient of an op that has none.
  Status Find(std::string_view name, const Op** op) const noexcept;
  /// Every op under its canonical name, sorted by name, the parent's included.
  const std::vector<const Op*>& ops() const noexcept;
  /// Highway's name of the target that the built-in kernels were compiled for.
  const char* target() const noexcept;

  /// Implementation detail, complete in core/ only.
  struct [[gnu::visibility("hidden")]] Impl;

 private:
  friend class RegistryBuilder;
  explicit Registry(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

/// Builds a registry of one's own on top of another.
///
///   RegistryBuilder builder(Registry::BuiltIn());
///   Status status = builder.Add(definition);  // examples/own_kernel.cc has the whole of it
///   Registry registry = builder.Build();
///
/// The constructor and Build throw std::bad_alloc alone.
class RegistryBuilder {
 public:
  /// `parent`, or the registry that it is moved to, must outlive the registry that is built.
  explicit RegistryBuilder(const Registry& parent);
  ~RegistryBuilder();
  RegistryBuilder(const RegistryBuilder&) = delete;
  RegistryBuilder& operator=(const RegistryBuilder&) = delete;

  /// Adds an op. A name of the parent is allowed and hides the parent's op; a name (or alias) twice in one registry is not.
  /// Errors: kInvalidArgument (what is wrong with the definition, names and values in the message); nothing is then added.
  Status Add(OpDefinition definition) noexcept;
  /// The registry; the builder is then empty.
  Registry Build();

 private:
  std::unique_ptr<Registry::Impl> impl_;
};

/// Looks up an op of Registry::BuiltIn(); null when there is none. `Registry::BuiltIn().Find(name, &op)` says which ones exist.
inline const Op* FindOp(std::string_view name) noexcept { return Registry::BuiltIn().Find(name); }

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_REGISTRY_H_

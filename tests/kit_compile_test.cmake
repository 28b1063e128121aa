# An op that lacks a part must not compile, and the compiler must say in words which part is to be written.
# cmake -DROOT=<repository> -DHIGHWAY=<its include folder> -DCOMPILER=<C++ compiler> -DFOLDER=<scratch folder> -P kit_compile_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/compiles.cmake)

set(class "using Class = Binary;")
set(info "static constexpr OpInfo kInfo{.name = \"own\", .arity = 2, .doc = \"out = x + y\"};")
set(kinds "static constexpr Kinds kKinds = kFloats;")
set(scalar "template <typename T> static T Scalar(T x, T y) { return x + y; }")
set(vector "template <typename T, class D, class V> static HWY_INLINE V Vector(D, V x, V y) { return hn::Add(x, y); }")

# For AVX2: with SSE2 there is one loop for all kinds of inputs.
cmake_host_system_information(RESULT processor QUERY OS_PLATFORM)
if(processor STREQUAL x86_64)
  set(x86_options -march=haswell -maes -mpclmul)
endif()

# Compiles a file of one op, maybe with a base; `says` is what the compiler must say of it, empty when it must take it.
function(try_op says parts)
  file(WRITE ${FOLDER}/kit_op.cc "
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \"kit_op.cc\"
#include <axiscast/kit/kit-inl.h>
HWY_BEFORE_NAMESPACE();
namespace own {
namespace HWY_NAMESPACE {
using namespace axiscast;
using namespace axiscast::HWY_NAMESPACE;
struct Own ${ARGN} {
  ${parts}
};
using OwnOps = OpList<Own>;
const TargetRow* OwnRows() { return RowsOf(OwnOps()); }
}
}
HWY_AFTER_NAMESPACE();
")
  check_compiles("${parts}" "${says}" ${FOLDER}/kit_op.cc -std=c++20 -DHWY_COMPILE_ONLY_STATIC ${x86_options} -Wno-psabi -I${ROOT}/include
                 -isystem ${HIGHWAY} -I${FOLDER})
endfunction()

set(needs_scalar "axiscast: an op needs its meaning, for every T of kKinds: template <typename T> static T Scalar(T x, ...)")
set(needs_vector "axiscast: an op needs its meaning in lanes, for every T of kKinds: template <typename T, class D, class V>")
try_op(""
       "${class} ${info} ${kinds} ${scalar} ${vector}")
try_op("axiscast: an op needs its kernel class: using Class = Binary;"
       "${info} ${kinds} ${scalar} ${vector}")
try_op("axiscast: an op needs its texts: static constexpr OpInfo kInfo{"
       "${class} ${kinds} ${scalar} ${vector}")
try_op("axiscast: an op needs its dtypes: static constexpr Kinds kKinds = kFloats;"
       "${class} ${info} ${scalar} ${vector}")
try_op("axiscast: OpInfo::arity must be the arity of the op's Class"
       "using Class = Unary; ${info} ${kinds} ${scalar} ${vector}")
try_op("${needs_scalar}"
       "${class} ${info} ${kinds} ${vector}")
try_op("${needs_vector}"
       "${class} ${info} ${kinds} ${scalar}")
# One operand too few; no attributes where the op has some.
try_op("${needs_scalar}"
       "${class} ${info} ${kinds} template <typename T> static T Scalar(T x) { return x; } ${vector}")
set(with_attribute "static constexpr OpInfo kInfo{.name = \"own\", .arity = 2, .doc = \"\", .attributes = {{\"by\"}}, .attribute_count = 1};")
try_op("${needs_scalar}"
       "${class} ${with_attribute} ${kinds} ${scalar} ${vector}")
# With a shorter way by one value, which has the attributes too; not where an op is not compact.
set(by_splat "template <typename T> static constexpr bool kBySplat = true;")
set(compact "template <typename T> static constexpr bool kCompact = true;")
set(own_integers "${class} ${with_attribute} static constexpr Kinds kKinds = kInts; ${by_splat}
                  template <typename T> static T Scalar(T x, T y, const Attributes<T>&) { return x - y; }
                  template <typename T, class D, class V> static HWY_INLINE V Vector(D, V x, V y, const Attributes<T>&) { return hn::Sub(x, y); }
                  template <typename T, class D, class V> static HWY_INLINE V VectorBySplat(D, V x, V y, const Attributes<T>&) { return hn::Sub(x, y); }")
try_op(""
       "${own_integers} ${compact}")
try_op("axiscast: kBySplat is for compact Binary ops"
       "${own_integers}")
# A shorter way still for some values; not without one for all.
set(by_value "struct Value { static bool Takes(int y) { return y > 0; } explicit Value(int) {}
                template <class D, class V> HWY_INLINE V Vector(D, V x) const { return x; } };
              template <typename T> using ByValue = std::conditional_t<std::is_same_v<T, std::int32_t>, Value, void>;")
set(plain_integers "${class} ${info} static constexpr Kinds kKinds = kInts; ${compact} ${scalar} ${vector} ${by_value}")
try_op(""
       "${plain_integers} ${by_splat}
        template <typename T, class D, class V> static HWY_INLINE V VectorBySplat(D, V x, V y) { return hn::Sub(x, y); }")
try_op("axiscast: ByValue is for ops with kBySplat and no attributes"
       "${plain_integers}")
try_op("axiscast: ByValue is for ops with kBySplat and no attributes"
       "${own_integers} ${compact} ${by_value}")
# Inputs that may be exchanged, where both are T alone.
set(commutes "template <typename T> static constexpr bool kCommutes = true;")
try_op(""
       "${class} ${info} ${kinds} ${commutes} ${scalar} ${vector}")
try_op("axiscast: kCommutes is for ops whose two inputs are T"
       "${class} ${info} ${kinds} ${commutes} template <typename T> using Inputs = TypeList<T, float>;
        template <typename T> static T Scalar(T x, float y) { return x; }
        template <typename T, class D, class V, class W> static HWY_INLINE V Vector(D, V x, W) { return x; }")
try_op("axiscast: kCommutes is for ops whose two inputs are T"
       "using Class = BinaryPredicate; ${info} ${kinds} ${commutes} template <typename T> using Inputs = TypeList<T, float>;
        template <typename T> static bool Scalar(T x, float y) { return x == y; }
        template <typename T, class D, class V, class W> static HWY_INLINE hn::Mask<D> Mask(D, V x, W) { return hn::Eq(x, x); }"
       ": ToBool<Own>")
# Of an op to bool.
set(needs_mask "axiscast: an op to bool, whose Class is a predicate, needs ToBool<Op> as its base and its meaning in lanes")
set(to_bool "using Class = BinaryPredicate; ${info} ${kinds} template <typename T> static bool Scalar(T x, T y) { return x < y; }")
set(mask "template <typename T, class D, class V> static HWY_INLINE hn::Mask<D> Mask(D, V x, V y) { return hn::Lt(x, y); }")
try_op("${needs_mask}" "template <typename T> using Out = bool; ${to_bool} ${vector}")
try_op("${needs_mask}" "template <typename T> using Out = bool; ${to_bool} ${mask}")
try_op("${needs_mask}" "${to_bool} ${vector}" ": ToBool<Own>")
try_op("" "${to_bool} ${mask}" ": ToBool<Own>")

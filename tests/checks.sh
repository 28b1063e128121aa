# shellcheck shell=bash
# The verbs `sanitize`, `second-compiler`, `fuzz` and `check-install` of ./dev, which sources this file: the checks beyond the tests.

# Memory that nobody has is refused, as it is without sanitizers, and does not end the test that asks for it.
asan_options=allocator_may_return_null=1

# build_clang PRESET [TARGET...]: builds with clang, into build/PRESET.
build_clang() {
  local preset=$1
  shift
  need build test check
  need_highway
  say "building into build/$preset with $(clang++ --version | head -n 1), without $(disabled_in "$preset")"
  configure "$preset" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
  build_in "$preset" "$@"
}

# preset_short PRESET: its short form, which is compiled for one x86 target throughout; elsewhere itself.
preset_short() { if [ "$(uname -m)" = x86_64 ]; then echo "$1_short"; else echo "$1"; fi; }

# The tests of an op's kernels take two fifths of the sanitizers' time, and many hours in QEMU. Where all ops would take too long, of
# each family these do, and those whose code depends on the order of bytes or is bits.
few_ops=(add subtract less maximum where sqrt floor_divide remainder bitwise_and logical_or copysign negative left_shift)
tests_of_few_ops="op_conformance_test\\..*_($(IFS='|'; echo "${few_ops[*]}"))( |\$)"

verb_sanitize() {
  local preset=asan short=0 failed=0
  if [ "${1:-}" = --short ]; then
    shift
    short=1
    preset=$(preset_short asan)
  fi
  build_clang "$preset"
  export ASAN_OPTIONS=$asan_options
  say "running the tests with AddressSanitizer and UndefinedBehaviorSanitizer"
  if [ "$short" = 1 ] && [ $# = 0 ]; then
    echo "of op_conformance_test those of ${few_ops[*]}"
    test_in "$preset" --no-tests=error -R "^$tests_of_few_ops" || failed=1
    test_in "$preset" -E '^op_conformance_test\.' || failed=1
    [ "$failed" = 0 ] || fail "tests failed with sanitizers: see above"
  else
    test_in "$preset" "$@"
  fi
}

# Tests of what compilers make of kernels.
kernel_tests=(op_conformance_test golden_test division_test half_test movers_test movers_guarded_test data_check_test gather_test sum_to_test sum_columns_test gradient_dtype_test)

verb_second_compiler() {
  local preset=clang targets=()
  if [ "${1:-}" = --short ]; then
    shift
    preset=$(preset_short clang)
    targets=("${kernel_tests[@]}")
    set -- -R "^($(IFS='|'; echo "${kernel_tests[*]}"))\\." "$@"
  fi
  need bench
  build_clang "$preset" "${targets[@]}"
  say "running the tests that clang built"
  test_in "$preset" "$@"
}

# minutes_of [MINUTES]: a whole number or nothing.
minutes_of() {
  [[ ${1:-} =~ ^[0-9]*$ ]] || fail "fuzz takes a number of minutes, not '$1'"
  echo "${1:-}"
}

# The tests that take AXISCAST_SEED. Some of them take several seconds a run.
verb_fuzz() {
  local minutes rounds=0 tests test seed log=$root/build/fuzz.log
  if [ "${1:-}" = --c-api ]; then
    shift
    fuzz_c_api "$@"
    return
  fi
  minutes=$(minutes_of "$@")
  verb_build
  mapfile -t tests < <(cd "$root/tests" && grep -l 'FromEnvironment("AXISCAST_SEED"' ./*_test.cc | sed 's/.*\/\(.*\)\.cc$/\1/')
  say "random cases of ${#tests[@]} tests: ${tests[*]}"
  SECONDS=0
  while [ -z "$minutes" ] || [ "$SECONDS" -lt $((60 * minutes)) ]; do
    for test in "${tests[@]}"; do
      seed=$((RANDOM * 32768 + RANDOM))
      if ! AXISCAST_SEED=$seed "$root/build/release/tests/$test" --gtest_brief=1 >"$log" 2>&1; then
        cat "$log"
        fail "$test failed; again by: AXISCAST_SEED=$seed build/release/tests/$test"
      fi
    done
    rounds=$((rounds + 1))
    echo "$rounds rounds without a failure in $SECONDS s"
  done
}

# Rounds of ten minutes, or one of the minutes named. Corpus and logs stay in build/fuzz/c_api.
fuzz_c_api() {
  local minutes seed preset program work=$root/build/fuzz/c_api
  minutes=$(minutes_of "$@")
  preset=$(preset_short asan)
  program=build/$preset/tests/c_api_fuzz
  build_clang "$preset" c_api_fuzz
  mkdir -p "$work/corpus"
  # Random strings reach kernels at once; from the empty string libFuzzer takes minutes to them.
  [ -n "$(ls "$work/corpus")" ] || for seed in $(seq 200); do head -c 400 /dev/urandom >"$work/corpus/random$seed"; done
  while
    rm -f "$work"/fuzz-*.log
    say "byte strings as calls of the C API, in $jobs processes, for ${minutes:-10} min; logs: build/fuzz/c_api/fuzz-*.log"
    # A call takes some 60 bytes; 512 are calls enough to meet what earlier ones leave behind.
    if ! (cd "$work" && ASAN_OPTIONS=$asan_options "$root/$program" -jobs="$jobs" -workers="$jobs" -max_len=512 -timeout=30 \
      -print_funcs=0 -print_final_stats=1 -max_total_time=$((60 * ${minutes:-10})) corpus) >"$work/log" 2>&1; then
      { grep -hvE '^(#[0-9]|INFO|stat::)' "$work"/fuzz-*.log || true; } | head -n 40
      grep -h 'Test unit written' "$work"/fuzz-*.log || true
      fail "a byte string failed, or nothing ran; again by: ASAN_OPTIONS=$asan_options $program build/fuzz/c_api/FILE, which the lines above name"
    fi
    awk '/^stat::number_of_executed_units/ { executed += $2 }
      / cov: / { match($0, / cov: [0-9]+/); at = substr($0, RSTART + 6, RLENGTH - 6) + 0; if (at > edges) edges = at }
      END { printf "%d byte strings without a failure; a process reached %d edges of the code\n", executed, edges }' "$work"/fuzz-*.log
    [ -z "$minutes" ]
  do :; done
}

# The symbols that a shared library exports must be declared in the public headers, and Highway must not be seen at all.
check_exports() {
  local library=$1 symbol stray=0
  while read -r symbol; do
    case $symbol in
      axiscast_* | axiscast::*)
        grep -rqwF "${symbol##*::}" "$root/include/axiscast" && continue
        ;;
    esac
    echo "exported, but in no public header: $symbol"
    stray=$((stray + 1))
  done < <(nm -DC --defined-only "$library" | cut -d' ' -f3- | sed 's/(.*//' | sort -u)
  [ "$stray" = 0 ] || return 1
  ! nm -DC --defined-only "$library" | grep ' u ' || return 1  # such a library can never be unloaded
  ! readelf -d "$library" | grep NEEDED | grep hwy
}

# Ops of one's own and a static library are linked into one program: what both define must not be code whose form depends on how they
# were compiled. Local functions are each file's own. check_shared_symbols OBJECTS LIBRARY
check_shared_symbols() {
  local symbols
  symbols=$(comm -12 <(nm -C --defined-only "$1" | cut -c18- | sort -u) <(nm -C "$2" | cut -c18- | sort -u) | grep -v '^[bdrt] ' || true)
  ! grep -E 'axiscast::N_|hwy::N_|ForTarget|ForEachTarget' <<<"$symbols"
}

# own_op PACKAGE FOLDER DISABLED_TARGETS [CMAKE ARG...]: examples/own_op as a foreign project, its tests and a short run of its
# benchmark. A target takes a third of a minute of a core.
own_op() {
  local package=$1 folder=$2 disabled=$3 flags="-Wall -Wextra -Wconversion -Wno-sign-conversion"
  [ "${AXISCAST_WERROR:-0}" = 0 ] || flags+=" -Werror"
  flags+=" '-DHWY_DISABLED_TARGETS=($disabled)'"
  shift 3
  env -u CXXFLAGS cmake -S "$root/examples/own_op" -B "$folder" -G Ninja -DCMAKE_PREFIX_PATH="$package" -DCMAKE_CXX_FLAGS="$flags" "$@" >"$folder.log" 2>&1 ||
    { cat "$folder.log"; fail "configuring examples/own_op failed"; }
  cmake --build "$folder" -j "$jobs"
  ctest --test-dir "$folder" --output-on-failure
}

verb_check_install() {
  local work=$root/build/check-install kind prefix program expected few='HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_ZEN4|HWY_AVX3_SPR' disabled
  need build check
  rm -rf "$work"
  for kind in static shared; do
    prefix=$work/$kind/moved
    verb_install "$work/$kind/prefix" "$kind"
    mv "$work/$kind/prefix" "$prefix"  # a package that works where it was not made can be packed
    say "foreign projects against the $kind library"
    env -u CXXFLAGS cmake -S "$root/tests/install/cmake" -B "$work/$kind/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/$kind/cmake.log" ||
      { cat "$work/$kind/cmake.log"; fail "find_package failed"; }
    cmake --build "$work/$kind/cmake"
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name axiscast.pc)")
    export PKG_CONFIG_PATH
    "$root/tests/install/pkgconfig/build.sh" "$work/$kind/pkg-config"
    "$root/tests/install/pkgconfig/build.sh" "$work/$kind/pkg-config-static" --static
    for program in cmake/foreign{,-c} pkg-config{,-c} pkg-config-static{,-c}; do
      case $program in
        *-c) expected='11 21 31 21 41 61 31 61 91 41 81 100 add: dimensions must be equal or 1; got x[2] = 4 and y[0] = 3 (x [2, 3, 4, 5], y [3], axis 2)' ;;
        *) expected='100 101 202 203 304 305 106 107 208 209 310 311' ;;
      esac
      [ "$(LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig} "$work/$kind/$program" | tr '\n' ' ' | sed 's/ *$//')" = "$expected" ] || fail "$kind: $program printed something else than '$expected'"
      echo "ok      $kind: $program"
    done
    "$prefix/bin/axiscast" --help >/dev/null || fail "the installed command does not run"
    say "ops of one's own against the $kind library"
    disabled=$few
    [ $kind = shared ] || disabled='HWY_SSSE3|HWY_SSE4|HWY_AVX3_ZEN4|HWY_AVX3_SPR'  # once with AVX-512 too
    own_op "$prefix" "$work/$kind/own_op" "$disabled"
  done
  check_shared_symbols "$work/static/own_op/libown_ops.a" "$(find "$work/static/moved" -name libaxiscast.a)" ||
    fail "ops of one's own and libaxiscast.a define the same functions of a target"
  echo "ok      symbols of ops of one's own"
  say "ops of one's own in a project that has its own Highway"
  own_op "$work/static/moved;$deps/highway" "$work/own_highway" "$few" -DCMAKE_PROJECT_own_op_INCLUDE="$root/tests/install/own_highway.cmake"
  grep -rqF "$deps/highway/include" "$work/own_highway/build.ninja" || fail "the project's own Highway was not used"
  check_exports "$(find "$work/shared/moved" -name libaxiscast.so)" || fail "libaxiscast.so exports what it should not"
  echo "ok      exported symbols"
}

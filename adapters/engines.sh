# shellcheck shell=bash
# The verb `engines` of ./dev, which sources this file: hosts in environments of their own, adapters, their tests and benchmarks.

engine_hosts=(openvino paddle onnxruntime tvm_ffi) # openvino first, as its tests take longest

# engine_environment HOST: build/engines/HOST/venv holds what adapters/HOST/requirements.txt pins.
engine_environment() {
  local host=$1 venv=$root/build/engines/$1/venv requirements=$root/adapters/$1/requirements.txt
  if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    say "installing $host for Python into build/engines/$host/venv: $(grep -v '^#' "$requirements" | tr '\n' ' ')"
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$requirements" || fail "cannot install $host: see above"
    cp "$requirements" "$venv/requirements.txt"
  fi
  # What the host's package lacks, such as headers.
  [ ! -x "$root/adapters/$host/fetch.sh" ] || "$root/adapters/$host/fetch.sh" "$root/build/engines/$host" || fail "adapters/$host/fetch.sh failed"
}

engine_build() {
  local host=$1 work=$root/build/engines/$1 log=$root/build/engines/$1/build.log launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  say "building the adapter for $host into build/engines/$host"
  if ! {
    cmake -S "$root/adapters" -B "$work/build" -G Ninja "-DAXISCAST_ADAPTER_${host^^}=ON" -Uaxiscast_DIR -DCMAKE_PREFIX_PATH="$engine_prefix" \
      -DPython3_EXECUTABLE="$work/venv/bin/python" -DAXISCAST_ADAPTER_FETCHED="$work" "${launcher[@]}" \
      -DCMAKE_COMPILE_WARNING_AS_ERROR="${AXISCAST_WERROR:-0}" &&
      cmake --build "$work/build" -j "$jobs"
  } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail "building the adapter for $host failed (log: $log)"
  fi
}

# engine_python HOST SCRIPT [ARG...]: a script of adapters/HOST, which finds its adapter by AXISCAST_ADAPTER.
engine_python() {
  local host=$1 script=$2
  shift 2
  (cd "$root/build/engines/$host" && AXISCAST_ADAPTER=$root/build/engines/$host/build/libaxiscast_$host.so AXISCAST_PREFIX=$engine_prefix \
    PYTHONPATH=$root/adapters/$host:$root/adapters PYTHONDONTWRITEBYTECODE=1 "$root/build/engines/$host/venv/bin/python" "$script" "$@")
}

# engine_exports HOST: the adapter may export what its map names, and no more.
engine_exports() {
  local library=$root/build/engines/$1/build/libaxiscast_$1.so exported stray
  exported=$(nm -D --defined-only "$library" | awk '{print $3}')
  [ -n "$exported" ] || fail "$library exports nothing"
  stray=$(echo "$exported" | grep -vxF -f <(sed -n 's/^ *\([A-Za-z_][A-Za-z_0-9]*\);.*/\1/p' "$root/adapters/$1/exported_symbols.map")) || true
  [ -z "$stray" ] || fail "$library exports more than adapters/$1/exported_symbols.map names: $stray"
  echo "ok      exported symbols of libaxiscast_$1.so"
}

# engine_tests HOST: an adapter is built, and its tests run in the host.
engine_tests() {
  engine_build "$1"
  engine_exports "$1"
  say "tests in $1"
  engine_python "$1" "$root/adapters/$1/$1_test.py"
  engine_python "$1" "$root/adapters/testing/documented.py" "$1" "$root/docs/engines.md"
}

# all_engine_tests HOST...: two hosts at a time, as tests wait for one thread most of the time.
all_engine_tests() {
  local host failed=()
  pids=()
  trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT # what runs in the background does not see an interrupt
  say "builds and tests of $*, two at a time; what each says comes when it is over"
  for host in "$@"; do
    [ ${#pids[@]} -lt 2 ] || wait -n || true
    engine_tests "$host" >"$root/build/engines/$host/tests.log" 2>&1 &
    pids+=($!)
  done
  for host in "$@"; do
    wait "${pids[0]}" || failed+=("$host")
    pids=("${pids[@]:1}")
    cat "$root/build/engines/$host/tests.log"
  done
  [ ${#failed[@]} = 0 ] || fail "tests failed in ${failed[*]}"
}

# Paddle and OpenVINO in one process, in Paddle's environment.
engines_together() {
  say "two hosts in one process"
  engine_python paddle "$root/adapters/testing/together.py" "$(echo "$root"/build/engines/openvino/venv/lib/python3*/site-packages)" \
    "$root/build/engines/openvino/build/libaxiscast_openvino.so" "$root/build/engines/paddle/build/libaxiscast_paddle.so"
}

verb_engines() {
  local hosts=() host bench=0 fetch=0 argument
  for argument in "$@"; do
    case $argument in
      --bench) bench=1 ;;
      --fetch) fetch=1 ;;
      *) [[ " ${engine_hosts[*]} " == *" $argument "* ]] || fail "engines takes --bench or --fetch, and hosts, one of: ${engine_hosts[*]}; got '$argument'"
         [[ " ${hosts[*]} " == *" $argument "* ]] || hosts+=("$argument") ;;
    esac
  done
  [ ${#hosts[@]} -gt 0 ] || hosts=("${engine_hosts[@]}")
  need build test check
  if [ "$fetch" = 1 ]; then
    [ "$bench" = 0 ] || fail "engines takes --bench or --fetch, not both"
    for host in "${hosts[@]}"; do
      mkdir -p "$root/build/engines/$host"
      engine_environment "$host"
    done
    return
  fi
  # AXISCAST_PREFIX names a shared axiscast that is installed already.
  engine_prefix=${AXISCAST_PREFIX:-$root/build/engines/prefix}
  [ -n "${AXISCAST_PREFIX:-}" ] || verb_install "$engine_prefix" shared
  for host in "${hosts[@]}"; do
    mkdir -p "$root/build/engines/$host"
    engine_environment "$host"
    [ "$bench" = 1 ] || continue
    engine_build "$host"
    say "benchmark in $host: the host's own op beside ours, by turns"
    engine_python "$host" "$root/adapters/$host/${host}_bench.py" "$root/build/engines/$host.json"
  done
  [ "$bench" = 1 ] || all_engine_tests "${hosts[@]}"
  [[ $bench = 1 || " ${hosts[*]} " != *" paddle "* || " ${hosts[*]} " != *" openvino "* ]] || engines_together
  [ "$bench" = 0 ] || /usr/bin/python3 "$root/docs/make_engines.py" "$root/docs/engines.md" "$root"/build/engines/*.json
}

# shellcheck shell=bash
# The verb `emulate` of ./dev, which sources this file: the library for other processors, cross-compiled, its tests run by QEMU.

# The tests of kernels, and some of what plans make of them. QEMU takes a hundred times as long as a processor and more, so that
# op_conformance_test runs for few ops alone.
mapfile -t emulated_tests < <(printf '%s\n' chain_test forced_tiling_test layout_test program_test "${kernel_tests[@]}" | grep -vx op_conformance_test)

# need_sysroot ARCH DIR: Debian's libraries for another architecture, of this system's release, unpacked and not installed.
need_sysroot() {
  local arch=$1 dir=$2 codename mirror link mode=()
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  [ ! -f "$dir/complete" ] || [ "$(cat "$dir/complete")" != "$codename" ] || return 0
  say "unpacking Debian's libraries for $arch into ${dir#"$root/"}"
  rm -rf "$dir" && mkdir -p "$(dirname "$dir")"
  [ "$(id -u)" = 0 ] || mode=(--mode=chrootless)
  read -r mirror < <(debian_mirrors "Codename: $codename")  # no pipe: its writer may end by a signal
  # The links are those of a merged /usr, without which a linker does not find libc.
  mmdebstrap --quiet "${mode[@]}" --architectures="$arch" --variant=extract \
    --include="libtbb-dev,libgtest-dev,libgmock-dev,libc6-dev,libstdc++-$(g++ -dumpversion)-dev" \
    --setup-hook='mkdir -p "$1/usr/lib" "$1/usr/lib64"; ln -s usr/lib "$1/lib"; ln -s usr/lib64 "$1/lib64"' \
    "$codename" "$dir" "deb $mirror $codename main" ||
    fail "unpacking Debian's libraries for $arch failed (riscv64 is in Debian 13, and not in 12)"
  find "$dir" -type l -lname '/*' | while read -r link; do  # what leads out of it leads into it
    ln -snf "$(realpath -ms --relative-to="$(dirname "$link")" "$dir$(readlink "$link")")" "$link"
  done
  echo "$codename" >"$dir/complete"
}

# Of arm64's many targets, NEON and SVE2 are left.
arm64_left_out="HWY_NEON;HWY_NEON_BF16;HWY_SVE;HWY_SVE_256;HWY_SVE2_128"

# Reads the kernels' sources for arm64, without code for it: what cannot be done with vectors that have no size, as SVE's and RISC-V's.
read_kernels_for_arm64() {
  local sysroot=$deps/sysroot_arm64
  need build emulate_short
  need_highway
  need_sysroot arm64 "$sysroot"
  say "reading the kernels' sources for arm64 with $(clang++-19 --version | head -n 1)"
  cd "$root"
  # shellcheck disable=SC2016  # the inner shell's
  printf '%s\n' simd/*.cc ops/*.cc | xargs -P "$jobs" -n 1 sh -c 'for source; do :; done; echo "$source"; exec "$@"' sh \
    clang++-19 --target=aarch64-linux-gnu --sysroot="$sysroot" -std=c++20 -fsyntax-only -Wall -Wextra -Werror \
    -DHWY_DISABLED_TARGETS="(${arm64_left_out//;/|})" -I. -Iinclude -isystem "$deps/highway/include"
}

# Of each processor: the prefix of its tools, QEMU's name of it, which is CMake's too, the version of clang where gcc 12 fails or makes
# no vectors, compiler options, Highway's targets that are left out, to save time, and QEMU's models that run the tests.
#   arm64    NEON, and SVE2 with vectors of 64 and of 16 bytes
#   ppc64el  POWER8 and POWER10
#   s390x    z14; big-endian
#   riscv64  vectors of 16 and of 64 bytes; on Debian 13
verb_emulate() {
  if [ "${1:-}" = --short ]; then
    read_kernels_for_arm64
    return
  fi
  local arch=${1:-} triple processor clang='' flags='' disabled='' chosen sysroot model models=() args=()
  case $arch in
    arm64)
      triple=aarch64-linux-gnu processor=aarch64 clang=19 models=(max "max,sve-max-vq=1")
      disabled=$arm64_left_out
      ;;
    ppc64el) triple=powerpc64le-linux-gnu processor=ppc64le models=(power10) disabled=HWY_PPC9 ;;
    s390x) triple=s390x-linux-gnu processor=s390x models=(max) flags="-mzvector -march=z14" disabled=HWY_Z15 ;;
    riscv64) triple=riscv64-linux-gnu processor=riscv64 clang=19 models=("max,vlen=128" "max,vlen=512") flags=-march=rv64gcv ;;
    *) fail "emulate which processor? ./dev emulate arm64, ppc64el, s390x, riscv64, or --short" ;;
  esac
  shift
  need build test emulate "emulate_$arch"
  sysroot=$deps/sysroot_$arch
  need_sysroot "$arch" "$sysroot"
  args=(-DCMAKE_TOOLCHAIN_FILE="$root/cmake/emulated.cmake" -DEMULATED_TRIPLE="$triple" -DEMULATED_PROCESSOR="$processor"
    -DEMULATED_SYSROOT="$sysroot" -DEMULATED_CLANG="$clang" -DCMAKE_CXX_FLAGS="$flags")
  need_highway "$deps/highway_$arch" "${args[@]}"
  say "building for $arch into build/emulated_$arch"
  configure emulated -B "$root/build/emulated_$arch" "${args[@]}" -Dhwy_DIR="$deps/highway_$arch/lib/cmake/hwy" \
    -DAXISCAST_DISABLED_TARGETS="$disabled"
  build_in "emulated_$arch" op_conformance_test "${emulated_tests[@]}"
  chosen="^(($(IFS='|'; echo "${emulated_tests[*]}"))\\.|$tests_of_few_ops)"
  for model in "${models[@]}"; do
    say "running the tests on QEMU's $model; of op_conformance_test those of ${few_ops[*]}"
    QEMU_CPU=$model test_in "emulated_$arch" -R "$chosen" "$@"
  done
}

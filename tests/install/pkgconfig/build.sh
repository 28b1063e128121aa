#!/bin/sh
# Foreign programs that find an installed axiscast by pkg-config, OUTPUT from C++ and OUTPUT-c from C: build.sh OUTPUT [PKG-CONFIG FLAG...]
set -eu
output=$1
shift
# shellcheck disable=SC2046  # the flags are words
${CXX:-c++} -std=c++17 -Wall -Wextra -o "$output" "$(dirname "$0")/../main.cc" $(pkg-config "$@" --cflags --libs axiscast)
# shellcheck disable=SC2046
${CC:-cc} -std=c99 -Wall -Wextra -pedantic -Werror -o "$output-c" "$(dirname "$0")/../../../examples/c_api.c" \
  $(pkg-config "$@" --cflags --libs axiscast)

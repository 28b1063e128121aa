#!/bin/sh
# A foreign program that finds an installed axiscast by pkg-config: build.sh OUTPUT [PKG-CONFIG FLAG...]
set -eu
output=$1
shift
# shellcheck disable=SC2046  # the flags are words
${CXX:-c++} -std=c++17 -Wall -Wextra -o "$output" "$(dirname "$0")/../main.cc" $(pkg-config "$@" --cflags --libs axiscast)

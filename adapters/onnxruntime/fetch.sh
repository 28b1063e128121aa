#!/usr/bin/env bash
# fetch.sh FOLDER: ONNX Runtime's C header into FOLDER/include, from Debian 13's libonnxruntime-dev, as the Python package has none.
# Needs no root and changes nothing else. The header of 1.21 serves later runtimes: its API is versioned. One architecture's package
# serves all, since nothing but the header is taken.
set -euo pipefail

version=1.21.0+dfsg-1
sha256=14f7d959d5deacbcf1504830d4189f91fc67382b399ed9ae9d3aa9c4050ced08

folder=$1
[ ! -f "$folder/include/version" ] || [ "$(cat "$folder/include/version")" != "$version" ] || exit 0
work=$folder/include.part
rm -rf "$work" "$folder/include"
mkdir -p "$work"
# shellcheck disable=SC2016  # apt's format keeps its dollar
for mirror in $(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 'Component: main' | sort -u) \
              http://deb.debian.org/debian/; do
  /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" download-file \
    "${mirror%/}/pool/main/o/onnxruntime/libonnxruntime-dev_${version}_amd64.deb" "$work/headers.deb" "SHA256:$sha256" && break
done
[ -f "$work/headers.deb" ] || { echo "fetch.sh: cannot download libonnxruntime-dev $version of Debian 13 from a Debian mirror" >&2; exit 1; }
dpkg-deb -x "$work/headers.deb" "$work"
mv "$work/usr/include/onnxruntime" "$folder/include"
rm -rf "$work"
echo "$version" >"$folder/include/version"

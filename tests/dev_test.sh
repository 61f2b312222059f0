#!/usr/bin/env bash
# Tests what happens on a machine that lacks a package: ./dev installs it, CMake names it.
# usage: dev_test.sh SCRATCH_FOLDER
set -euo pipefail
scratch=$1
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rm -rf "$scratch"
mkdir -p "$scratch/programs" "$scratch/prefix/include"

fail() {
  echo "dev_test.sh: $*" >&2
  exit 1
}

# Programs of this machine, except those that a test hides. apt-get and sudo only write down what they are asked for.
programs=$scratch/programs
for program in bash cat cmake dirname env git g++ gnuplot grep id mkdir ninja nproc; do
  ln -s "$(command -v "$program")" "$programs/$program"
done
cat >"$programs/apt-get" <<'STUB'
#!/usr/bin/env bash
echo "$*" >>"$ASKED"
exit 1
STUB
printf '#!/usr/bin/env bash\nexec "$@"\n' >"$programs/sudo"
chmod +x "$programs/apt-get" "$programs/sudo"

# asked_to_install NEED...: prints what ./dev asks apt-get to install.
asked_to_install() {
  ASKED=$scratch/asked
  : >"$ASKED"
  (
    export ASKED PATH=$programs
    source "$source_folder/dev" help
    install "$@"
  ) >"$scratch/output" 2>&1 || true
  grep -o 'install .*' "$ASKED" || true
}

expect() { [ "$1" = "$2" ] || fail "expected '$2', got '$1'; ./dev said: $(cat "$scratch/output")"; }

# What is provided is not installed, whichever package it came from.
expect "$(asked_to_install gnuplot-nox=gnuplot libfmt-dev=fmt/format.h python3=python:json root=/usr)" ""
# What is missing is, and nothing else.
expect "$(asked_to_install gnuplot-nox=gnuplot libabsent-dev=absent/absent.h absent=absent-program gone=python:absent none=/absent/*)" \
  "install -y --no-install-recommends libabsent-dev absent gone none"
grep -q '^./dev: apt-get could not install these Debian packages: libabsent-dev absent gone none$' "$scratch/output" ||
  fail "no clear line about packages that can't be installed: $(cat "$scratch/output")"
# A library outside the system's folders counts, too.
mkdir -p "$scratch/prefix/include/absent"
: >"$scratch/prefix/include/absent/absent.h"
CMAKE_PREFIX_PATH=/elsewhere:$scratch/prefix
export CMAKE_PREFIX_PATH
expect "$(asked_to_install libabsent-dev=absent/absent.h)" ""
unset CMAKE_PREFIX_PATH

# CMake names the Debian package of everything that it does not find.
disabled=()
for package in fmt SQLite3 OpenSSL nlohmann_json CLI11 GTest benchmark PkgConfig; do
  disabled+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
! cmake -S "$source_folder" -B "$scratch/build" -G Ninja -DLONGRUN_BENCH=ON "${disabled[@]}" \
  "-DCMAKE_IGNORE_PATH=/usr/include;/usr/share/javascript/chart.js" >"$scratch/output" 2>&1 ||
  fail "CMake configured without any library"
named() { # named PACKAGES OTHER: whether one line has the Debian packages, and the same line those of other systems
  grep -Fq "is not found; Debian: apt install $1 | $2" "$scratch/output" || fail "CMake does not name '$1 | $2': $(cat "$scratch/output")"
}
others() { named "$1" "Homebrew: brew install $2 | conda-forge: conda install -c conda-forge $3"; }
others libfmt-dev fmt fmt
others libboost-math-dev boost libboost-headers
others nlohmann-json3-dev nlohmann-json nlohmann_json
others libsqlite3-dev sqlite sqlite
others libssl-dev openssl openssl
others libpqxx-dev libpqxx libpqxx
others libtomlplusplus-dev tomlplusplus tomlplusplus
others libcli11-dev cli11 cli11
others libgtest-dev googletest gtest
others libbenchmark-dev google-benchmark benchmark
others pkg-config pkgconf pkg-config
others 'coinor-libclp-dev coinor-libcoinutils-dev' clp coin-or-clp
named librandom123-dev "elsewhere: the folder include of github.com/DEShawResearch/random123"
named libjs-chart.js "elsewhere: dist/chart.min.js of npm package chart.js 3"

# pip install . needs fewer, and names the one that is hidden.
! cmake -S "$source_folder" -B "$scratch/python" -G Ninja -DLONGRUN_PYTHON=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON \
  >"$scratch/output" 2>&1 || fail "CMake configured the Python module without fmt"
others libfmt-dev fmt fmt
[ "$(grep -c 'is not found' "$scratch/output")" -eq 1 ] || fail "more is missing than what is hidden: $(cat "$scratch/output")"

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
for package in libfmt-dev librandom123-dev libboost-math-dev libsqlite3-dev libssl-dev nlohmann-json3-dev libtomlplusplus-dev \
  libjs-chart.js libcli11-dev libgtest-dev libbenchmark-dev pkg-config 'coinor-libclp-dev coinor-libcoinutils-dev'; do
  grep -Eq "is not found; Debian packages?: $package\$" "$scratch/output" ||
    fail "CMake does not name $package: $(cat "$scratch/output")"
done

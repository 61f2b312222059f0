"""Checks that the image of packaging/Dockerfile has every library that the program is linked with.

usage: packaging_test.py PROGRAM REPOSITORY
"""

import pathlib
import re
import subprocess
import sys

# Part of the C library, on which every package depends, or compiled into the release (fmt).
NOT_NAMED = {"libc6", "libgcc-s1", "libfmt9"}


def packages_of(library: str) -> set:
    """Returns the Debian packages that have a shared library of this name, for any machine."""
    found = subprocess.run(["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True, check=True)
    return {line.split(":")[0] for line in found.stdout.splitlines()}


def main(program: str, repository: str) -> None:
    dynamic = subprocess.run(["readelf", "--dynamic", program], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    assert libraries, "the program is linked with no library"
    lines = (pathlib.Path(repository) / "packaging/Dockerfile").read_text().replace("\\\n", " ")
    installed = set(re.search(r"apt-get install -y --no-install-recommends([^&]*)&&", lines).group(1).split())
    missing = [library for library in libraries if packages_of(library).isdisjoint(installed | NOT_NAMED)]
    assert not missing, f"packaging/Dockerfile installs no package of {missing}"
    print(f"the image has {libraries}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

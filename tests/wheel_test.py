"""Checks a wheel in a new virtual environment: the module, the command line, and that neither needs libraries of the system.

usage: wheel_test.py WHEEL FOLDER (FOLDER is replaced)
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

# Libraries that every system with the C library of the wheel's tag has (PEP 600).
OF_THE_SYSTEM = r"linux-vdso|ld-linux|libc\.|libm\.|libdl\.|librt\.|libpthread\.|libresolv\.|libgcc_s\.|libstdc\+\+\."

PLAY = """
import longrun
bandit = longrun.Bandit("inc_dec_3", noise=longrun.Gaussian(0.05))
records = longrun.simulate(bandit, ["thompson-beta"], horizons=[300], seeds=2)
print(longrun.__version__, len(records["regret"]), longrun.__file__)
"""


def output(*command: object, **options: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def metadata(wheel: pathlib.Path) -> str:
    with zipfile.ZipFile(wheel) as content:
        name = next(name for name in content.namelist() if name.endswith(".dist-info/METADATA"))
        return content.read(name).decode()


def main(wheel: pathlib.Path, folder: pathlib.Path) -> None:
    text = metadata(wheel)
    for line in ["License-Expression: MIT", "License-File: LICENSE", "Author: The longrun authors", "Classifier: Typing :: Typed"]:
        assert f"\n{line}\n" in text, f"no line '{line}' in the metadata: {text[:2000]}"

    shutil.rmtree(folder, ignore_errors=True)
    output("/usr/bin/python3", "-m", "venv", folder)
    output(folder / "bin/pip", "install", "-q", "--disable-pip-version-check", wheel)
    # No variable of this environment, and a folder without sources.
    clean = {"cwd": folder, "env": {"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": str(folder)}}

    version, runs, module = output(folder / "bin/python", "-c", PLAY, **clean).split()
    assert runs == "2" and module.startswith(str(folder)), (runs, module)
    assert re.search(rf"\b{re.escape(version)}\b", output("longrun", "--version", **clean)), "the command line is of another version"
    assert "foresight" in output("longrun", "policies", **clean)
    printed = output("longrun", "play", "--bandit", "inc_dec_3", "--policy", "kl-ucb", "--horizon", "300", **clean)
    assert "regret" in printed, printed
    done = subprocess.run(["longrun", "play", "--bandit", "absent"], capture_output=True, text=True, **clean)
    assert done.returncode == 2 and done.stderr.count("\n") <= 2, "exit codes and errors are those of the program"

    checked = 0
    for path in folder.glob("lib/python*/site-packages/longrun*/**/*"):
        if not path.is_file() or path.read_bytes()[:4] != b"\x7fELF":
            continue
        for library, where in re.findall(r"^\s*(\S+) => (.+?)(?: \(0x|$)", output("ldd", path), re.M):
            inside = os.path.realpath(where).startswith(os.path.realpath(folder))
            assert inside or re.match(OF_THE_SYSTEM, library), f"{path.name} needs {library} of the system: {where}"
            checked += 1
    assert checked > 5, "no libraries were checked"
    print(f"wheel_test: {wheel.name} works in a new environment; {checked} links to libraries checked")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())

"""Builds the packages of one target: the wheel by maturin, and from the program in it all others.

    python3 build.py TARGET [DIRECTORY]    # by default target/packages

Needs maturin and, for Linux, ziglang, whose C library is as old as `COMPATIBILITY` says. The archives depend on the
program alone, byte for byte.
"""

import gzip
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
# glibc 2.17, which every distribution of the last ten years has.
COMPATIBILITY = "manylinux2014"
# What Node.js calls the system and the processor of each target.
TARGETS = {
    "x86_64-unknown-linux-gnu": ("linux", "x64"),
    "aarch64-unknown-linux-gnu": ("linux", "arm64"),
    "x86_64-apple-darwin": ("darwin", "x64"),
    "aarch64-apple-darwin": ("darwin", "arm64"),
}
VERSION = re.search(r'^version = "(.+)"', (TOP / "Cargo.toml").read_text(), re.M)[1]
LICENCES = [(name, TOP / name) for name in ("LICENSE-APACHE", "LICENSE-MIT")]
ABOUT = {
    "version": VERSION,
    "description": "Find, check, explain and serve Agent Skills",
    "license": "(MIT OR Apache-2.0)",
}


def build_wheel(target, directory):
    """Builds the wheel, and returns its path."""
    linux = ["--zig", "--compatibility", COMPATIBILITY] if "linux" in target else []
    command = [sys.executable, "-m", "maturin", "build", "--target", target, "--out", directory, *linux]
    subprocess.run(command, cwd=HERE, check=True)
    tag = "*manylinux*" if "linux" in target else "*macosx*"
    (wheel,) = directory.glob(f"prowess-{VERSION}-py3-none-{tag}{target.split('-')[0].replace('aarch64', 'a*64')}.whl")
    return wheel


def program_of(wheel):
    with zipfile.ZipFile(wheel) as files:
        return files.read(f"prowess-{VERSION}.data/scripts/prowess")


def archive(path, folder, files):
    """Writes a .tar.gz of (name, content) without times and users. The program is executable."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for name, content in files:
            content = content if isinstance(content, bytes) else content.read_bytes()
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size = len(content)
            entry.mode = 0o755 if name in ("prowess", "prowess.js") else 0o644
            tar.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(data.getvalue(), mtime=0))


def npm(directory, name, manifest, files):
    """Writes a package of npm, which `npm publish FILE` uploads as it is."""
    text = json.dumps({"name": name, **ABOUT, **manifest}, indent=2).encode()
    file = name.replace("@", "").replace("/", "-") + f"-{VERSION}.tgz"
    archive(directory / file, "package", [("package.json", text), *LICENCES, *files])


def main(target, directory=TOP / "target/packages"):
    directory = pathlib.Path(directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    program = program_of(build_wheel(target, directory))
    more = [("README.md", HERE / "README.md"), ("prowess.service", HERE / "prowess.service"), *LICENCES]
    archive(directory / f"prowess-{target}.tar.gz", f"prowess-{target}", [("prowess", program), *more])

    system, processor = TARGETS[target]
    # A program for glibc does not start on a system with musl.
    libc = {"libc": ["glibc"]} if system == "linux" else {}
    platform = {"os": [system], "cpu": [processor], **libc, "preferUnplugged": True}
    npm(directory, f"@prowess/{system}-{processor}", platform, [("prowess", program)])
    launcher = {
        "bin": {"prowess": "prowess.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {f"@prowess/{'-'.join(names)}": VERSION for names in TARGETS.values()},
    }
    files = [("prowess.js", HERE / "npm/prowess.js"), ("README.md", HERE / "npm/README.md")]
    npm(directory, "prowess", launcher, files)

    for path in sorted(directory.iterdir()):
        if path.suffix in (".whl", ".gz", ".tgz"):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: build.py TARGET [DIRECTORY], where TARGET is one of {', '.join(TARGETS)}")
    main(*sys.argv[1:])

"""Writes a wheel of one module, whose text is the first argument, to the directory of the second."""

import sys
import zipfile

text, directory = sys.argv[1:]
INFO = "greeting-1.0.dist-info"
FILES = {
    "greeting.py": f"TEXT = {text!r}\n",
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
with zipfile.ZipFile(f"{directory}/greeting-1.0-py3-none-any.whl", "w") as wheel:
    for path, content in FILES.items():
        wheel.writestr(path, content)
    wheel.writestr(f"{INFO}/RECORD", "".join(f"{path},,\n" for path in [*FILES, f"{INFO}/RECORD"]))

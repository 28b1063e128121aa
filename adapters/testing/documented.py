"""documented.py HOST ENGINES_MD: runs what docs/engines.md tells the users of a host to write, and compares what it prints.

In the host's section (<!-- host: NAME -->) every ```python block is run, all of them as one program in a folder of its own, and must
print what the ```text blocks hold. LIBRARY in a block stands for the path of the adapter.
"""
import os
import re
import subprocess
import sys
import tempfile


def main():
    host, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        sections = re.split(r"^<!-- host: (\w+) -->$", file.read(), flags=re.MULTILINE)
    section = dict(zip(sections[1::2], sections[2::2]))[host]
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL))
    expected = "".join(re.findall(r"^```text\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL))
    if not program or not expected:
        sys.exit(f"{path}: the section of {host} has no program or no result")
    program = program.replace("LIBRARY", repr(os.environ["AXISCAST_ADAPTER"]))
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode or run.stdout != expected:
        sys.exit(f"{path}: the program of {host} printed\n{run.stdout}{run.stderr[-3000:]}\nand should have printed\n{expected}")
    print(f"ok      docs/engines.md: the program of {host}")


main()

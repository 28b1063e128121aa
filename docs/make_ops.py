"""Prints docs/ops.md from the registry: make_ops.py AXISCAST_COMMAND"""

import json
import subprocess
import sys

ops = json.loads(subprocess.run([sys.argv[1], "ops", "--json"], capture_output=True, text=True, check=True).stdout)



def attribute_text(attribute):
    """A default as the command takes it."""
    if attribute["default"] is None:
        return attribute["name"] + (" (required)" if attribute["required"] else " (optional)")
    default = attribute["default"]
    return f"{attribute['name']} = {str(default).lower() if isinstance(default, bool) else default}"


print("# Ops\n")
print("Printed from the registry (`./dev docs`); `axiscast ops NAME` tells an op's whole story. Error 0: exactly the stated meaning,")
print("the same bits on every target. An op's dtypes are those of its data operand.\n")
print("With a gradient, NAME_grad (its inputs, the gradient of its result, and attribute wrt, the input's number): "
      + " ".join(op["name"] for op in ops if op["gradient"]) + ".\n")
print("| op | meaning | dtypes | attributes | error, ulp | also called |")
print("|---|---|---|---|---|---|")
for op in ops:
    attributes = ", ".join(map(attribute_text, op["attributes"]))
    doc = op["doc"].replace("|", "\\|")
    print(f"| {op['name']} | {doc} | {' '.join(op['dtypes'])} | {attributes} | {op['max_ulp']:g} | {' '.join(op['aliases'])} |")

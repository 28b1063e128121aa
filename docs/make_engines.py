#!/usr/bin/env python3
"""make_engines.py ENGINES_MD RESULTS.json...: writes the tables of docs/engines.md anew, each between <!-- table: HOST --> and <!-- end -->."""
import json
import re
import sys


def table(result):
    lines = [f"| {result['title']} | host, us | ours, us | host / ours |", "|---|---|---|---|"]
    lines += [f"| {row['name']} | {row['host_us']:.4g} | {row['ours_us']:.4g} | {row['ratio']:.2f} |" for row in result["rows"]]
    return "\n".join(lines + [f"| geometric mean | | | {result['geometric_mean']:.2f} |"])


def main():
    path, *results = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name in results:
        with open(name, encoding="utf-8") as file:
            result = json.load(file)
        pattern = rf"(<!-- table: {result['host']} -->\n).*?(\n<!-- end -->)"
        text, count = re.subn(pattern, lambda match, t=table(result): match[1] + t + match[2], text, flags=re.DOTALL)
        if count != 1:
            sys.exit(f"{path} has no place for the table of {result['host']}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


main()

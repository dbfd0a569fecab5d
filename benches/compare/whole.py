"""`whole.py PLACES`: what whole commands of several programs take, as rows of a table.

PLACES is a JSON object with what stands in braces in `commands.tsv`, `once`, which writes the skills, and `directory`,
where they are written. Each command is a process of its own, from its start to its end or to the last answer.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import time

SIZES = [0, 1_000, 10_000]
ROUNDS = 3
# A file that has just changed is read once more.
UNTIL_OLD = 4

PARAMS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "compare", "version": "1"},
    }
}


def ask(process, methods):
    """Makes requests one after another."""

    def send(**message):
        process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        process.stdin.flush()

    for number, method in enumerate(methods):
        send(id=number, method=method, params=PARAMS.get(method, {}))
        while True:
            line = process.stdout.readline()
            if not line:
                raise SystemExit(f"the server has ended before it answered `{method}`")
            if json.loads(line).get("id") == number:
                break
        if method == "initialize":
            send(method="notifications/initialized")


def measure(words, methods, home, size):
    """Runs a command; gives its CPU time in milliseconds and its peak memory in MiB."""
    # Without a terminal, and without a report of its use to anybody.
    environment = {"HOME": home, "PATH": os.environ["PATH"], "DO_NOT_TRACK": "1"}
    pipe = subprocess.PIPE if methods else subprocess.DEVNULL
    process = subprocess.Popen(
        words, cwd=home, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    )
    if methods:
        ask(process, methods)
        os.kill(process.pid, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    # Without skills, some have nothing to do, which is a failure of theirs.
    if not methods and status and size:
        raise SystemExit(f"{words} has failed: {status}")
    return 1e3 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss / 1024


def number(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def main():
    places = json.loads(sys.argv[1])
    with open(f"{places['drivers']}/commands.tsv") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    medians = [[] for _ in lines]
    for size in SIZES:
        # The place of skills that are found without being named.
        home = f"{places['directory']}/{size}"
        root = f"{home}/.agents/skills"
        os.makedirs(root)
        subprocess.run([places["once"], "packages", root, str(size)], check=True)
        time.sleep(UNTIL_OLD)
        samples = [[] for _ in lines]
        for _ in range(ROUNDS):
            for (_, _, words, *requests), taken in zip(lines, samples):
                words = [word.format(root=root, **places) for word in words.split(" ")]
                taken.append(measure(words, " ".join(requests).split(), home, size))
        for taken, median in zip(samples, medians):
            median.append([statistics.median(part) for part in zip(*taken)])
    print(
        f"## Whole commands\n\nOn packages with files, each a process of its own from its start to its end or to the last "
        f"answer, warm, {ROUNDS} rounds in turn;\na number is a median. Packages without a command of their own are called "
        f"by a driver. The table has the CPU time in ms, by the\nnumber of skills.\n\n"
        f"| command | program | none | 1,000 | 10,000 | of prowess, 10,000 | peak memory, MiB |\n|---|---|--:|--:|--:|--:|--:|"
    )
    ours = {command: median[-1][0] for (command, program, *_), median in zip(lines, medians) if program == "prowess"}
    for (command, program, *_), median in zip(lines, medians):
        times = " | ".join(number(taken) for taken, _ in median)
        print(f"| {command} | `{program}` | {times} | {number(median[-1][0] / ours[command])} | {median[-1][1]:.1f} |")


main()

"""`python.py PEER ROOT`: finds the skills of a directory once with a Python package.

Prints `{"skills": COUNT, "cpu_us": TIME, "peak_kib": MEMORY}`: CPU time of the process around the work
alone, and the most memory that it has had.
"""

import json
import resource
import sys
import time
from pathlib import Path


def skills_ref():
    """It has no catalog call, so the loop is ours."""
    from skills_ref import SkillError, find_skill_md, read_properties

    def discover(root):
        found = []
        for package in Path(root).iterdir():
            if package.is_dir() and find_skill_md(package):
                try:
                    found.append(read_properties(package))
                except SkillError:
                    pass
        return found

    return discover


def deepagents():
    """Its own catalog call, over its own file system."""
    from deepagents.backends.filesystem import FilesystemBackend
    from deepagents.middleware.skills import _list_skills

    return lambda root: _list_skills(FilesystemBackend(root_dir=root, virtual_mode=False), root)


def main():
    peer, root = sys.argv[1:]
    discover = {"skills-ref": skills_ref, "deepagents": deepagents}[peer]()
    start = time.process_time_ns()
    skills = discover(root)
    cpu_us = (time.process_time_ns() - start) // 1000
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"skills": len(skills), "cpu_us": cpu_us, "peak_kib": peak_kib}))


main()

"""`python.py PEER ROOT [COMMAND]`: finds the skills of a directory once with a Python package.

With a command, `prompt` or `validate` of `skills-ref` or `serve` of `fastmcp`, does that instead.

Prints `{"skills": COUNT, "cpu_us": TIME, "whole_us": TIME, "peak_kib": MEMORY}`: CPU time of the process around the
work alone and since its start, and the most memory that it has had.
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


def fastmcp():
    """Its own provider, as a client of its server sees it at the start."""
    import asyncio

    from fastmcp import Client, FastMCP
    from fastmcp.skills.provider import SkillsDirectoryProvider

    async def resources(root):
        server = FastMCP("skills")
        server.add_provider(SkillsDirectoryProvider(root))
        async with Client(server) as client:
            return await client.list_resources()

    return lambda root: [
        found for found in asyncio.run(resources(root)) if str(found.uri).endswith("/SKILL.md")
    ]


def whole(peer, root, command):
    """A command of a peer as a whole, for all skills of a directory."""
    if command == "serve":
        from fastmcp import FastMCP
        from fastmcp.skills.provider import SkillsDirectoryProvider

        server = FastMCP("skills")
        server.add_provider(SkillsDirectoryProvider(Path(root)))
        server.run(show_banner=False)
        return
    from skills_ref import to_prompt, validate

    packages = [package for package in Path(root).iterdir() if package.is_dir()]
    if command == "prompt":
        print(to_prompt(packages))
    else:
        print(sum(not validate(package) for package in packages))


def main():
    peer, root, *command = sys.argv[1:]
    if command:
        return whole(peer, root, *command)
    discover = {"skills-ref": skills_ref, "deepagents": deepagents, "fastmcp": fastmcp}[peer]()
    start = time.process_time_ns()
    skills = discover(root)
    end = time.process_time_ns()
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu_us, whole_us = (end - start) // 1000, end // 1000
    print(json.dumps({"skills": len(skills), "cpu_us": cpu_us, "whole_us": whole_us, "peak_kib": peak_kib}))


main()

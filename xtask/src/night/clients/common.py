# What the drivers of Python clients have in common.
import asyncio, json, pathlib, sys, time

server, *args = json.loads(sys.argv[1])
skills = pathlib.Path(sys.argv[2])
READ = {"skill": "pdf", "path": "references/fields.md"}
NEW = "---\nname: new\ndescription: Is new.\n---\nnew-body\n"


async def timed(read):
    """Returns how long each of 200 reads takes, in milliseconds."""
    times = []
    for _ in range(200):
        begun = time.perf_counter()
        await read()
        times.append((time.perf_counter() - begun) * 1000)
    return times


async def works_after_cancelling(search, read):
    """Cancels a call that has begun. Returns whether the next one is answered."""
    call = asyncio.ensure_future(search())
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    return "file-marker" in str(await read())


async def sees_new_skill(described):
    """Adds a skill, and returns whether the client's tools describe it within half a minute."""
    (skills / "new").mkdir()
    (skills / "new/SKILL.md").write_text(NEW)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if "Is new." in await described():
            return True
        await asyncio.sleep(0.1)
    return False


def are_both(pdf, notes):
    """Returns whether two loads at once have each returned their own body."""
    return "body-marker" in str(pdf) and "notes-body" in str(notes)

"""The protocol's own Python SDK, revision 2025-11-25."""
import asyncio, json, pathlib, sys, time
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

server, *args = json.loads(sys.argv[1])
skills = pathlib.Path(sys.argv[2])
NEW = "---\nname: new\ndescription: Is new.\n---\nnew-body\n"
READ = {"skill": "pdf", "path": "references/fields.md"}


def text(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main():
    changed = asyncio.Event()

    async def handle(message):
        root = getattr(message, "root", None)
        if isinstance(root, types.ToolListChangedNotification):
            changed.set()

    async with stdio_client(StdioServerParameters(command=server, args=args)) as (read, write):
        async with ClientSession(read, write, message_handler=handle) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            catalog = "".join(tool.description or "" for tool in tools)
            read_first = await session.call_tool("skills_read", READ)
            loads = [session.call_tool("skills_load", {"names": [name]}) for name in ("pdf", "notes")]
            loaded, other = await asyncio.gather(*loads)
            parallel = "notes-body" in text(other) and text(loaded) != text(other)
            times = []
            for _ in range(200):
                begun = time.perf_counter()
                await session.call_tool("skills_read", READ)
                times.append((time.perf_counter() - begun) * 1000)
            call = asyncio.create_task(session.call_tool("skills_search", {"query": "forms"}))
            await asyncio.sleep(0)
            call.cancel()
            cancelled = "marker" in text(await session.call_tool("skills_read", READ))
            (skills / "new").mkdir()
            (skills / "new/SKILL.md").write_text(NEW)
            await asyncio.wait_for(changed.wait(), 30)
            tools = (await session.list_tools()).tools
            listed = any("Is new." in (tool.description or "") for tool in tools)
            return {
                "catalog": catalog, "body": text(loaded), "read": text(read_first),
                "parallel": parallel, "cancel": cancelled, "changes": listed, "times": times,
            }


print(json.dumps(asyncio.run(main())))

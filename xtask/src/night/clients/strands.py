"""strands-agents, whose client runs on a thread of its own."""
import itertools

from mcp import StdioServerParameters, stdio_client
from strands.tools.mcp import MCPClient

ids = itertools.count()


async def main():
    parameters = StdioServerParameters(command=server, args=args)
    with MCPClient(lambda: stdio_client(parameters)) as client:
        async def call(name, arguments):
            result = await client.call_tool_async(f"use-{next(ids)}", name, arguments)
            return "\n".join(part.get("text", "") for part in result["content"])

        async def described():
            return "".join(tool.tool_spec["description"] for tool in client.list_tools_sync())

        def read():
            return call("skills_read", READ)

        loads = [call("skills_load", {"names": [name]}) for name in ("pdf", "notes")]
        loaded, other = await asyncio.gather(*loads)
        return {
            "catalog": await described(), "body": loaded, "read": await read(),
            "parallel": are_both(loaded, other),
            "times": await timed(read),
            "cancel": await works_after_cancelling(
                lambda: call("skills_search", {"query": "forms"}), read
            ),
            "changes": await sees_new_skill(described),
        }


print(json.dumps(asyncio.run(main())))

"""The protocol's own Python SDK, revision 2025-11-25."""
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client


def text(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main():
    changed = asyncio.Event()

    async def handle(message):
        root = getattr(message, "root", None)
        if isinstance(root, types.ToolListChangedNotification):
            changed.set()

    async with stdio_client(StdioServerParameters(command=server, args=args)) as (reader, writer):
        async with ClientSession(reader, writer, message_handler=handle) as session:
            await session.initialize()

            async def call(name, arguments):
                return text(await session.call_tool(name, arguments))

            def read():
                return call("skills_read", READ)

            async def listed():
                tools = (await session.list_tools()).tools
                return "".join(tool.description or "" for tool in tools)

            async def described():
                # Only a notification makes this client look again.
                return await listed() if changed.is_set() else ""

            catalog, read_first = await listed(), await read()
            loads = [call("skills_load", {"names": [name]}) for name in ("pdf", "notes")]
            loaded, other = await asyncio.gather(*loads)
            return {
                "catalog": catalog, "body": loaded, "read": read_first,
                "parallel": are_both(loaded, other),
                "times": await timed(read),
                "cancel": await works_after_cancelling(
                    lambda: call("skills_search", {"query": "forms"}), read
                ),
                "changes": await sees_new_skill(described),
            }


print(json.dumps(asyncio.run(main())))

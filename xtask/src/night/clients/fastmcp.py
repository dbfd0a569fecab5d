"""FastMCP's client, revision 2026-07-28. Programs read `data` where there is any."""
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


def seen(result):
    if result.data is not None or result.structured_content is not None:
        return json.dumps(result.structured_content)
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main():
    async with Client(StdioTransport(command=server, args=args)) as client:
        async def call(name, arguments):
            return seen(await client.call_tool(name, arguments))

        async def described():
            return "".join(tool.description or "" for tool in await client.list_tools())

        def read():
            return call("skills_read", READ)

        read_first = await read()
        loads = [call("skills_load", {"names": [name]}) for name in ("pdf", "notes")]
        loaded, other = await asyncio.gather(*loads)
        return {
            "catalog": await described(), "body": loaded, "read": read_first,
            "parallel": are_both(loaded, other),
            "times": await timed(read),
            "cancel": await works_after_cancelling(
                lambda: call("skills_search", {"query": "forms"}), read
            ),
            "changes": await sees_new_skill(described),
        }


print(json.dumps(asyncio.run(main())))

"""The protocol's own Python SDK, revision 2025-11-25."""
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

server, *args = json.loads(sys.argv[1])


def text(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main():
    async with stdio_client(StdioServerParameters(command=server, args=args)) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            catalog = "".join(tool.description or "" for tool in tools)
            read_first = await session.call_tool("skills_read", {"skill": "pdf", "path": "references/fields.md"})
            loaded = await session.call_tool("skills_load", {"names": ["pdf"]})
            return {"catalog": catalog, "body": text(loaded), "read": text(read_first)}


print(json.dumps(asyncio.run(main())))

"""FastMCP's client, revision 2026-07-28. Programs read `data` where there is any."""
import asyncio, json, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

server, *args = json.loads(sys.argv[1])


def seen(result):
    if result.data is not None or result.structured_content is not None:
        return json.dumps(result.structured_content)
    return "\n".join(part.text for part in result.content if part.type == "text")


async def main():
    async with Client(StdioTransport(command=server, args=args)) as client:
        read_first = await client.call_tool("skills_read", {"skill": "pdf", "path": "references/fields.md"})
        loaded = await client.call_tool("skills_load", {"names": ["pdf"]})
        catalog = "".join(tool.description or "" for tool in await client.list_tools())
        return {"catalog": catalog, "body": seen(loaded), "read": seen(read_first)}


print(json.dumps(asyncio.run(main())))

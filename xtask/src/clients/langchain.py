"""langchain-mcp-adapters, which starts one server per call and drops a server's instructions."""
import asyncio, json, sys
from langchain_mcp_adapters.client import MultiServerMCPClient

server, *args = json.loads(sys.argv[1])


async def main():
    client = MultiServerMCPClient({"prowess": {"transport": "stdio", "command": server, "args": args}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    loaded = await tools["skills_load"].ainvoke({"names": ["pdf"]})
    read = await tools["skills_read"].ainvoke({"skill": "pdf", "path": "references/fields.md"})
    shown = "".join(str(tool.description) for tool in tools.values())
    return {"catalog": shown, "body": str(loaded), "read": str(read)}


print(json.dumps(asyncio.run(main())))

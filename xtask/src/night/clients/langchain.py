"""langchain-mcp-adapters, which starts one server per call and drops a server's instructions. It
shows a new skill to programs that get the tools again; no notification reaches them."""
from langchain_mcp_adapters.client import MultiServerMCPClient


async def main():
    client = MultiServerMCPClient({"prowess": {"transport": "stdio", "command": server, "args": args}})
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def described():
        return "".join(str(tool.description) for tool in await client.get_tools())

    def read():
        return tools["skills_read"].ainvoke(READ)

    loads = [tools["skills_load"].ainvoke({"names": [name]}) for name in ("pdf", "notes")]
    loaded, other = await asyncio.gather(*loads)
    return {
        "catalog": "".join(str(tool.description) for tool in tools.values()),
        "body": str(loaded), "read": str(await read()),
        "parallel": are_both(loaded, other),
        "cancel": await works_after_cancelling(
            lambda: tools["skills_search"].ainvoke({"query": "forms"}), read
        ),
        "changes": await sees_new_skill(described),
    }


print(json.dumps(asyncio.run(main())))

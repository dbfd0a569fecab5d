"""autogen's workbench of a server. What its agents show a model is the text of a result."""
from autogen_core import CancellationToken
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams


async def main():
    async with McpWorkbench(StdioServerParams(command=server, args=args)) as workbench:
        async def call(name, arguments):
            return (await workbench.call_tool(name, arguments)).to_text()

        async def described():
            return "".join(tool["description"] for tool in await workbench.list_tools())

        def read():
            return call("skills_read", READ)

        async def cancelled():
            # A task that is cancelled instead ends the connection of autogen.
            token = CancellationToken()
            search = workbench.call_tool("skills_search", {"query": "forms"}, token)
            search = asyncio.ensure_future(search)
            await asyncio.sleep(0)
            token.cancel()
            await asyncio.gather(search, return_exceptions=True)
            return "file-marker" in await read()

        loads = [call("skills_load", {"names": [name]}) for name in ("pdf", "notes")]
        loaded, other = await asyncio.gather(*loads)
        return {
            "catalog": await described(), "body": loaded, "read": await read(),
            "parallel": are_both(loaded, other),
            "times": await timed(read),
            "cancel": await cancelled(),
            "changes": await sees_new_skill(described),
        }


print(json.dumps(asyncio.run(main())))

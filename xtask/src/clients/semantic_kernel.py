"""semantic-kernel, whose plugin reads the tools again when the server reports a change."""
from semantic_kernel import Kernel
from semantic_kernel.connectors.mcp import MCPStdioPlugin


async def main():
    async with MCPStdioPlugin(name="prowess", command=server, args=args) as plugin:
        kernel = Kernel()

        async def call(name, **arguments):
            return "\n".join(str(part) for part in await plugin.call_tool(name, **arguments))

        async def described():
            # A plugin is added with the functions that it has then.
            functions = kernel.add_plugin(plugin).functions.values()
            return "".join(function.description or "" for function in functions)

        def read():
            return call("skills_read", **READ)

        loads = [call("skills_load", names=[name]) for name in ("pdf", "notes")]
        loaded, other = await asyncio.gather(*loads)
        return {
            "catalog": await described(), "body": loaded, "read": await read(),
            "parallel": are_both(loaded, other),
            "times": await timed(read),
            "cancel": await works_after_cancelling(
                lambda: call("skills_search", query="forms"), read
            ),
            "changes": await sees_new_skill(described),
        }


print(json.dumps(asyncio.run(main())))

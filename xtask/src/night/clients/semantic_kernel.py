"""semantic-kernel. Its plugin adds tools when the server reports a change, and keeps the description
of one that it has, so a skill that is new in a description is not looked for here."""
from semantic_kernel import Kernel
from semantic_kernel.connectors.mcp import MCPStdioPlugin


async def main():
    async with MCPStdioPlugin(name="prowess", command=server, args=args) as plugin:
        async def call(name, **arguments):
            return "\n".join(str(part) for part in await plugin.call_tool(name, **arguments))

        def described():
            functions = Kernel().add_plugin(plugin).functions.values()
            return "".join(function.description or "" for function in functions)

        def read():
            return call("skills_read", **READ)

        loads = [call("skills_load", names=[name]) for name in ("pdf", "notes")]
        loaded, other = await asyncio.gather(*loads)
        return {
            "catalog": described(), "body": loaded, "read": await read(),
            "parallel": are_both(loaded, other),
            "times": await timed(read),
            "cancel": await works_after_cancelling(
                lambda: call("skills_search", query="forms"), read
            ),
        }


print(json.dumps(asyncio.run(main())))

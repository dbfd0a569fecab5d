"""Microsoft's agent-framework, which subscribes to list changes and prefers structured content."""
from agent_framework import MCPStdioTool


def shown(parts):
    if isinstance(parts, str):
        return parts
    return "\n".join(str(getattr(part, "text", "") or "") for part in parts)


async def main():
    async with MCPStdioTool(name="prowess", command=server, args=args) as tool:
        async def call(name, **arguments):
            return shown(await tool.call_tool(name, **arguments))

        async def described():
            return "".join(function.description or "" for function in tool.functions)

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

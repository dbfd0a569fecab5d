"""Microsoft's agent-framework, which subscribes to list changes and prefers structured content."""
import asyncio, json, sys
from agent_framework import MCPStdioTool

server, *args = json.loads(sys.argv[1])


def shown(parts):
    if isinstance(parts, str):
        return parts
    return "\n".join(str(getattr(part, "text", "") or "") for part in parts)


async def main():
    async with MCPStdioTool(name="prowess", command=server, args=args) as tool:
        loaded = await tool.call_tool("skills_load", names=["pdf"])
        read = await tool.call_tool("skills_read", skill="pdf", path="references/fields.md")
        described = "".join(function.description or "" for function in tool.functions)
        return {"catalog": described, "body": shown(loaded), "read": shown(read)}


print(json.dumps(asyncio.run(main())))

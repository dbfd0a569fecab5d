"""pydantic-ai with a model that follows a script and reports what it is shown."""
import asyncio, json, sys
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

server, *args = json.loads(sys.argv[1])
seen = {"catalog": "", "body": "", "read": ""}


def model(messages, info):
    returned = [
        part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)
    ]
    for key, part in zip(("body", "read"), returned):
        seen[key] = part.model_response_str()
    seen["catalog"] = "".join(tool.description or "" for tool in info.function_tools)
    if not returned:
        return ModelResponse(parts=[ToolCallPart("skills_load", {"names": ["pdf"]})])
    if len(returned) == 1:
        arguments = {"skill": "pdf", "path": "references/fields.md"}
        return ModelResponse(parts=[ToolCallPart("skills_read", arguments)])
    return ModelResponse(parts=[TextPart("done")])


async def main():
    toolset = MCPToolset(StdioTransport(command=server, args=args))
    await Agent(FunctionModel(model), toolsets=[toolset]).run("Fill the form.")
    return seen


print(json.dumps(asyncio.run(main())))

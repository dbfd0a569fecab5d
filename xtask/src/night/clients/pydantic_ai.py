"""pydantic-ai with a model that follows a script and reports what it is shown."""
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

seen = {"catalog": "", "body": "", "read": "", "parallel": False}


def model(messages, info):
    returned = [
        part.model_response_str()
        for message in messages for part in message.parts if isinstance(part, ToolReturnPart)
    ]
    seen["catalog"] = "".join(tool.description or "" for tool in info.function_tools)
    if not returned:
        # Calls of one response run at the same time.
        return ModelResponse(parts=[
            ToolCallPart("skills_load", {"names": [name]}) for name in ("pdf", "notes")
        ])
    if len(returned) == 2:
        seen["body"], seen["parallel"] = returned[0], are_both(*returned)
        return ModelResponse(parts=[ToolCallPart("skills_read", READ)])
    seen["read"] = returned[2]
    return ModelResponse(parts=[TextPart("done")])


def only_look(messages, info):
    seen["shown"] = "".join(tool.description or "" for tool in info.function_tools)
    return ModelResponse(parts=[TextPart("done")])


async def main():
    # It subscribes to no changes of revision 2026-07-28, so it sees them if it keeps no tools.
    toolset = MCPToolset(StdioTransport(command=server, args=args), cache_tools=False)
    async with toolset:
        await Agent(FunctionModel(model), toolsets=[toolset]).run("Fill the form.")

        async def described():
            await Agent(FunctionModel(only_look), toolsets=[toolset]).run("Look.")
            return seen["shown"]

        def call(name, arguments):
            return toolset.direct_call_tool(name, arguments)

        def read():
            return call("skills_read", READ)

        return seen | {
            "times": await timed(read),
            "cancel": await works_after_cancelling(
                lambda: call("skills_search", {"query": "forms"}), read
            ),
            "changes": await sees_new_skill(described),
        }


print(json.dumps(asyncio.run(main())))

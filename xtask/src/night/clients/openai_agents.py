"""openai-agents with a model that follows a script and reports what it is shown. It drops a
server's instructions, and may be told to prefer structured content."""
from agents import Agent, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStdio
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)
seen = {"catalog": "", "body": "", "read": "", "parallel": False}


def call(number, name, arguments):
    return ResponseFunctionToolCall(
        type="function_call", call_id=f"call-{number}", name=name, arguments=json.dumps(arguments)
    )


def done():
    text = ResponseOutputText(type="output_text", text="done", annotations=[])
    return ResponseOutputMessage(
        type="message", id="done", role="assistant", status="completed", content=[text]
    )


class Scripted(Model):
    async def get_response(self, system_instructions, input, model_settings, tools, *rest, **more):
        returned = [
            str(item["output"]) for item in input
            if isinstance(item, dict) and item.get("type") == "function_call_output"
        ]
        seen["catalog"] = "".join(tool.description for tool in tools)
        if not returned:
            # Calls of one response run at the same time.
            output = [
                call(number, "skills_load", {"names": [name]})
                for number, name in enumerate(("pdf", "notes"))
            ]
        elif len(returned) == 2:
            seen["body"], seen["parallel"] = returned[0], are_both(*returned)
            output = [call(2, "skills_read", READ)]
        else:
            seen["read"] = returned[2]
            output = [done()]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *rest, **more):
        raise NotImplementedError


async def main():
    params = {"command": server, "args": args}
    async with MCPServerStdio(params, use_structured_content=True) as mcp_server:
        agent = Agent(name="clients", model=Scripted(), mcp_servers=[mcp_server])
        await Runner.run(agent, "Fill the form.")

        async def described():
            return "".join(tool.description or "" for tool in await mcp_server.list_tools())

        def read():
            return mcp_server.call_tool("skills_read", READ)

        return seen | {
            "times": await timed(read),
            "cancel": await works_after_cancelling(
                lambda: mcp_server.call_tool("skills_search", {"query": "forms"}), read
            ),
            "changes": await sees_new_skill(described),
        }


print(json.dumps(asyncio.run(main())))

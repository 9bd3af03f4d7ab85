"""A pydantic-ai agent behind its own AG-UI adapter: /function on a FunctionModel, /test on a TestModel."""
import json
import socket

import uvicorn
from ag_ui.core import EventType, StateSnapshotEvent
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import DeferredToolRequests
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route


async def answer(messages, info):
    parts = [part for message in messages for part in message.parts]
    users = [part.content if isinstance(part.content, str) else "".join(map(str, part.content)) for part in parts if isinstance(part, UserPromptPart)]
    last = max(index for index, part in enumerate(parts) if isinstance(part, UserPromptPart))
    results = [part for part in parts[last + 1:] if isinstance(part, ToolReturnPart)]
    word = users[-1]

    def call(name, args):
        text = json.dumps(args)
        return [{0: DeltaToolCall(name=name, tool_call_id=f"call_{len(messages)}_{name}", json_args=text[:4])}, {0: DeltaToolCall(json_args=text[4:])}]

    if results:
        yield f"The tool says {results[-1].model_response_str()}"
        return
    for pattern, name, args in (("weather", "get_weather", {"city": "Oslo"}), ("client tool", "confirm", {"total": 12.5}),
                                ("approve", "ask_approval", {"what": "payment"}), ("broken tool", "break", {}), ("state", "set_state", {})):
        if pattern in word:
            for delta in call(name, args):
                yield delta
            return
    if "think" in word:
        yield {0: DeltaThinkingPart(content="secret thoughts")}
        yield "The answer."
    elif "remember" in word:
        yield f"You said {', '.join(users)}"
    elif "fail" in word:
        yield "Half "
        raise RuntimeError("The model is gone")
    else:
        yield "Hello "
        yield "from the model."


function = Agent(FunctionModel(stream_function=answer), output_type=[str, DeferredToolRequests])
test = Agent(TestModel(custom_output_text="Hello from the test model."))


@test.tool_plain
@function.tool_plain
def get_weather(city: str) -> dict:
    return {"celsius": 7}


@function.tool_plain(name="break")
def breaks() -> str:
    raise RuntimeError("The tool broke")


@function.tool_plain(requires_approval=True)
def ask_approval(what: str) -> dict:
    return {"paid": what}


@function.tool_plain
def set_state() -> ToolReturn:
    return ToolReturn(return_value="set", metadata=[StateSnapshotEvent(type=EventType.STATE_SNAPSHOT, snapshot={"count": 2})])


def endpoint(agent):
    async def handle(request):
        return await AGUIAdapter.dispatch_request(request, agent=agent)
    return handle


app = Starlette(routes=[Route("/function", endpoint(function), methods=["POST"]), Route("/test", endpoint(test), methods=["POST"])])

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])

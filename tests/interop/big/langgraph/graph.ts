// A small agent graph: model, tools, a tool that asks a human. The tools of the client come in the state.
import { isAIMessage, type AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, interrupt, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

const getWeather = tool(async () => ({ celsius: 7 }), { name: "get_weather", description: "Weather of a city", schema: z.object({ city: z.string() }) });
const breaks = tool(async () => { throw new Error("The tool broke"); }, { name: "break", description: "Throws", schema: z.object({}) });
const askApproval = tool(async ({ what }) => ({ answer: interrupt({ question: `Go on with ${what}?` }) }),
  { name: "ask_approval", description: "Asks a human", schema: z.object({ what: z.string() }) });
const own = [getWeather, breaks, askApproval];

const State = Annotation.Root({ ...MessagesAnnotation.spec, tools: Annotation<any[]> });
const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "none", maxRetries: 0, configuration: { baseURL: process.env.OPENAI_BASE_URL } });

async function think(state: typeof State.State) {
  return { messages: [await model.bindTools([...own, ...(state.tools ?? [])]).invoke(state.messages)] };
}
function next(state: typeof State.State) {
  const last = state.messages.at(-1) as AIMessage;
  const calls = isAIMessage(last) ? last.tool_calls ?? [] : [];
  return calls.length && calls.every(({ name }) => own.some((one) => one.name === name)) ? "act" : "__end__";
}
export const graph = new StateGraph(State)
  .addNode("model", think)
  .addNode("act", new ToolNode(own))
  .addEdge("__start__", "model")
  .addConditionalEdges("model", next, ["act", "__end__"])
  .addEdge("act", "model")
  .compile();

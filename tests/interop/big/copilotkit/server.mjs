// CopilotKit's runtime with its own agent, single-route and multi-route, on a model that is none.
import http from 'node:http';
import { createOpenAI } from '@ai-sdk/openai';
import { BuiltInAgent, CopilotRuntime, defineTool, InMemoryAgentRunner } from '@copilotkit/runtime/v2';
import { createCopilotNodeListener } from '@copilotkit/runtime/v2/node';
import { z } from 'zod';
import { startModel } from './model.mjs';

const openai = createOpenAI({ baseURL: await startModel(), apiKey: 'none' });
const agent = () => new BuiltInAgent({
  model: openai.chat('gpt-4o'),
  maxSteps: 5,
  tools: [
    defineTool({ name: 'get_weather', description: 'Weather of a city', parameters: z.object({ city: z.string() }), execute: async () => ({ celsius: 7 }) }),
    defineTool({ name: 'break', description: 'Throws', parameters: z.object({}), execute: async () => { throw new Error('The tool broke'); } }),
    defineTool({ name: 'ask_approval', description: 'Asks a human', parameters: z.object({ what: z.string() }), interrupt: true, interruptMessage: 'Go on?' }),
  ],
});
const runtime = () => new CopilotRuntime({ agents: { default: agent(), shop: agent() }, runner: new InMemoryAgentRunner() });
const multi = createCopilotNodeListener({ runtime: runtime(), basePath: '/multi' });
const single = createCopilotNodeListener({ runtime: runtime(), basePath: '/single', mode: 'single-route' });

http.createServer((request, response) => (request.url.startsWith('/single') ? single : multi)(request, response))
  .listen(0, '127.0.0.1', function () { console.log(`listening on http://127.0.0.1:${this.address().port}`); });

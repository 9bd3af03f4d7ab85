// A Mastra agent behind @ag-ui/mastra, on the mock model of the ai SDK: no model and no HTTP behind it.
import http from 'node:http';
import { EventEncoder } from '@ag-ui/encoder';
import { MastraAgent } from '@ag-ui/mastra';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { z } from 'zod';

const usage = { inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 4, text: 4, reasoning: 0 } };
const textOf = (content) => (typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(''));

function answer(prompt) {
  const from = prompt.findLastIndex(({ role }) => role === 'user');
  const word = textOf(prompt[from]?.content ?? '');
  const results = prompt.slice(from + 1).filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  const text = (...deltas) => [{ type: 'text-start', id: 'x' }, ...deltas.map((delta) => ({ type: 'text-delta', id: 'x', delta })), { type: 'text-end', id: 'x' }];
  const call = (name, args) => {
    const id = `call_${prompt.length}_${name}`;
    const input = JSON.stringify(args);
    return [
      { type: 'tool-input-start', id, toolName: name },
      { type: 'tool-input-delta', id, delta: input.slice(0, 4) }, { type: 'tool-input-delta', id, delta: input.slice(4) },
      { type: 'tool-input-end', id }, { type: 'tool-call', toolCallId: id, toolName: name, input },
    ];
  };
  if (results.length) return text(`The tool says ${JSON.stringify(results.at(-1).output.value)}`);
  if (/weather/.test(word)) return call('get_weather', { city: 'Oslo' });
  if (/client tool/.test(word)) return call('confirm', { total: 12.5 });
  if (/broken tool/.test(word)) return call('break', {});
  if (/approve/.test(word)) return call('ask_approval', { what: 'payment' });
  if (/guarded tool/.test(word)) return call('needs_approval', {});
  if (/think/.test(word)) return [{ type: 'reasoning-start', id: 'q' }, { type: 'reasoning-delta', id: 'q', delta: 'secret thoughts' }, { type: 'reasoning-end', id: 'q' }, ...text('The answer.')];
  if (/remember/.test(word)) return text(`You said ${prompt.filter(({ role }) => role === 'user').map(({ content }) => textOf(content)).join(', ')}`);
  if (/fail/.test(word)) throw new Error('The model is gone');
  return text('Hello ', 'from the model.');
}

const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const parts = answer(prompt);
    const reason = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
    return { stream: simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason: { unified: reason, raw: reason }, usage }] }) };
  },
});
const tool = (id, inputSchema, execute, more) => createTool({ id, description: id, inputSchema, execute, ...more });
const shop = new Agent({
  id: 'shop', name: 'shop', instructions: 'none', model,
  tools: {
    get_weather: tool('get_weather', z.object({ city: z.string() }), async () => ({ celsius: 7 })),
    break: tool('break', z.object({}), async () => { throw new Error('The tool broke'); }),
    ask_approval: tool('ask_approval', z.object({ what: z.string() }), async (input, { agent }) =>
      (agent.resumeData ? { answer: agent.resumeData } : agent.suspend({ question: 'Go on?' })),
      { suspendSchema: z.object({ question: z.string() }), resumeSchema: z.object({ approved: z.boolean() }) }),
    needs_approval: tool('needs_approval', z.object({}), async () => ({ paid: true }), { requireApproval: true }),
  },
});

const mastra = new Mastra({ agents: { shop }, storage: new InMemoryStore(), logger: false });

http.createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { 'content-type': encoder.getContentType() });
  // What the adapter emits goes out as it is; where its stream fails, the body just ends.
  new MastraAgent({ agent: mastra.getAgent('shop'), resourceId: 'someone' }).run(JSON.parse(body)).subscribe({
    next: (event) => response.write(encoder.encode(event)),
    error: (error) => { console.error(`the adapter failed: ${error.message}`); response.end(); },
    complete: () => response.end(),
  });
}).listen(0, '127.0.0.1', function () { console.log(`listening on http://127.0.0.1:${this.address().port}`); });

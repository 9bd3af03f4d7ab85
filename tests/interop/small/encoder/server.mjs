// An agent written by hand on the official encoder: the last user message says what it does.
import http from 'node:http';
import { EventEncoder } from '@ag-ui/encoder';
import { EventSchemas, RunAgentInputSchema } from '@ag-ui/core/schemas';

const text = (id, ...deltas) => [
  { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' },
  ...deltas.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta })),
  { type: 'TEXT_MESSAGE_END', messageId: id },
];
const call = (id, name, ...deltas) => [
  { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name },
  ...deltas.map((delta) => ({ type: 'TOOL_CALL_ARGS', toolCallId: id, delta })),
  { type: 'TOOL_CALL_END', toolCallId: id },
];

// Answers: events between RUN_STARTED and RUN_FINISHED; `finish` adds to the latter, `error` replaces it.
function answer(input) {
  const last = input.messages.at(-1);
  const word = input.messages.findLast((message) => message.role === 'user')?.content ?? '';
  const n = input.messages.length;
  if (input.resume) {
    const { interruptId, status, payload } = input.resume[0];
    return { events: text(`m${n}`, `${interruptId} is ${status}: ${JSON.stringify(payload)}`) };
  }
  if (last?.role === 'tool') return { events: text(`m${n}`, `You said ${last.content}`, last.error ? ` (${last.error})` : '') };
  switch (word) {
    case 'text': return { events: text(`m${n}`, 'Hel', 'lo ', 'wörld ☃') };
    case 'tool': return { events: [
      ...text(`m${n}`, 'Let me look. '),
      ...call(`c${n}`, 'get_weather', '{"city":', '"Oslo"}'),
      { type: 'TOOL_CALL_RESULT', messageId: `t${n}`, toolCallId: `c${n}`, content: '{"celsius":7}', role: 'tool' },
      ...text(`m${n}b`, 'It is 7 degrees.')] };
    case 'parallel tools': return { events: [
      { type: 'TOOL_CALL_START', toolCallId: `a${n}`, toolCallName: 'first' },
      { type: 'TOOL_CALL_START', toolCallId: `b${n}`, toolCallName: 'second' },
      { type: 'TOOL_CALL_ARGS', toolCallId: `b${n}`, delta: '{"n":2}' },
      { type: 'TOOL_CALL_ARGS', toolCallId: `a${n}`, delta: '{"n":1}' },
      { type: 'TOOL_CALL_END', toolCallId: `b${n}` },
      { type: 'TOOL_CALL_END', toolCallId: `a${n}` },
      { type: 'TOOL_CALL_RESULT', messageId: `tb${n}`, toolCallId: `b${n}`, content: 'two' },
      { type: 'TOOL_CALL_RESULT', messageId: `ta${n}`, toolCallId: `a${n}`, content: [{ type: 'text', text: 'o' }, { type: 'text', text: 'ne' }] }] };
    case 'chunks': return { events: [
      { type: 'TEXT_MESSAGE_CHUNK', messageId: `m${n}`, role: 'assistant', delta: 'In ' },
      { type: 'TEXT_MESSAGE_CHUNK', delta: 'chunks.' },
      { type: 'TOOL_CALL_CHUNK', toolCallId: `c${n}`, toolCallName: 'look', delta: '{"a"' },
      { type: 'TOOL_CALL_CHUNK', delta: ':1}' },
      { type: 'REASONING_MESSAGE_CHUNK', messageId: `q${n}`, delta: 'hm' }] };
    case 'reasoning': return { events: [
      { type: 'REASONING_START', messageId: `q${n}` },
      { type: 'REASONING_MESSAGE_START', messageId: `q${n}`, role: 'reasoning' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId: `q${n}`, delta: 'secret thoughts' },
      { type: 'REASONING_MESSAGE_END', messageId: `q${n}` },
      { type: 'REASONING_END', messageId: `q${n}` },
      ...text(`m${n}`, 'The answer.')] };
    case 'state': return { events: [
      { type: 'STATE_SNAPSHOT', snapshot: { ...input.state, count: 1, list: [] } },
      { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/count', value: 2 }, { op: 'add', path: '/list/-', value: 'x' }] }] };
    case 'snapshot': return { events: [{ type: 'MESSAGES_SNAPSHOT', messages: [...input.messages,
      { id: `m${n}`, role: 'assistant', content: 'Only here.', toolCalls: [{ id: `c${n}`, type: 'function', function: { name: 'look', arguments: '{"a":1}' } }] },
      { id: `t${n}`, role: 'tool', toolCallId: `c${n}`, content: '{"found":true}' }] }] };
    case 'steps': return { events: [
      { type: 'STEP_STARTED', stepName: 'plan' }, { type: 'STEP_FINISHED', stepName: 'plan' },
      { type: 'CUSTOM', name: 'mood', value: 'fine' }, { type: 'RAW', event: { x: 1 } },
      { type: 'ACTIVITY_SNAPSHOT', messageId: `p${n}`, activityType: 'PLAN', content: { steps: [] } },
      { type: 'ACTIVITY_DELTA', messageId: `p${n}`, activityType: 'PLAN', patch: [{ op: 'add', path: '/steps/-', value: 'a' }] },
      ...text(`m${n}`, 'Done.')] };
    case 'usage': return { events: text(`m${n}`, 'Counted.'), finish: { usage: [{ model: 'm', inputTokens: 11, outputTokens: 4, totalTokens: 15 }] } };
    case 'subagent': return { events: [
      { type: 'SUBAGENT_STARTED', subagentRunId: 's1', name: 'helper' },
      ...text(`m${n}`, 'From below.').map((event) => ({ ...event, subagentRunId: 's1' })),
      { type: 'SUBAGENT_FINISHED', subagentRunId: 's1' }] };
    case 'client tool': return { events: call(`c${n}`, 'confirm', '{"total":', '12.5}'), finish: { outcome: { type: 'success', pendingToolCallIds: [`c${n}`] } } };
    case 'interrupt': return { events: text(`m${n}`, 'Wait.'), finish: { outcome: { type: 'interrupt', interrupts: [{ id: 'i1', reason: 'confirmation', message: 'Go on?' }] } } };
    case 'cancelled': return { events: text(`m${n}`, 'Half an ans'), finish: { outcome: { type: 'cancelled' } } };
    case 'error': return { events: [{ type: 'TEXT_MESSAGE_START', messageId: `m${n}` }, { type: 'TEXT_MESSAGE_CONTENT', messageId: `m${n}`, delta: 'Half' }], error: { message: 'The model is gone', code: 'E_MODEL' } };
    case 'history': return { events: text(`m${n}`, input.messages.map(({ role, content, toolCalls }) => `${role}:${content ?? ''}${toolCalls ? `[${toolCalls.map((one) => one.function.name)}]` : ''}`).join(' ')) };
    default: return { events: text(`m${n}`, `I know no ${JSON.stringify(word)}`) };
  }
}

http.createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const parsed = RunAgentInputSchema.safeParse(JSON.parse(body || 'null'));
  if (!parsed.success) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: parsed.error.message }));
    return;
  }
  const input = parsed.data;
  const encoder = new EventEncoder({ accept: request.headers.accept });
  const { events, finish, error } = answer(input);
  response.writeHead(200, { 'content-type': encoder.getContentType() });
  const ids = { threadId: input.threadId, runId: input.runId };
  for (const event of [{ type: 'RUN_STARTED', ...ids, input }, ...events, error ? { type: 'RUN_ERROR', ...error } : { type: 'RUN_FINISHED', ...ids, ...finish }])
    response.write(encoder.encodeBinary(EventSchemas.parse(event)));
  response.end();
}).listen(0, '127.0.0.1', function () {
  console.log(`listening on http://127.0.0.1:${this.address().port}`);
});

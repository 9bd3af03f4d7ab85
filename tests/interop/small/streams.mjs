// Well-formed answers, one per part of the protocol. The mutations of differential.mjs start from these.
const started = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const finished = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };
const run = (...events) => [started, ...events, finished];
const text = (id, words, more = {}) => [
  { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant', ...more },
  ...words.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta, ...more })),
  { type: 'TEXT_MESSAGE_END', messageId: id, ...more },
];
const tool = (id, name, args, more = {}) => [
  { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, ...more },
  { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: args, ...more },
  { type: 'TOOL_CALL_END', toolCallId: id, ...more },
];
const result = (id, content, more = {}) => ({ type: 'TOOL_CALL_RESULT', messageId: `res-${id}`, toolCallId: id, content, role: 'tool', ...more });
const tagged = { subagentRunId: 's1' };

export const streams = {
  text: run(...text('m1', ['Hel', 'lo'])),
  textNamed: [
    { ...started, parentRunId: 'r0', protocolVersion: '1.0', timestamp: 1700000000000, rawEvent: { a: 1 }, metadata: { k: 'v' } },
    { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'developer', name: 'bob', metadata: { k: 1 }, timestamp: 5 },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'x', metadata: { k: null }, rawEvent: null },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { ...finished, result: { done: true }, outcome: { type: 'success' },
      usage: [{ provider: 'p', model: 'm', inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 0, cachedInputTokens: 0 }] },
  ],
  textTwo: run(
    { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm2' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'a' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm2', delta: 'b' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm2' },
    ...text('m1', ['again'])),
  textChunk: run(
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm1', role: 'assistant', name: 'bob', delta: 'Hel' },
    { type: 'TEXT_MESSAGE_CHUNK', delta: 'lo' },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm1', delta: '!' },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm2', delta: 'next' }),
  tool: run(
    ...text('m1', ['Let me see']),
    { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'look', parentMessageId: 'm1' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"a":' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '1}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c1' },
    result('c1', '{"ok":true}'),
    ...text('m2', ['Done'])),
  toolParts: run(...tool('c1', 'look', '{}'),
    result('c1', [{ type: 'text', text: 'a' }, { type: 'image', source: { type: 'url', value: 'http://x/y.png', mimeType: 'image/png' } },
      { type: 'document', source: { type: 'data', value: 'QQ==', mimeType: 'text/plain' }, metadata: { n: 1 } }])),
  toolParallel: run(
    { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'a' },
    { type: 'TOOL_CALL_START', toolCallId: 'c2', toolCallName: 'b', parentMessageId: null },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c2', delta: '{}' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c1' },
    { type: 'TOOL_CALL_END', toolCallId: 'c2' },
    result('c2', 'two'), result('c1', 'one')),
  toolChunk: run(
    { type: 'TOOL_CALL_CHUNK', toolCallId: 'c1', toolCallName: 'look', parentMessageId: 'm0', delta: '{"a"' },
    { type: 'TOOL_CALL_CHUNK', delta: ':1}' },
    { type: 'TOOL_CALL_CHUNK', toolCallId: 'c1', delta: '' },
    { type: 'TOOL_CALL_CHUNK', toolCallId: 'c2', toolCallName: 'touch' },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm1', delta: 'then text' }),
  toolPending: [started, ...tool('c1', 'ask', '{}'), { ...finished, outcome: { type: 'success', pendingToolCallIds: ['c1'] } }],
  state: run(
    { type: 'STATE_SNAPSHOT', snapshot: { count: 0, list: [] } },
    { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/count', value: 1 }, { op: 'add', path: '/list/-', value: null }] },
    { type: 'STATE_DELTA', delta: [{ op: 'test', path: '/count', value: 1 }, { op: 'copy', from: '/count', path: '/twin' },
      { op: 'move', from: '/twin', path: '/twin2' }, { op: 'remove', path: '/twin2' }] },
    { type: 'STATE_SNAPSHOT', snapshot: null }),
  messages: run({ type: 'MESSAGES_SNAPSHOT', messages: [
    { id: 'u1', role: 'user', content: 'hi', name: 'ann', metadata: { a: 1 } },
    { id: 'u2', role: 'user', content: [{ type: 'text', text: 'x', id: 'p1' }, { type: 'image', source: { type: 'data', value: 'QQ==', mimeType: 'image/png' } },
      { type: 'audio', source: { type: 'url', value: 'http://x' } }, { type: 'video', source: { type: 'file', value: 'f1', provider: 'z', mimeType: 'video/mp4' } }] },
    { id: 's1', role: 'system', content: 'be kind' },
    { id: 'd1', role: 'developer', content: 'be quick', encryptedValue: 'e' },
    { id: 'a1', role: 'assistant', content: 'hello', toolCalls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' }, encryptedValue: 'e', metadata: { q: 1 } }] },
    { id: 'x1', role: 'tool', toolCallId: 'c1', content: '1', error: 'no' },
    { id: 'x2', role: 'activity', activityType: 'PLAN', content: { steps: [] } },
    { id: 'x3', role: 'reasoning', content: 'hm' },
    { id: 'a2', role: 'assistant' },
  ] }),
  activity: run(
    { type: 'ACTIVITY_SNAPSHOT', messageId: 'p1', activityType: 'PLAN', content: { steps: ['a'] }, replace: true },
    { type: 'ACTIVITY_DELTA', messageId: 'p1', activityType: 'PLAN', patch: [{ op: 'add', path: '/steps/-', value: 'b' }] },
    { type: 'ACTIVITY_SNAPSHOT', messageId: 'p1', activityType: 'PLAN', content: {}, replace: false }),
  reasoning: run(
    { type: 'REASONING_START', messageId: 'q1' },
    { type: 'REASONING_MESSAGE_START', messageId: 'q1', role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'q1', delta: 'hm' },
    { type: 'REASONING_MESSAGE_END', messageId: 'q1' },
    { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'q1', encryptedValue: 'abc' },
    { type: 'REASONING_END', messageId: 'q1' },
    ...text('m1', ['so'])),
  reasoningChunk: run(
    { type: 'REASONING_MESSAGE_CHUNK', messageId: 'q1', delta: 'h' },
    { type: 'REASONING_MESSAGE_CHUNK', delta: 'm' },
    { type: 'REASONING_MESSAGE_CHUNK', messageId: 'q2', delta: 'm' },
    ...text('m1', ['so'])),
  thinking: run(
    { type: 'THINKING_START', title: 'T' },
    { type: 'THINKING_TEXT_MESSAGE_START' },
    { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'hm' },
    { type: 'THINKING_TEXT_MESSAGE_END' },
    { type: 'THINKING_END' },
    ...text('m1', ['so'])),
  steps: run(
    { type: 'STEP_STARTED', stepName: 'plan' },
    { type: 'STEP_STARTED', stepName: 'act' },
    { type: 'STEP_FINISHED', stepName: 'plan' },
    ...text('m1', ['x']),
    { type: 'STEP_FINISHED', stepName: 'act' }),
  custom: run(
    { type: 'CUSTOM', name: 'mood', value: { a: [1, null] } },
    { type: 'CUSTOM', name: 'none', value: null },
    { type: 'RAW', event: { any: 'thing' }, source: 'x' },
    { type: 'RAW', event: null }),
  subagent: run(
    { type: 'TOOL_CALL_START', toolCallId: 'c0', toolCallName: 'delegate' },
    { type: 'TOOL_CALL_END', toolCallId: 'c0' },
    { type: 'SUBAGENT_STARTED', subagentRunId: 's1', name: 'helper', description: 'd', parentToolCallId: 'c0' },
    { type: 'SUBAGENT_STARTED', subagentRunId: 's2', name: 'deeper', parentSubagentRunId: 's1', parentMessageId: 'c0' },
    { type: 'STEP_STARTED', stepName: 'x', ...tagged },
    ...text('m1', ['sub'], tagged),
    ...tool('c1', 'sub_tool', '{}', { ...tagged, parentMessageId: undefined }),
    result('c1', 'ok', tagged),
    { type: 'REASONING_MESSAGE_CHUNK', messageId: 'q1', delta: 'h', subagentRunId: 's2' },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm2', delta: 'h', ...tagged },
    { type: 'TEXT_MESSAGE_CHUNK', delta: 'i', ...tagged },
    { type: 'SUBAGENT_ERROR', subagentRunId: 's2', message: 'bad', code: 'E' },
    { type: 'STEP_FINISHED', stepName: 'x', ...tagged },
    { type: 'SUBAGENT_FINISHED', subagentRunId: 's1', result: { r: 1 }, outcome: { type: 'success' } },
    result('c0', 'all done')),
  subagentSuspended: [
    started,
    { type: 'SUBAGENT_STARTED', subagentRunId: 's1', name: 'helper' },
    { type: 'SUBAGENT_FINISHED', subagentRunId: 's1', outcome: { type: 'suspended', interruptIds: ['i1'] } },
    { ...finished, outcome: { type: 'interrupt', interrupts: [{ id: 'i1', reason: 'input_required', subagentRunId: 's1' }] } },
  ],
  interrupt: [
    started,
    ...tool('c1', 'pay', '{}'),
    { type: 'STATE_SNAPSHOT', snapshot: {} },
    { ...finished, outcome: { type: 'interrupt', interrupts: [
      { id: 'i1', reason: 'tool_call', message: 'sure?', toolCallId: 'c1', responseSchema: { type: 'object' }, expiresAt: '2030-01-01T00:00:00Z', metadata: { a: 1 } },
      { id: 'i2', reason: 'confirmation' }] } },
  ],
  cancelled: [started, ...text('m1', ['half']), { ...finished, outcome: { type: 'cancelled' } }],
  nullOutcome: [started, { ...finished, outcome: null, result: null }],
  error: [started, { type: 'TEXT_MESSAGE_START', messageId: 'm1' }, { type: 'RUN_ERROR', message: 'boom', code: 'E1', usage: [{ inputTokens: 3 }] }],
  errorOnly: [{ type: 'RUN_ERROR', message: 'boom' }],
  lateError: [started, ...text('m1', ['x']), finished, { type: 'RUN_ERROR', message: 'late' }],
  twoRuns: [
    ...run(...text('m1', ['one'])),
    { type: 'RUN_STARTED', threadId: 't', runId: 'r2', input: {
      threadId: 't', runId: 'r2', parentRunId: 'r', state: { a: 1 }, messages: [{ id: 'u9', role: 'user', content: 'hi' }],
      tools: [{ name: 'ask', description: 'asks', parameters: { type: 'object' }, metadata: { x: 1 } }], context: [{ description: 'd', value: 'v' }],
      forwardedProps: { p: 1 }, resume: [{ interruptId: 'i1', status: 'resolved', payload: { ok: true } }, { interruptId: 'i2', status: 'cancelled' }], protocolVersion: '1.0' } },
    ...text('m2', ['two']),
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r2' },
  ],
  runAfterError: [started, { type: 'RUN_ERROR', message: 'x' }, started, ...text('m1', ['y']), finished],
  encrypted: run(...tool('c1', 'f', '{}'), { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'tool-call', entityId: 'c1', encryptedValue: 'z' }, result('c1', 'k')),
};

// What JSON cannot hold is left out.
for (const [name, events] of Object.entries(streams)) streams[name] = JSON.parse(JSON.stringify(events));

export const bytes = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

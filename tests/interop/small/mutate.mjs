// Mutations of event streams: every field of every event, and every event, one change at a time; and seeded pairs.
export function random(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const clone = (value) => JSON.parse(JSON.stringify(value));

// Every place below a value, as a path of keys.
function* places(value, path = []) {
  if (path.length) yield path;
  if (value && typeof value === 'object')
    for (const key of Object.keys(value)) yield* places(value[key], [...path, Array.isArray(value) ? Number(key) : key]);
}
const at = (root, path) => path.reduce((value, key) => value[key], root);

const wrong = {
  string: [['number', 7], ['object', { x: 1 }], ['list', ['x']], ['empty', ''], ['other word', 'zzz']],
  number: [['text', '7'], ['fraction', 1.5], ['negative', -1], ['huge', 1e300], ['object', {}]],
  boolean: [['text', 'yes'], ['number', 1]],
  object: [['text', 'x'], ['list', []], ['empty object', {}], ['number', 3]],
  list: [['text', 'x'], ['object', {}], ['empty list', []], ['number', 3]],
  null: [['text', 'x'], ['number', 3], ['object', {}]],
};
const kind = (value) => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);

// All single mutations: [{name, apply(events)}].
export function mutations(events) {
  const out = [];
  const add = (name, apply) => out.push({ name, apply });
  events.forEach((event, i) => {
    const label = `${i} ${event.type}`;
    for (const path of places(event)) {
      const where = `${label}.${path.join('.')}`;
      const parent = path.slice(0, -1);
      const key = path.at(-1);
      const set = (value) => (copy) => { if (copy[i]) { const p = safe(copy[i], parent); if (p) p[key] = clone(value); } };
      add(`${where}: left out`, (copy) => {
        const p = copy[i] && safe(copy[i], parent);
        if (Array.isArray(p)) p.splice(key, 1); else if (p) delete p[key];
      });
      const value = at(event, path);
      if (value !== null) add(`${where}: null`, set(null));
      for (const [word, other] of wrong[kind(value)]) add(`${where}: ${word}`, set(other));
      if (kind(value) === 'object') add(`${where}: unknown field`, (copy) => { const p = copy[i] && safe(copy[i], path); if (p && typeof p === 'object') p.zzz = 1; });
      if (kind(value) === 'list' && value.length) add(`${where}: item twice`, (copy) => { const p = copy[i] && safe(copy[i], path); if (Array.isArray(p)) p.push(clone(p[0])); });
    }
    for (const [key, value] of [['zzz', 1], ['thread_id', 'x'], ['subagentRunId', 's1'], ['subagentRunId', 'zz'], ['subagentRunId', ''], ['subagentRunId', null],
      ['metadata', null], ['timestamp', 1.5], ['timestamp', null], ['rawEvent', null], ['usage', []], ['encryptedValueType', 'a'], ['outcome', { type: 'new' }], ['toString', 1]])
      add(`${label}: with ${key}=${JSON.stringify(value)}`, (copy) => { if (copy[i]) copy[i][key] = value; });
    add(`${label}: removed`, (copy) => copy.splice(i, 1));
    add(`${label}: twice`, (copy) => { if (copy[i]) copy.splice(i, 0, clone(copy[i])); });
    add(`${label}: moved to the end`, (copy) => { const [gone] = copy.splice(i, 1); if (gone) copy.push(gone); });
    add(`${label}: moved to the front`, (copy) => { const [gone] = copy.splice(i, 1); if (gone) copy.unshift(gone); });
    if (i + 1 < events.length) add(`${label}: swapped with the next`, (copy) => { if (copy[i + 1]) [copy[i], copy[i + 1]] = [copy[i + 1], copy[i]]; });
    for (const type of ['RAW', 'CUSTOM', 'STATE_SNAPSHOT', 'ACTIVITY_SNAPSHOT', 'TEXT_MESSAGE_CHUNK', 'TOOL_CALL_CHUNK', 'REASONING_MESSAGE_CHUNK', 'RUN_STARTED', 'RUN_FINISHED', 'RUN_ERROR',
      'MESSAGES_SNAPSHOT', 'STEP_STARTED', 'SUBAGENT_STARTED', 'REASONING_ENCRYPTED_VALUE', 'TOOL_CALL_RESULT', 'NEW'])
      add(`${label}: ${type} before`, (copy) => copy.splice(i, 0, clone(inserted[type])));
  });
  return out;
}

const inserted = {
  RAW: { type: 'RAW', event: {} },
  CUSTOM: { type: 'CUSTOM', name: 'n', value: 1 },
  STATE_SNAPSHOT: { type: 'STATE_SNAPSHOT', snapshot: {} },
  ACTIVITY_SNAPSHOT: { type: 'ACTIVITY_SNAPSHOT', messageId: 'act', activityType: 'A', content: {} },
  TEXT_MESSAGE_CHUNK: { type: 'TEXT_MESSAGE_CHUNK', delta: 'x' },
  TOOL_CALL_CHUNK: { type: 'TOOL_CALL_CHUNK', delta: 'x' },
  REASONING_MESSAGE_CHUNK: { type: 'REASONING_MESSAGE_CHUNK', delta: 'x' },
  RUN_STARTED: { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
  RUN_FINISHED: { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  RUN_ERROR: { type: 'RUN_ERROR', message: 'x' },
  MESSAGES_SNAPSHOT: { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'm1', role: 'assistant', content: 'x', subagentRunId: 's1' }, { id: 'mx', role: 'assistant', toolCalls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] }] },
  STEP_STARTED: { type: 'STEP_STARTED', stepName: 'x' },
  SUBAGENT_STARTED: { type: 'SUBAGENT_STARTED', subagentRunId: 's1', name: 'n' },
  REASONING_ENCRYPTED_VALUE: { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'm1', encryptedValue: 'v', subagentRunId: 's1' },
  TOOL_CALL_RESULT: { type: 'TOOL_CALL_RESULT', messageId: 'm1', toolCallId: 'c1', content: 'x' },
  NEW: { type: 'NEW_EVENT', x: 1 },
};

function safe(root, path) {
  let value = root;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !(key in value)) return null;
    value = value[key];
  }
  return value && typeof value === 'object' ? value : null;
}

export function mutate(events, ...list) {
  const copy = clone(events);
  for (const mutation of list) mutation.apply(copy);
  return copy;
}

// The official client against `assay serve`: every conversation of the scenarios and the examples, once by the client
// and once by assay. Text, tool calls and state must be the same.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { parse } from 'yaml';
import { HttpAgent } from '@ag-ui/client';
import { print } from './client.mjs';
import { serve } from './serving.mjs';

const root = process.env.REPO;
const binary = process.env.ASSAY;
// A connection that is cut makes the client (1.0.0) throw once more, past every handler.
process.on('unhandledRejection', () => {});

// What is no well-formed conversation, or none that two clients can hold with the same outcome. Reasons by name.
const left_out = JSON.parse(fs.readFileSync(new URL('serve.json', import.meta.url)));

const projects = fs.readdirSync(path.join(root, 'tests/scenarios')).sort()
  .filter((name) => fs.existsSync(path.join(root, 'tests/scenarios', name, 'agent.yaml')))
  .map((name) => ({ name, folder: path.join(root, 'tests/scenarios', name), agents: 'agent.yaml' }));
projects.push({ name: 'examples', folder: path.join(root, 'examples'), agents: 'agents.yaml' });

function* testFiles(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* testFiles(full);
    else if (/\.test\.ya?ml$/.test(entry.name)) yield full;
  }
}

// The same turns as the official client takes them: it answers interrupts, and its own tools with what the test says.
async function byClient(url, { turns, tools = [] }) {
  const agent = new HttpAgent({ url });
  setTimeout(() => agent.abortRun(), 20000).unref();
  const offered = tools.map(({ name, description = '', parameters }) => ({ name, description, parameters }));
  const out = [];
  for (const { user, resume } of turns) {
    if (user !== undefined) agent.addMessage({ id: `u${out.length}`, role: 'user', content: user });
    const before = new Set(agent.messages.map(({ id }) => id));
    let answers = resume === undefined ? undefined : answersTo(agent.pendingInterrupts.map(({ id }) => id), resume);
    for (let round = 1; round <= 25; ++round) {
      await agent.runAgent({ tools: offered, ...(answers && { resume: answers }) });
      answers = undefined;
      const open = agent.messages.flatMap(({ toolCalls = [] }) => toolCalls)
        .filter(({ id, function: { name } }) => tools.some((tool) => tool.name === name) && !agent.messages.some(({ toolCallId }) => toolCallId === id));
      if (!open.length || round === 25) break; // assay does not answer what it will not send either
      for (const { id, function: { name } } of open) {
        const { returns } = tools.find((tool) => tool.name === name);
        agent.addMessage({ id: `answer-${id}`, role: 'tool', toolCallId: id, content: typeof returns === 'string' ? returns : JSON.stringify(returns) });
      }
    }
    const fresh = agent.messages.filter(({ id }) => !before.has(id));
    out.push({
      text: fresh.filter(({ role, content }) => role === 'assistant' && content).map(({ content }) => content).join('\n'),
      calls: fresh.flatMap(({ toolCalls = [] }) => toolCalls).map(({ id, function: { name, arguments: args } }) => ({
        name, arguments: args, result: textOf(agent.messages.find(({ toolCallId }) => toolCallId === id)?.content),
      })),
      state: agent.state,
    });
  }
  return out;
}

// `resume` of a turn, as docs/guide/interrupts.md has it: one answer for the only interrupt, or one by each id.
function answersTo(ids, resume) {
  if (!ids.length) throw new LeftOut('its interrupts are told by CUSTOM on_interrupt, which the client leaves to the application');
  const entry = (interruptId, value) => {
    if (value === 'cancelled') return { interruptId, status: 'cancelled' };
    if (['resolved', 'cancelled'].includes(value?.status)) return { interruptId, ...value };
    return { interruptId, status: 'resolved', ...(value !== null && { payload: value }) };
  };
  const byId = resume && typeof resume === 'object' && Object.keys(resume).every((key) => ids.includes(key));
  return ids.map((id) => entry(id, byId ? resume[id] : resume));
}

// Why a test cannot be held by both, if so.
class LeftOut extends Error {}
const plainTool = ['name', 'description', 'parameters', 'returns', 'delay_ms'];
function unfit({ turns, tools = [] }, target) {
  if (turns.some(({ type }) => type)) return 'it connects to a thread';
  if (tools.some((tool) => tool.returns === undefined || Object.keys(tool).some((key) => !plainTool.includes(key))))
    return 'its client-side tools are more than a fixed answer';
  if (target?.agentId) return 'it speaks to a CopilotKit runtime';
  return '';
}

// The client rejects what is not AG-UI. So must assay, in its own way: by an error of the judge, or by the outcome.
const objects = ({ outcome, violations }) => !['success', 'interrupt'].includes(outcome) ||
  violations.some(({ rule, severity }) => severity === 'error' || rule === 'crlf-framing');

const textOf = (content) => (Array.isArray(content) ? content.map(({ text = '' }) => text).join('') : content ?? null);
// Variables are not what is compared: both say them as they are written.
const plain = (test) => JSON.parse(JSON.stringify(test).replaceAll('${', () => '$${'));
const json = (text) => { try { return JSON.parse(text); } catch { return text; } };
const sorted = (value) => (value && typeof value === 'object' && !Array.isArray(value)
  ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
  : Array.isArray(value) ? value.map(sorted) : value);
const shown = (turns) => JSON.stringify(sorted(turns));

async function play({ name, folder, agents }) {
  if (left_out[name]) return print(`left out ${name}: ${left_out[name]}`);
  const server = await serve(folder, agents);
  const file = fs.readdirSync(folder).find((one) => /config\.ya?ml$|^other\.yaml$/.test(one));
  const config = file ? parse(fs.readFileSync(path.join(folder, file), 'utf8')) : {};
  for (const test of testFiles(folder)) {
    const label = `serve ${name}/${path.relative(folder, test)}`;
    if (left_out[label.slice(6)]) {
      print(`left out ${label.slice(6)}: ${left_out[label.slice(6)]}`);
      continue;
    }
    print(await compare(server.url, folder, agents, label, test, config).catch((error) => `FAIL ${label}\n  ${error.message}`));
  }
  server.stop();
}
await Promise.all([1, 2, 3, 4].map(async () => {
  while (projects.length) await play(projects.shift());
}));

async function compare(url, folder, agents, label, file, config) {
  const test = parse(fs.readFileSync(file, 'utf8'));
  const target = config.agents?.[test.agent] ?? config.target;
  const known = parse(fs.readFileSync(path.join(folder, agents), 'utf8')).agents;
  const named = target?.endpoint?.match(/([^/]+)$/)[1];
  const agent = named in known ? named : Object.keys(known)[0];
  if (unfit(test, target)) return `left out ${label}: ${unfit(test, target)}`;
  const endpoint = `${url}/agents/${agent}`;
  const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-interop-'));
  try {
    // The same turns without the checks: a failed one would end the test.
    fs.writeFileSync(path.join(temp, 'assay.config.yaml'), JSON.stringify({ target: { endpoint } }));
    fs.writeFileSync(path.join(temp, 'x.test.yaml'), JSON.stringify(plain({ name: 'x', timeout: '20s', tools: test.tools?.map(({ delay_ms, ...tool }) => tool), turns: test.turns.map(({ user, resume }) => ({ user, resume })) })));
    const child = spawn(binary, ['run', '-q', '-o', 'out.json'], { cwd: temp, stdio: ['ignore', 'ignore', 'inherit'] });
    await new Promise((done) => child.on('close', done));
    const report = JSON.parse(fs.readFileSync(path.join(temp, 'out.json')));
    const result = report.results[0];
    const ours = result.turns.map(({ text, tool_calls, state }) => ({
      text, state: state ?? {},
      calls: tool_calls.map(({ name, arguments: args, arguments_text, result }) => ({ name, arguments: arguments_text ?? args, result })),
    }));
    let theirs;
    try {
      // A turn that assay refused to begin is nobody's.
      theirs = (await byClient(endpoint, { ...test, turns: test.turns.slice(0, ours.length) })).map(({ text, calls, state }) => ({
        text, state, calls: calls.map(({ name, arguments: args, result }) => ({ name, arguments: json(args || '{}'), result: result === null ? null : json(result) })),
      }));
    } catch (error) {
      if (error instanceof LeftOut) return `left out ${label}: ${error.message}`;
      if (result.turns.some(objects)) return `ok ${label}: neither takes it`;
      throw error;
    }
    return shown(ours) === shown(theirs) ? `ok ${label}` : `FAIL ${label}\n  assay:  ${shown(ours)}\n  client: ${shown(theirs)}`;
  } catch (error) {
    return `FAIL ${label}\n  ${error.message.slice(0, 500)}`;
  } finally {
    fs.rmSync(temp, { recursive: true });
  }
}

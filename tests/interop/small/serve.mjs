// The official client against `assay serve`: every conversation of the scenarios and the examples, once by the client
// and once by assay. Text, tool calls and state must be the same.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { parse } from 'yaml';
import { HttpAgent } from '@ag-ui/client';
import { print } from './client.mjs';

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

async function serve(folder, file) {
  const child = spawn(binary, ['serve', file, '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((done, fail) => {
    let said = '';
    child.stdout.on('data', (part) => {
      said += part;
      const found = said.match(/listening on (http:\/\/127\.0\.0\.1:\d+)/);
      if (found) done(found[1]);
    });
    child.on('exit', () => fail(new Error(`assay serve ended: ${said}`)));
  });
  return { url, stop: () => child.removeAllListeners().kill() };
}

// One user message after the other, as the official client sends them.
async function byClient(url, users, tools) {
  const agent = new HttpAgent({ url });
  setTimeout(() => agent.abortRun(), 20000).unref();
  const turns = [];
  for (const user of users) {
    const from = agent.messages.length;
    agent.addMessage({ id: `u${turns.length}`, role: 'user', content: user });
    const before = new Set(agent.messages.map(({ id }) => id));
    await agent.runAgent({ tools });
    const fresh = agent.messages.slice(from).filter(({ id }) => !before.has(id));
    turns.push({
      text: fresh.filter(({ role, content }) => role === 'assistant' && content).map(({ content }) => content).join('\n'),
      calls: fresh.flatMap(({ toolCalls = [] }) => toolCalls).map(({ id, function: { name, arguments: args } }) => ({
        name, arguments: args, result: agent.messages.find(({ toolCallId }) => toolCallId === id)?.content ?? null,
      })),
      state: agent.state,
    });
  }
  return turns;
}

// Variables are not what is compared: both say them as they are written.
const plain = (user) => JSON.parse(JSON.stringify(user).replaceAll('${', () => '$${'));
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
  const users = test.turns.map(({ user }) => user);
  const endpoint = `${url}/agents/${agent}`;
  const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-interop-'));
  try {
    // The same turns without the checks: a failed one would end the test.
    fs.writeFileSync(path.join(temp, 'assay.config.yaml'), JSON.stringify({ target: { endpoint } }));
    fs.writeFileSync(path.join(temp, 'x.test.yaml'), JSON.stringify({ name: 'x', turns: users.map((user) => ({ user: plain(user) })) }));
    const child = spawn(binary, ['run', '-q', '-o', 'out.json'], { cwd: temp, stdio: ['ignore', 'ignore', 'inherit'] });
    await new Promise((done) => child.on('close', done));
    const report = JSON.parse(fs.readFileSync(path.join(temp, 'out.json')));
    const ours = report.results[0].turns.map(({ text, tool_calls, state }) => ({
      text, state: state ?? {},
      calls: tool_calls.map(({ name, arguments: args, arguments_text, result }) => ({ name, arguments: arguments_text ?? args, result })),
    }));
    const theirs = (await byClient(endpoint, users)).map(({ text, calls, state }) => ({
      text, state, calls: calls.map(({ name, arguments: args, result }) => ({ name, arguments: json(args || '{}'), result: result === null ? null : json(result) })),
    }));
    return shown(ours) === shown(theirs) ? `ok ${label}` : `FAIL ${label}\n  assay:  ${shown(ours)}\n  client: ${shown(theirs)}`;
  } catch (error) {
    return `FAIL ${label}\n  ${error.message.slice(0, 500)}`;
  } finally {
    fs.rmSync(temp, { recursive: true });
  }
}

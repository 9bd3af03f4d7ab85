// assay as a judge of many streams: a project with one test per stream, run once against a server that plays the bytes.
import http from 'node:http';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';

const binary = process.env.ASSAY;

// cases: [{body, type?, tools?}]. In a body "t" and "r" as threadId and runId stand for the requested ones.
// Answers a list of {violations, outcome, text, calls, state}, in the same order.
export async function judgeAll(cases, parallel = 8) {
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const input = JSON.parse(Buffer.concat(parts).toString());
      const { body, type } = cases[Number(request.url.slice(1))];
      response.writeHead(200, { 'content-type': type ?? 'text/event-stream' });
      response.end(withIds(body, input));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-interop-'));
  try {
    const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
    write('assay.config.yaml', `target:\n  endpoint: "http://127.0.0.1:${server.address().port}/\${N}"\n`);
    cases.forEach(({ tools }, index) =>
      write(`${String(index).padStart(6, '0')}.test.yaml`, JSON.stringify({
        name: String(index), vars: { N: index }, turns: [{ user: 'x' }],
        ...(tools && { tools: tools.map((name) => ({ name, description: name, parameters: { type: 'object' }, unanswered: true })) }),
      })));
    const child = spawn(binary, ['run', '--parallel', String(parallel), '-q', '-o', 'out.jsonl'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (part) => (errors += part));
    const code = await new Promise((done) => child.on('close', done));
    if (code !== 0 && code !== 1) throw new Error(`assay run: exit code ${code}\n${errors}`);
    const verdicts = new Array(cases.length);
    for (const line of fs.readFileSync(path.join(folder, 'out.jsonl'), 'utf8').split('\n')) {
      const record = line ? JSON.parse(line) : {};
      if (record.type !== 'result') continue;
      const turn = record.turns[0];
      verdicts[Number(record.name)] = { violations: turn.violations, outcome: turn.outcome, text: turn.text, calls: turn.tool_calls, state: turn.state };
    }
    return verdicts;
  } finally {
    fs.rmSync(folder, { recursive: true });
    server.close();
    server.closeAllConnections();
  }
}

export const withIds = (body, { threadId, runId }) =>
  body.replaceAll('"threadId":"t"', `"threadId":${JSON.stringify(threadId)}`).replaceAll('"runId":"r"', `"runId":${JSON.stringify(runId)}`);

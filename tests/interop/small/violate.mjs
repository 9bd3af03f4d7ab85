// `assay serve` breaks each rule on purpose (`violate: RULE`). The official client must say what rules.json says of the rule.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { judge, print } from './client.mjs';
import { serve } from './serving.mjs';

const rows = JSON.parse(fs.readFileSync(new URL('rules.json', import.meta.url)));
const rules = [...new Set(rows.map(({ rule }) => rule))];
const steps = [{ text: 'Hello.' }, { tool: { name: 'find', args: { what: 'shoes' }, result: { found: 3 } } }];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-interop-'));
fs.writeFileSync(path.join(folder, 'agents.yaml'), JSON.stringify({
  agents: Object.fromEntries(['none', ...rules].map((rule) => [rule, { rules: [{ steps, ...(rule !== 'none' && { violate: rule }) }] }])),
}));
const server = await serve(folder, 'agents.yaml');
const input = {
  threadId: 't', runId: 'r', messages: [{ id: 'u1', role: 'user', content: 'Hello' }], state: {}, context: [], forwardedProps: {},
  tools: [{ name: 'ask_user', description: 'Asks', parameters: { type: 'object' } }],
};
for (const rule of ['none', ...rules]) {
  const answer = await fetch(`${server.url}/agents/${rule}`, { method: 'POST', headers: { accept: 'text/event-stream', 'content-type': 'application/json' }, body: JSON.stringify(input) });
  const { rejects, warns } = await judge(await answer.text(), { type: answer.headers.get('content-type') });
  const said = rejects ? 'rejects' : warns.length ? 'warns' : 'no opinion';
  const { client } = rows.find((row) => row.rule === rule) ?? { client: 'no opinion' };
  const expected = client === 'no opinion' ? client : Object.keys(client)[0];
  print(said === expected ? `ok violate ${rule}` : `FAIL violate ${rule}\n  the client: ${said} ${rejects ?? warns.join(' | ')}, expected: ${expected}`);
}
server.stop();
fs.rmSync(folder, { recursive: true });

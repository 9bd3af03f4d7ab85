// Every rule of assay's judge, its smallest streams, and what the official client says to them: rules.json.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { judge, print } from './client.mjs';
import { judgeAll } from './assay.mjs';
import { bytes } from './streams.mjs';

const rows = JSON.parse(fs.readFileSync(new URL('rules.json', import.meta.url)));
for (const row of rows) row.body ??= bytes(row.events);
const verdicts = await judgeAll(rows);
const known = JSON.parse(spawnSync(process.env.ASSAY, ['conform', '--rules', '--json'], { encoding: 'utf8' }).stdout).map(({ rule }) => rule);

function clientDiffers({ client }, { rejects, warns }) {
  const said = rejects ? `rejects: ${rejects}` : warns.length ? `warns: ${warns.join(' | ')}` : 'no opinion';
  if (client === 'no opinion') return said === client ? '' : said;
  const [[verb, words]] = Object.entries(client);
  return said.startsWith(`${verb}: `) && said.includes(words) ? '' : said;
}

function assayDiffers({ rule, also = [] }, violations) {
  const found = [...new Set(violations.map((violation) => violation.rule))].sort().join(', ');
  return found === [rule, ...also].sort().join(', ') ? '' : found || 'nothing';
}

// `assay conform FILE`: the same verdict without a server. Ids cannot be asked for there, nor tools.
function conformDiffers(row, violations) {
  if (/run-id|thread-id|frontend|not-event-stream/.test(row.rule)) return '';
  const file = path.join(os.tmpdir(), `assay-interop-${process.pid}.sse`);
  fs.writeFileSync(file, row.body);
  const { stdout, stderr } = spawnSync(process.env.ASSAY, ['conform', file, '--json'], { encoding: 'utf8' });
  fs.rmSync(file);
  const names = (list) => list.map(({ rule, event }) => `${rule}@${event}`).join(' ');
  try {
    const said = names(JSON.parse(stdout).violations);
    return said === names(violations) ? '' : `${said || 'nothing'} instead of ${names(violations)}`;
  } catch {
    return stdout + stderr;
  }
}

for (const [index, row] of rows.entries()) {
  const name = `rule ${row.rule}${row.note ? ` (${row.note})` : ''} #${index}`;
  const client = clientDiffers(row, await judge(row.body, { type: row.type }));
  const assay = assayDiffers(row, verdicts[index].violations);
  const conform = conformDiffers(row, verdicts[index].violations);
  if (!client && !assay && !conform) print(`ok ${name}`);
  else print(`FAIL ${name}${client && `\n  the client: ${client}`}${assay && `\n  assay: ${assay}`}${conform && `\n  assay conform: ${conform}`}`);
}
const missing = known.filter((rule) => !rows.some((row) => row.rule === rule));
const unknown = rows.filter((row) => !known.includes(row.rule)).map((row) => row.rule);
print(missing.length || unknown.length ? `FAIL rules.json lacks ${missing.join(', ') || 'nothing'}, holds unknown ${unknown.join(', ') || 'nothing'}` : 'ok rules.json has every rule');

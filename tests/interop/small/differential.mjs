// Mutated streams, judged by the official client and by assay. "The client rejects" must be "assay has an error".
// Arguments: how many single mutations (0: all), how many pairs, seed.
import { streams, bytes } from './streams.mjs';
import { mutations, mutate, random } from './mutate.mjs';
import { judge, print } from './client.mjs';
import { judgeAll } from './assay.mjs';

const [singles, pairs, seed] = process.argv.slice(2).map(Number);

// The client has no opinion on these.
const silent = new Set(['truncated', 'empty-stream', 'run-id-mismatch', 'thread-id-mismatch', 'pending-mismatch', 'frontend-tool-answered', 'interrupt-dup-id', 'not-event-stream']);

// Where the two differ and both may: client 1.0.0 drops a member of a union whose discriminator is missing or of the
// wrong type as if it were of an unknown kind; assay calls it what it is. And it drops the title of THINKING_START unread.
const agreed = ({ rejects, warns }, errors) =>
  !rejects && errors.every(({ rule, message }) => rule === 'schema' &&
    (/THINKING_START.title/.test(message) || warns.some((text) => /Removed unrecognised material at '.*\/(outcome|\d+|source)'/.test(text))));

const all = Object.entries(streams).flatMap(([stream, events]) => mutations(events).map((mutation) => ({ stream, events, list: [mutation] })));
const pick = random(seed);
const draw = (list) => list[Math.floor(pick() * list.length)];
let cases = singles ? Array.from({ length: singles }, () => draw(all)) : all;
cases = cases.concat(Array.from({ length: pairs }, () => {
  const one = draw(all);
  return { ...one, list: [one.list[0], draw(mutations(one.events))] };
})).map(({ stream, events, list }) => ({
  name: `${stream}: ${list.map((mutation) => mutation.name).join(' and ')}`,
  body: bytes(mutate(events, ...list)),
}));

const verdicts = await judgeAll(cases);
const groups = new Map();
let differ = 0;
for (const [index, { name, body }] of cases.entries()) {
  const client = await judge(body);
  const errors = verdicts[index].violations.filter(({ rule, severity }) => severity === 'error' && !silent.has(rule));
  if (!!client.rejects === errors.length > 0 || agreed(client, errors)) continue;
  ++differ;
  const key = client.rejects ? `the client rejects: ${client.rejects.replace(/[0-9a-f-]{36}/g, 'ID').slice(0, 150)}` : `assay: ${errors[0].rule}: ${errors[0].message.slice(0, 120)}`;
  groups.set(key, [...(groups.get(key) ?? []), `${name}\n${body}`]);
}
const title = `differential: ${cases.length} mutated streams`;
if (differ === 0) print(`ok ${title}`);
else {
  print(`FAIL ${title}, ${differ} judged differently`);
  for (const [key, names] of [...groups].slice(0, 40)) print(`  ${names.length}x ${key}\n    ${names[0].trim().replaceAll('\n', '\n    ')}`);
}

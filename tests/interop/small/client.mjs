// The official client as a judge: bytes in, verdict out.
import { HttpAgent } from '@ag-ui/client';
import util from 'node:util';

const heard = [];
for (const level of ['warn', 'error', 'log', 'info', 'debug'])
  console[level] = (...words) => heard.push([level, util.format(...words)]);
export const print = (line) => process.stdout.write(line + '\n');

// {rejects: message | null, warns: [text…], messages, state}
export async function judge(body, { type = 'text/event-stream', status = 200, ids = { threadId: 't', runId: 'r' } } = {}) {
  heard.length = 0;
  const agent = new HttpAgent({
    url: 'http://nowhere.invalid/', threadId: ids.threadId,
    fetch: async () => new Response(body, { status, headers: { 'content-type': type } }),
  });
  let rejects = null;
  try {
    await agent.runAgent({ runId: ids.runId });
  } catch (error) {
    rejects = String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 300) || 'no message';
  }
  const warns = heard.filter(([level]) => level === 'warn').map(([, text]) => text.slice(0, 300));
  return { rejects, warns, messages: agent.messages, state: agent.state };
}

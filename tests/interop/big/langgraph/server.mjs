// A graph served by `langgraphjs dev`, and the AG-UI adapter for it: /shop tells interrupts by an event of its own
// (the default), /shop-outcome by the outcome of the run.
import http from 'node:http';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { EventEncoder } from '@ag-ui/encoder';
import { LangGraphAgent } from '@ag-ui/langgraph';
import { startModel } from './model.mjs';

const port = await new Promise((done) => {
  const probe = http.createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});
// In the process group of this server: who ends that, ends these.
const cli = spawn(process.execPath, [path.join(process.cwd(), 'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs'), 'dev', '--no-browser', '--host', '127.0.0.1', '--port', String(port)],
  { cwd: process.cwd(), stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, OPENAI_BASE_URL: await startModel(), LANGSMITH_TRACING: 'false', LANGGRAPH_CLI_NO_ANALYTICS: '1' } });
cli.on('exit', (code) => { console.error(`langgraphjs dev ended with ${code}`); process.exit(1); });

const deploymentUrl = `http://127.0.0.1:${port}`;
for (let n = 0; ; ++n) {
  const up = await fetch(`${deploymentUrl}/ok`).then(({ ok }) => ok, () => false);
  if (up) break;
  if (n > 600) throw new Error('langgraphjs dev does not answer');
  await new Promise((done) => setTimeout(done, 200));
}

// The first run waits for langgraphjs to read the types of the graph, half a minute: it is nobody's test.
await new Promise((done) => new LangGraphAgent({ deploymentUrl, graphId: 'shop' })
  .run({ threadId: randomUUID(), runId: 'warm-up', messages: [{ id: 'u', role: 'user', content: 'hello' }], state: {}, tools: [], context: [], forwardedProps: {} })
  .subscribe({ error: done, complete: done }));

http.createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const agent = new LangGraphAgent({ deploymentUrl, graphId: 'shop', emitInterruptOutcome: request.url === '/shop-outcome' });
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { 'content-type': encoder.getContentType() });
  // What the adapter emits goes out as it is; where its stream fails, the body just ends.
  agent.run(JSON.parse(body)).subscribe({
    next: (event) => response.write(encoder.encode(event)),
    error: (error) => { console.error(`the adapter failed: ${error.message}`); response.end(); },
    complete: () => response.end(),
  });
}).listen(0, '127.0.0.1', function () { console.log(`listening on http://127.0.0.1:${this.address().port}`); });

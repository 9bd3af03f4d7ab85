// `assay serve` as long as it is needed.
import { spawn } from 'node:child_process';

export async function serve(folder, file) {
  const child = spawn(process.env.ASSAY, ['serve', file, '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
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

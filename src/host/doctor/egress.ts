import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EgressOptions, EgressProxy } from '../../net/egress.js';
import type { Interpreter } from '../../sandbox/interpreter.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Check } from '../host.js';
import { tryInside } from './inside.js';
import { type Listener, lastLine, runs } from './sandbox.js';

/** Asks for two addresses, one granted and one not, and prints what came of each on a line. */
const asks = {
  python: `import sys,urllib.request
for url in sys.argv[1:]:
  try: print(urllib.request.urlopen(url,timeout=5).read().decode())
  except Exception as error: print("refused",getattr(error,"code",""))`,
  node: `const ask=async(url)=>{try{const answer=await fetch(url);return answer.ok?await answer.text():"refused "+answer.status}
catch{return "refused"}};
(async()=>{for(const url of process.argv.slice(1))process.stdout.write(await ask(url)+"\\n")})()`,
};

/**
 * From inside through relay and proxy to a server of our own, and nowhere else. That the server answers here is also
 * what makes it mean something that it cannot be reached without a grant.
 */
export async function checkEgress(
  sandbox: Sandbox,
  script: Interpreter,
  listener: Listener,
  openEgress: (options: EgressOptions) => Promise<EgressProxy>,
): Promise<Check> {
  const id = 'sandbox.egress';
  const fix = 'report what "toolwharf doctor --json" says';
  const granted = [{ host: '127.0.0.1', port: listener.port }];
  // A short path that the sandbox's user can pass and nobody can list.
  const folder = mkdtempSync('/tmp/toolwharf-doctor-');
  let proxy: EgressProxy | undefined;
  try {
    chmodSync(folder, 0o711);
    proxy = await openEgress({
      socket: join(folder, 's'),
      policy: {
        reach: { hosts: granted, granted },
        anyPublic: false,
        secret: false,
      },
    });
    const urls = [`http://127.0.0.1:${listener.port}/`, `http://127.0.0.2:${listener.port}/`];
    const { stdout, stderr } = await tryInside(sandbox, {
      argv: runs(script, asks, urls),
      mounts: script.mounts,
      egress: proxy.socket,
      limits: { memoryBytes: 2 * 1024 * 1024 * 1024 },
    });
    const [answer, other] = stdout.split('\n');
    const refused = proxy.takeRefusals().some((it) => it.host === '127.0.0.2');
    if (answer !== listener.greeting) {
      const message = `a granted host cannot be reached from inside: ${answer || lastLine(stderr)}`;
      return { id, status: 'fail', message, fix };
    }
    if (!refused || !other?.startsWith('refused'))
      return { id, status: 'fail', message: 'a host that was not granted is not refused', fix };
    return { id, status: 'ok', message: 'a granted host can be reached from inside, and no other' };
  } catch (error) {
    const message = `the way out for granted hosts cannot be opened: ${error instanceof Error ? error.message : error}`;
    return { id, status: 'fail', message, fix };
  } finally {
    await proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

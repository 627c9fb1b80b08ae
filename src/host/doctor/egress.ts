import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EgressOptions, EgressProxy } from '../../net/egress.js';
import type { Interpreter } from '../../sandbox/interpreter.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Check } from '../host.js';
import { runInSandbox } from './probe-command.js';
import { type Listener, lastLine, scriptArgv } from './sandbox.js';

/** Scripts that request each URL in their arguments and print the result of each on a line. */
const fetchScripts = {
  python: `import sys,urllib.request
for url in sys.argv[1:]:
  try: print(urllib.request.urlopen(url,timeout=5).read().decode())
  except Exception as error: print("refused",getattr(error,"code",""))`,
  node: `const ask=async(url)=>{try{const answer=await fetch(url);return answer.ok?await answer.text():"refused "+answer.status}
catch{return "refused"}};
(async()=>{for(const url of process.argv.slice(1))process.stdout.write(await ask(url)+"\\n")})()`,
};

/**
 * Checks that a sandboxed process reaches a granted server through relay and proxy, and no other. It also proves that
 * the server answers, which gives the check without a grant its meaning.
 */
export async function checkEgress(
  sandbox: Sandbox,
  script: Interpreter,
  listener: Listener,
  openEgress: (options: EgressOptions) => Promise<EgressProxy>,
): Promise<Check> {
  const id = 'sandbox.egress';
  const fix = 'report the output of "toolwharf doctor --json"';
  const granted = [{ host: '127.0.0.1', port: listener.port }];
  // A short path that the sandbox user can enter and nobody can list.
  const folder = mkdtempSync('/tmp/toolwharf-doctor-');
  let proxy: EgressProxy | undefined;
  try {
    chmodSync(folder, 0o711);
    proxy = await openEgress({
      socket: join(folder, 's'),
      policy: {
        reach: { hosts: granted, granted },
        anyPublic: false,
        holdsSecret: false,
      },
    });
    const urls = [`http://127.0.0.1:${listener.port}/`, `http://127.0.0.2:${listener.port}/`];
    const { stdout, stderr } = await runInSandbox(sandbox, {
      argv: scriptArgv(script, fetchScripts, urls),
      mounts: script.mounts,
      egress: proxy.socket,
      limits: { memoryBytes: 2 * 1024 * 1024 * 1024 },
    });
    const [grantedAnswer, otherAnswer] = stdout.split('\n');
    const denied = proxy.takeDenied().some((it) => it.host === '127.0.0.2');
    if (grantedAnswer !== listener.greeting) {
      const message = `a granted host cannot be reached from the sandbox: ${grantedAnswer || lastLine(stderr)}`;
      return { id, status: 'fail', message, fix };
    }
    if (!denied || !otherAnswer?.startsWith('refused'))
      return { id, status: 'fail', message: 'a host without a grant is not denied', fix };
    return { id, status: 'ok', message: 'the sandbox reaches a granted host and no other' };
  } catch (error) {
    const message = `the proxy for granted hosts cannot be started: ${error instanceof Error ? error.message : error}`;
    return { id, status: 'fail', message, fix };
  } finally {
    await proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

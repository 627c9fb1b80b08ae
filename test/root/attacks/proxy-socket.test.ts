// SECURITY.md: "Private paths are never mounted". Another user of the machine looks for the proxy of a running tool.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loopbackServer, until } from '../../support/toolwharf.js';
import { resultOf, talos, workbench } from '../../support/workbench.js';

function proxySockets(): string[] {
  const stages = readdirSync('/tmp').filter((it) => it.startsWith(`toolwharf-stage-${process.pid}-`));
  return stages.flatMap((stage) =>
    readdirSync(join('/tmp', stage))
      .filter((it) => it.startsWith('net-'))
      .flatMap((net) => readdirSync(join('/tmp', stage, net)).map((it) => join('/tmp', stage, net, it))),
  );
}

/** The exit code of a request through the proxy. 7: curl cannot connect. Not synchronous: this process is the proxy. */
function request(socket: string, ...as: string[]): Promise<number | null> {
  const curl = ['/usr/bin/curl', '-s', '--max-time', '2', '--unix-socket', socket, 'http://x/'];
  const [program = '', ...args] = [...as, ...curl];
  return new Promise((resolve) => spawn(program, args, { stdio: 'ignore' }).once('close', resolve));
}

test('another user cannot connect to the proxy of a process', async () => {
  const server = await loopbackServer((_request, response) => setTimeout(() => response.end('slow'), 1500));
  const bench = await workbench(
    talos({
      id: 'asks',
      code: 'export async function go({ text }) { return (await fetch(text)).text(); }',
      functions: ['go'],
    }),
    { warm: false },
  );
  try {
    const session = await bench.session({ allow: [`net:127.0.0.1:${server.port}`] });
    const given = { text: `http://127.0.0.1:${server.port}/` };
    const running = resultOf(session.call({ tool: 'asks/go', arguments: given }));
    await until(() => proxySockets().length > 0 && server.requests.length > 0);
    const [socket = ''] = proxySockets();
    const outsider = ['/usr/bin/setpriv', '--reuid', '65531', '--regid', '65531', '--clear-groups'];
    expect(await request(socket, ...outsider)).toBe(7);
    // Control: the user of the host gets an answer, which denies the request.
    expect(await request(socket)).toBe(0);
    expect(await running).toBe('slow');
  } finally {
    await server.close();
    await bench.close();
  }
});

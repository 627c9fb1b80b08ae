// What a host could expose by accident: descriptors, its terminal, other sandboxes.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect } from 'vitest';
import { until } from '../../../support/toolwharf.js';
import type { Check, Language, Place } from './attempt.js';
import { hostProgram } from './lifetimes.js';
import { argvOf, commandOf, finished, type Runner, textOf, unprivileged } from './run.js';

export function doorChecks(runner: () => Runner, place: () => Place, folder: () => string): Check[] {
  return [
    ...(['python', 'node', 'shell'] as const).map((language) => ({
      name: 'read a descriptor that the host inherited',
      language,
      run: () => inherited(runner(), place(), folder(), language),
    })),
    {
      name: "open the host's terminal",
      language: 'python',
      run: () => terminal(runner(), folder()),
    },
    ...neighbors.map(({ name, serve, access }) => ({
      name,
      language: 'python' as const,
      run: () => otherSandbox(runner(), serve, access),
    })),
  ];
}

/** A low number, where the sandbox has its own descriptors, and a high one. */
const numbers = [7, 40];

const readDescriptors: Record<Language, string> = {
  python: `import os\nfor n in range(3, 64):\n    try:\n        print(os.pread(n, 99, 0).decode())\n    except OSError:\n        pass`,
  node: `const fs = require("fs");\nfor (let n = 3; n < 64; n++) try { const b = Buffer.alloc(99); fs.readSync(n, b, 0, 99, 0); console.log(String(b)); } catch {}`,
  shell: 'for n in /proc/self/fd/*; do cat $n 2>/dev/null < /dev/null; done; true',
};

async function inherited(runner: Runner, place: Place, folder: string, language: Language): Promise<string> {
  const planted = numbers.map(() => openSync(place.secret, 'r'));
  const stdio: ('ignore' | 'pipe' | number)[] = Array.from(
    { length: Math.max(...numbers) + 1 },
    () => 'ignore',
  );
  stdio[1] = stdio[2] = 'pipe';
  numbers.forEach((number, index) => {
    stdio[number] = planted[index] as number;
  });
  const code = readDescriptors[language];
  const [file, ...args] = argvOf(language, code);
  const env = { PATH: '/usr/bin:/bin' };
  const plain = spawn(file as string, args, { ...unprivileged(runner.sandbox), cwd: '/', env, stdio });
  expect(await textOf(plain), 'control').toContain('REACHED');

  const program = await hostProgram(folder);
  const host = spawn(process.execPath, [program, JSON.stringify(commandOf(language, code))], { stdio, env });
  const text = await textOf(host);
  for (const it of planted) closeSync(it);
  expect(text).toContain('BEGAN');
  expect(text).not.toContain('REACHED');
  return 'unconfined';
}

/** Runs a command in a new terminal and prints everything that it writes to its streams or that terminal. */
const withTerminal = `
import os, pty, sys
child, screen = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
while True:
    try:
        part = os.read(screen, 4096)
    except OSError:
        break
    if not part:
        break
    text += part
sys.stdout.write(text.decode(errors="replace"))
`;

async function terminal(runner: Runner, folder: string): Promise<string> {
  const code = 'open("/dev/tty", "w").write("x")\nprint("REACHED")';
  const env = { PATH: '/usr/bin:/bin' };
  const wrapper = ['-I', '-c', withTerminal];
  const plain = spawn('/usr/bin/python3', [...wrapper, ...argvOf('python', code)], {
    ...unprivileged(runner.sandbox),
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(await textOf(plain), 'control').toContain('REACHED');
  const command = JSON.stringify(commandOf('python', code));
  const args = [...wrapper, process.execPath, await hostProgram(folder), command];
  const host = spawn('/usr/bin/python3', args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = await textOf(host);
  expect(text).toContain('BEGAN');
  expect(text).not.toContain('REACHED');
  return 'unconfined';
}

interface Neighbor {
  readonly name: string;
  /** Python that provides a resource and continues. */
  readonly serve: string;
  /** Python that accesses the resource. */
  readonly access: string;
}

const accept = `import threading
def answer():
    while True:
        client, _ = server.accept()
        client.sendall(b"REACHED")
        client.close()
threading.Thread(target=answer, daemon=True).start()
`;

const neighbors: readonly Neighbor[] = [
  {
    name: 'talk to another sandbox over TCP',
    serve: `import socket\nserver = socket.create_server(("127.0.0.1", 18080))\n${accept}`,
    access: 'import socket\nprint(socket.create_connection(("127.0.0.1", 18080), 2).recv(99).decode())',
  },
  {
    name: 'talk to another sandbox over an abstract socket',
    serve: `import socket\nserver = socket.socket(socket.AF_UNIX)\nserver.bind("\\0toolwharf-door")\nserver.listen()\n${accept}`,
    access:
      'import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect("\\0toolwharf-door")\nprint(s.recv(99).decode())',
  },
  {
    name: 'read the temporary files of another sandbox',
    serve: 'open("/tmp/note", "w").write("REACHED")\n',
    access: 'print(open("/tmp/note").read())',
  },
  {
    name: 'read the shared memory of another sandbox',
    serve: 'open("/dev/shm/note", "w").write("REACHED")\n',
    access: 'print(open("/dev/shm/note").read())',
  },
];

/** The control is the same access inside the sandbox that provides the resource. */
async function otherSandbox(runner: Runner, serve: string, access: string): Promise<string> {
  const waiting = 'import sys\nsys.stdout.flush()\nsys.stdin.read()';
  const provider = runner.sandbox.spawn(commandOf('python', `${serve}\n${access}\n${waiting}`));
  let text = '';
  for (const stream of [provider.stdout, provider.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  await until(() => text.includes('REACHED'));
  const other = await finished(runner.sandbox, commandOf('python', access));
  provider.kill();
  await provider.exited;
  expect(other.text).toContain('BEGAN');
  expect(other.text).not.toContain('REACHED');
  return 'from inside the other sandbox';
}

// The built command and helpers around it, for tests that use Toolwharf as users do.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const main = join(import.meta.dirname, '../../dist/main.cjs');

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  /** Leave standard input open. */
  readonly open?: boolean;
  readonly env?: Record<string, string>;
  /** Called with the process while it runs. */
  readonly during?: (child: ChildProcess) => void;
}

/** Runs the command and waits for its end. */
export function toolwharf(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: 'pipe',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    child.stdin.on('error', () => {});
    if (options.open !== true) child.stdin.end(options.stdin ?? '');
    options.during?.(child);
  });
}

/** Options for a command that says, like `knownEffects`, that undeclared effects are known to the operator. */
export function knownEffectsOptions(folder: string): readonly string[] {
  const file = join(folder, 'known-effects.toml');
  writeFileSync(file, '[taint]\nmode = "observe"\n\n[[rules]]\ntool = "*"\nundeclared_effect = "write"\n');
  return ['--config', file];
}

/** A temporary folder, readable by all users; `remove` deletes it. */
export function temporaryFolder(files: Record<string, string> = {}): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'toolwharf-test-'));
  chmodSync(path, 0o755);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface PatchOptions {
  readonly name: string;
  readonly humanConfirm?: boolean;
  /** The body of main(text), indented by four spaces. */
  readonly body?: string;
}

/** A Patch tool with one text input. */
export function patchTool({
  name,
  humanConfirm = false,
  body = '    return {"words": len(text.split())}',
}: PatchOptions): string {
  return `# ---
# name: ${name}
# version: "1.0.0"
# description: Do something with a text.
# inputs:
#   - name: text
#     type: string
#     description: The text.
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: ${humanConfirm}
# runtime:
#   language: python
# ---
import json
import sys


def main(text):
${body}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
`;
}

/** A FindAgent manifest with one tool that sends a request to a server on this machine. */
export function findagentTool(port: number): string {
  return JSON.stringify(
    {
      name: 'Order Desk',
      description: 'Looks up orders of the shop.',
      system_prompt: 'You answer questions about orders of the shop, using the lookup tool and nothing else.',
      kind: 'mcp-tool',
      tools: [
        {
          name: 'find_order',
          description: 'Find an order by its number.',
          input_schema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
          annotations: { readOnlyHint: true },
          action: { type: 'http', method: 'GET', url: `http://127.0.0.1:${port}/orders/{number}` },
        },
      ],
      example_prompts: ['Where is order 17?'],
    },
    null,
    2,
  );
}

export interface LoopbackServer {
  readonly port: number;
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

/** A server on 127.0.0.1 that keeps the requests it received. */
export async function loopbackServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LoopbackServer> {
  const requests: LoopbackServer['requests'] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Waits until the condition is true; fails after the given time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  milliseconds = 10_000,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the condition was never true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs the command in a new terminal, types when the expected text appears, and returns all that it showed. */
export function atTerminal(
  args: readonly string[],
  {
    after = '',
    type = '',
    later = [],
    columns = 80,
  }: {
    /** Width of the terminal. */
    readonly columns?: number;
    readonly after?: string;
    readonly type?: string;
    /** Further input; each part is typed when its `after` text appears after the previous input. */
    readonly later?: readonly { readonly after: string; readonly type: string }[];
  } = {},
): Promise<string> {
  const script = `
import fcntl, json, os, pty, struct, sys, termios
steps = [(it['after'].encode(), it['type'].encode()) for it in json.loads(sys.argv[1]) if it['type']]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[2]), 0, 0))
    os.execv(sys.argv[3], sys.argv[3:])
shown = b''
seen = 0
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if steps and steps[0][0] in shown[seen:]:
        os.write(terminal, steps.pop(0)[1])
        seen = len(shown)
os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
`;
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/python3', [
      ...['-c', script, JSON.stringify([{ after, type }, ...later]), String(columns)],
      ...[process.execPath, main, ...args],
    ]);
    let shown = '';
    child.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    child.once('error', reject);
    child.once('close', () => resolve(shown));
  });
}

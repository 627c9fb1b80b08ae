// `toolwharf serve` in a process of its own, and measurements of how fast it answers while something attacks it.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { main, temporaryFolder } from './toolwharf.js';
import type { Files } from './workbench.js';

export interface ServedHost {
  readonly port: number;
  /** Milliseconds that its main thread has used of a processor. Infinity where the kernel does not tell. */
  processorMs(): number;
  readonly agentToken: string;
  readonly operatorToken: string;
  /** What it printed to standard error. */
  errors(): string;
  /** Null while it runs. */
  exitCode(): number | null;
  close(): Promise<void>;
}

export async function serveHost(packages: Files): Promise<ServedHost> {
  const folder = temporaryFolder();
  const path = join(folder.path, 'tools');
  for (const [name, text] of Object.entries(packages)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  const args = [main, 'serve', path, '--json', '--port', '0', '--state', join(folder.path, 'state')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const over = new Promise((resolve) => child.once('close', resolve));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const first = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('\n')) resolve(printed.split('\n', 1)[0] as string);
    });
    over.then(() => reject(new Error(`serve ended: ${errors}`)));
  });
  const { mcp, token, agentToken } = JSON.parse(first) as { mcp: string; token: string; agentToken: string };
  return {
    port: Number(new URL(mcp).port),
    processorMs: () => processorMs(child.pid),
    agentToken,
    operatorToken: token,
    errors: () => errors,
    exitCode: () => child.exitCode,
    close: async () => {
      child.kill();
      await over;
      folder.remove();
    },
  };
}

function processorMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000_000;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** A server that does nothing else. While it is slow too, the machine is busy and not the host. */
export async function startIdleServer(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const code = `const server = require('node:http').createServer((request, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const over = new Promise((resolve) => child.once('close', resolve));
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(Number(chunk))),
  );
  return {
    port,
    close: async () => {
      child.kill();
      await over;
    },
  };
}

/** Milliseconds until `/health` answers, on a new connection. Rejects if it does not answer. */
export function healthTime(port: number): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port, path: '/health', agent: false, timeout: 30_000 },
      (response) => {
        response.resume();
        response.once('end', () => resolve(performance.now() - began));
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('no answer within 30 s')));
    sent.once('error', reject);
    sent.end();
  });
}

export interface BodyFlood {
  readonly port: number;
  readonly token: string;
  readonly path: string;
  /** The body is made of this, repeated, in the thread of the flood. */
  readonly body: {
    readonly head: string;
    readonly unit: string;
    readonly times: number;
    readonly tail: string;
  };
  /** Bodies that are sent at the same time. */
  readonly together: number;
  /** Between two rounds. */
  readonly pauseMs: number;
  /** At least this many are sent, even if it is stopped before. */
  readonly least: number;
}

/**
 * Sends bodies from a thread of its own, so that the sender does not slow down the measurements, until it is stopped. Resolves with the number of answers by status; 0 counts connections that broke.
 */
export function startFlood(flood: BodyFlood): { stop(): Promise<Record<string, number>> } {
  const worker = new Worker(
    `
const { parentPort, workerData } = require('node:worker_threads');
const { Agent, request } = require('node:http');
const { port, token, path, body, together, pauseMs, least } = workerData;
const bytes = Buffer.from(body.head + body.unit.repeat(body.times) + body.tail);
const counts = {};
let stopped = false;
// Without keep-alive, the server closes the connection after an early answer, and the rest of the body resets it.
const agent = new Agent({ keepAlive: true });
parentPort.once('message', () => { stopped = true; });
const one = () => new Promise((resolve) => {
  let status = 0;
  const count = () => { if (status !== null) counts[status] = (counts[status] ?? 0) + 1; status = null; resolve(); };
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json', 'content-length': bytes.length, accept: 'application/json, text/event-stream' };
  const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (response) => {
    status = response.statusCode;
    response.resume();
    response.once('close', count);
  });
  sent.on('error', count);
  sent.end(bytes);
});
(async () => {
  for (let sent = 0; !stopped || sent < least; sent += together) {
    await Promise.all(Array.from({ length: together }, one));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  parentPort.postMessage(counts);
})();
`,
    { eval: true, workerData: flood },
  );
  const done = new Promise<Record<string, number>>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return {
    async stop() {
      worker.postMessage('stop');
      try {
        return await done;
      } finally {
        await worker.terminate();
      }
    },
  };
}

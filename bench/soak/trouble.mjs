// What happens to a host that is in use: clients of three kinds come, give up and are killed; programs are killed; packages
// are edited, broken and mended; values are set and taken away. Everything is drawn from one seed.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { knownEffects } from '../known-effects.mjs';
import { insideOf, pause } from './watch.mjs';

const main = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url));
const tools = ['nexo-good', 'mcp-good', 'kept', 'locked'];

/** Numbers from 0 to 1 that a seed determines. */
export function random(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

export class Trouble {
  constructor({ next, served, library, state, packages, files, host }) {
    Object.assign(this, { next, served, library, state, packages, files, host });
    this.calls = 0;
    this.codes = new Map();
    this.acts = new Map();
    this.wrong = [];
    this.over = false;
  }

  /** All of it, until `stop`. */
  run() {
    const clients = [this.http, this.http, this.http, this.shim, this.shim, this.own, this.own];
    const loops = [...clients, this.kill, this.edit, this.lock].map((act) => this.#again(act));
    return Promise.all(loops);
  }

  stop() {
    this.over = true;
  }

  async #again(act) {
    while (!this.over) {
      this.acts.set(act.name, (this.acts.get(act.name) ?? 0) + 1);
      await act.call(this).catch((error) => {
        if (!this.over) this.wrong.push(`${act.name}: ${error.message}`);
      });
    }
  }

  #plan() {
    const id = tools[Math.floor(this.next() * tools.length)];
    const text = `t${Math.floor(this.next() * 1e9)}`;
    const ms = Math.floor(this.next() * 30);
    // A fifth of all calls is given up by whoever made them.
    const patience = this.next() < 0.2 ? Math.floor(this.next() * 40) : undefined;
    return { id, text, ms, patience };
  }

  /** An answer is that of its own call, a failure has a code, and nothing is a mistake of the host. */
  #judge(text, said, code) {
    this.calls++;
    if (code === undefined && !said.includes(text))
      this.wrong.push(`another's answer: ${said.slice(0, 200)}`);
    const known = code ?? 'ok';
    if (known === 'internal') this.wrong.push(`internal: ${said.slice(0, 300)}`);
    this.codes.set(known, (this.codes.get(known) ?? 0) + 1);
  }

  async http() {
    const { id, text, ms, patience } = this.#plan();
    try {
      const response = await fetch(`${this.served.api}/call`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.served.agentToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ tool: `${id}/act`, arguments: { text, ms } }),
        ...(patience === undefined ? {} : { signal: AbortSignal.timeout(patience) }),
      });
      const said = await response.text();
      this.#judge(text, said, JSON.parse(said).error?.code);
    } catch (error) {
      if (!/abort|timeout/i.test(error.name)) throw error;
      this.#judge(text, text, 'given up');
    }
    await pause(20);
  }

  async own() {
    const session = await this.library.session({
      principal: 'own',
      directories: [this.packages],
      policy: knownEffects,
    });
    for (let count = 0; count < 5 && !this.over; count++) {
      const { id, text, ms, patience } = this.#plan();
      const stop = new AbortController();
      const timer = patience === undefined ? undefined : setTimeout(() => stop.abort(), patience);
      const answer = await session.call({ tool: `${id}/act`, arguments: { text, ms }, signal: stop.signal });
      clearTimeout(timer);
      this.#judge(text, JSON.stringify(answer), answer.error?.code);
    }
    await session.close();
    await pause(100);
  }

  /** A client over the socket; every other one is killed in the middle of what it does. */
  async shim() {
    const child = spawn(process.execPath, [main, 'mcp', this.packages, '--state', this.state], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.stdin.on('error', () => {});
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'soak', version: '1' };
    send({
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    send({ method: 'notifications/initialized' });
    const calls = 1 + Math.floor(this.next() * 4);
    const planned = new Map();
    for (let id = 1; id <= calls; id++) {
      const plan = this.#plan();
      planned.set(id, plan.text);
      const given = { text: plan.text, ms: plan.ms };
      send({ id, method: 'tools/call', params: { name: `${plan.id}_act`, arguments: given } });
    }
    const killed = this.next() < 0.5;
    if (killed) setTimeout(() => child.kill('SIGKILL'), 300 + this.next() * 700);
    while (planned.size > 0) {
      const { value, done } = await lines.next();
      if (done) break;
      const { id, result, error } = JSON.parse(value);
      const text = planned.get(id);
      if (text === undefined) continue;
      planned.delete(id);
      const bad = error !== undefined || result?.isError === true;
      this.#judge(text, value, bad ? 'said to the client' : undefined);
    }
    if (planned.size > 0 && !killed) throw new Error('the shim ended before its answers came');
    child.stdin.end();
    await gone;
    await pause(200);
  }

  /** One process of a sandbox, of the served host or of the library's. */
  async kill() {
    await pause(400 + this.next() * 800);
    const all = [this.host.pid, process.pid].flatMap(insideOf);
    const one = all[Math.floor(this.next() * all.length)];
    if (one === undefined) return;
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }

  async edit() {
    await pause(1500 + this.next() * 2000);
    const names = Object.keys(this.files).filter((it) => /\.(?:py|mjs)$/.test(it));
    const name = names[Math.floor(this.next() * names.length)];
    const mark = name.endsWith('.py') ? '#' : '//';
    const manifest = Object.keys(this.files).find((it) => it.startsWith(name.split('/')[0]) && it !== name);
    if (this.next() < 0.3) {
      writeFileSync(join(this.packages, manifest), '{ broken');
      await pause(700);
      writeFileSync(join(this.packages, manifest), this.files[manifest]);
    } else writeFileSync(join(this.packages, name), `${this.files[name]}${mark} ${this.next()}\n`);
  }

  /** Sets what one package needs, and takes it away again. */
  async lock() {
    const address = `${this.served.api}/settings/locked/key`;
    const headers = { authorization: `Bearer ${this.served.token}`, 'content-type': 'application/json' };
    const value = ['soak', 'value', Math.floor(this.next() * 1e9)].join('-');
    const body = JSON.stringify({ value, anyHost: true });
    for (const request of [{ method: 'PUT', body }, { method: 'DELETE' }]) {
      const { status } = await fetch(address, { ...request, headers });
      if (status >= 300) throw new Error(`${request.method} of a value was answered ${status}`);
      await pause(500 + this.next() * 1000);
    }
  }
}

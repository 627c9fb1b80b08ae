import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const library = new URL('../../dist/index.js', import.meta.url);
const rounds = 600;

/** What taint adds to a call of a tool that answers at once. Empty without a build. */
export async function callCost() {
  if (!existsSync(library)) return {};
  const { createHost } = await import(library.href);
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-taint-call-'));
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"done":true}'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  const properties = { to: { type: 'string' }, text: { type: 'string' } };
  const manifest = {
    name: 'Desk',
    description: 'An agent of a benchmark.',
    system_prompt: 'You answer questions of a benchmark with the tools that you have.',
    example_prompts: ['What is there?'],
    kind: 'mcp-tool',
    tools: [
      {
        name: 'send',
        description: 'Send a text.',
        input_schema: { type: 'object', properties, required: ['to', 'text'], additionalProperties: false },
        action: { type: 'http', method: 'POST', url: `http://127.0.0.1:${port}/` },
      },
    ],
  };
  writeFileSync(join(packages, 'agent.json'), JSON.stringify(manifest));
  const host = await createHost({ state: join(folder, 'state') });
  try {
    const labels = {
      tools: { 'desk/send': { effects: ['write', 'send'], inputs: { to: 'destination', text: 'content' } } },
    };
    const open = (mode) =>
      host.session({
        principal: `bench-${mode}`,
        directories: [packages],
        root: folder,
        allow: [`net:127.0.0.1:${port}`],
        policy: { taint: { mode, labels } },
      });
    const sessions = { off: await open('off'), standard: await open('standard') };
    const text = 'Lunch is at noon, in the usual place. '.repeat(10);
    const times = { off: [], standard: [] };
    const processor = { off: [], standard: [] };
    for (let round = -50; round < rounds; round++)
      for (const mode of round % 2 === 0 ? ['off', 'standard'] : ['standard', 'off']) {
        const used = process.cpuUsage();
        const start = performance.now();
        const answer = await sessions[mode].call({
          tool: 'desk/send',
          arguments: { to: 'ann@home.example', text: `${text}${round}` },
        });
        if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
        const time = performance.now() - start;
        const { user, system } = process.cpuUsage(used);
        if (round < 0) continue;
        times[mode].push(time);
        processor[mode].push(user + system);
      }
    const middle = (list) => list.sort((a, b) => a - b)[rounds >> 1];
    const p50 = (mode) => middle(times[mode]);
    return {
      'p50 of a call, taint off': { value: p50('off') * 1000, unit: 'µs' },
      'p50 of a call, mode standard': { value: p50('standard') * 1000, unit: 'µs' },
      'p50 of a call, standard as a part of off': {
        value: p50('standard') / p50('off'),
        unit: 'x',
        target: 1.1,
      },
      'processor time of a call, standard as a part of off (median)': {
        value: middle(processor.standard) / middle(processor.off),
        unit: 'x',
      },
    };
  } finally {
    await host.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

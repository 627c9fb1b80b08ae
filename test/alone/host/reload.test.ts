// Edits of served folders: applied at once, reviewed if they ask for more, ignored while they are broken.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { until } from '../../support/toolwharf.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const benches: Workbench[] = [];
const lines: string[] = [];

afterEach(async () => {
  for (const it of benches.splice(0)) await it.close();
  lines.splice(0);
});

function tool(body: string, { name = 'say', network = false, description = 'Says a word.' } = {}): string {
  return `# ---
# name: ${name}
# version: 1.0.0
# description: ${description}
# inputs: []
# outputs:
#   type: object
# capabilities:
#   network: ${network}
#   filesystem: none
# runtime:
#   language: python
# ---
import json, sys, time

def main():
    ${body}

if __name__ == "__main__":
    json.loads(sys.stdin.read() or "{}")
    print(json.dumps(main()))
`;
}

async function bench(files: Record<string, string>): Promise<Workbench> {
  const made = await workbench(files, { watch: true, onReload: (messages) => lines.push(...messages) });
  benches.push(made);
  return made;
}

async function say(session: Session): Promise<unknown> {
  return resultOf(session.call({ tool: 'say', arguments: {} }));
}

function save(made: Workbench, name: string, text: string): void {
  const path = join(made.packages, name);
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

describe('an edit', () => {
  test('is applied, and clients are notified once', async () => {
    const made = await bench({ 'say.py': tool('return {"word": "one"}') });
    const [first, second] = [await made.session(), await made.session({ principal: 'other' })];
    let notified = 0;
    first.onChange(() => notified++);
    expect(await say(first)).toEqual({ word: 'one' });
    save(made, 'say.py', tool('return {"word": "two"}'));
    await until(async () => ((await say(first)) as { word: string }).word === 'two');
    expect(await say(second)).toEqual({ word: 'two' });
    expect(notified).toBe(1);
    expect(lines.join()).toContain('say.py was reloaded');
  });

  test('does not affect a running call', async () => {
    const made = await bench({ 'say.py': tool('time.sleep(1); return {"word": "one"}') });
    const session = await made.session();
    const running = say(session);
    await new Promise((resolve) => setTimeout(resolve, 300));
    save(made, 'say.py', tool('return {"word": "two"}'));
    await until(() => lines.length > 0);
    expect(await running).toEqual({ word: 'one' });
    expect(await say(session)).toEqual({ word: 'two' });
  });

  test('that breaks the package keeps the last valid version, with a message', async () => {
    const made = await bench({ 'say.py': tool('return {"word": "one"}') });
    const session = await made.session();
    save(made, 'say.py', tool('return {"word": "two"}').replace('version: 1.0.0', 'version: none'));
    await until(() => lines.length > 0);
    expect(lines.join()).toContain('its last valid version is used');
    expect((await session.packages()).packages[0]).toMatchObject({ state: 'ready' });
    expect((await session.packages()).packages[0]?.reasons.join()).toMatch(/broken after an edit: .*version/);
    expect(await say(session)).toEqual({ word: 'one' });
    save(made, 'say.py', tool('return {"word": "three"}'));
    await until(async () => ((await say(session)) as { word: string }).word === 'three');
    expect((await session.packages()).packages[0]?.reasons.join()).not.toContain('broken');
  });

  test('that asks for more needs review', async () => {
    const made = await bench({ 'say.py': tool('return {"word": "one"}') });
    const session = await made.session();
    save(made, 'say.py', tool('return {"word": "two"}', { network: true }));
    await until(async () => (await session.packages()).packages[0]?.state === 'needs-review');
    expect(await session.call({ tool: 'say', arguments: {} })).toMatchObject({
      error: { code: 'needs_review' },
    });
    const review = await session.review('say');
    await session.accept('say', review.to);
    expect(await say(session)).toEqual({ word: 'two' });
  });
});

test('a new package needs review, a removed one is gone, and one that returns is as before', async () => {
  const made = await bench({ 'say.py': tool('return {"word": "one"}') });
  const session = await made.session();
  writeFileSync(join(made.packages, 'evil.py'), tool('return {"word": "evil"}', { name: 'evil' }));
  await until(async () => (await session.packages()).packages.length === 2);
  const evil = (await session.packages()).packages.find((it) => it.id === 'evil');
  expect(evil?.state).toBe('needs-review');
  expect((await session.tools()).map((it) => it.name)).toEqual(['say/say']);
  rmSync(join(made.packages, 'say.py'));
  await until(async () => (await session.tools()).length === 0);
  writeFileSync(join(made.packages, 'say.py'), tool('return {"word": "one"}'));
  await until(async () => (await session.tools()).length === 1);
  expect(await say(session)).toEqual({ word: 'one' });
});

test('the whole folder can be moved away and back', async () => {
  const made = await bench({ 'inner/say.py': tool('return {"word": "one"}') });
  const session = await made.session();
  renameSync(made.packages, `${made.packages}-away`);
  await until(async () => (await session.tools()).length === 0);
  mkdirSync(made.packages);
  rmSync(made.packages, { recursive: true });
  renameSync(`${made.packages}-away`, made.packages);
  await until(async () => (await session.tools()).length === 1);
  expect(await say(session)).toEqual({ word: 'one' });
});

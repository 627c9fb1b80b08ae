import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { probeMemory } from './probe-memory.js';

let folder: string;
let now = 0;
let facts: readonly string[] = [];
const minute = 60_000;
const open = () => probeMemory({ folder, program: '/usr/bin/bwrap', now: () => now, facts: () => facts });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-memory-'));
  now = 1_800_000_000_000;
  facts = ['boot 1', 'bwrap 1'];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the remembered test of the sandbox', () => {
  test('is there for another process on the same machine', () => {
    open().write({ level: 'enforced' });
    expect(open().read()).toEqual({ level: 'enforced' });
    const weaker = { level: 'degraded', reasons: ['no control group'], hint: 'make one' } as const;
    open().write(weaker);
    expect(open().read()).toEqual(weaker);
  });

  test.each([
    ['after ten minutes', () => (now += 10 * minute)],
    ['if the clock was set back', () => (now -= 1)],
    ['after something changed that it depends on', () => (facts = ['boot 1', 'bwrap 2'])],
    ['if the file is damaged', () => writeFileSync(join(folder, 'sandbox-test'), 'x\ny')],
    [
      'if only its result is damaged',
      () => {
        const path = join(folder, 'sandbox-test');
        writeFileSync(path, readFileSync(path, 'utf8').replace('"}', ''));
      },
    ],
  ])('does not count %s', (_, change) => {
    open().write({ level: 'enforced' });
    change();
    expect(open().read()).toBeUndefined();
  });

  test('is never a failure: a failed test removes what was known', () => {
    open().write({ level: 'enforced' });
    open().write({ level: 'unavailable', reasons: ['no namespaces'], hint: 'allow them' });
    expect(open().read()).toBeUndefined();
  });

  test('depends on the real facts of this machine, such as the program of the sandbox', () => {
    const program = join(folder, 'bwrap');
    writeFileSync(program, '1');
    const real = () => probeMemory({ folder, program, now: () => now });
    real().write({ level: 'enforced' });
    expect(real().read()).toEqual({ level: 'enforced' });
    writeFileSync(program, '22');
    expect(real().read()).toBeUndefined();
    expect(readFileSync(join(folder, 'sandbox-test'), 'utf8')).toContain('enforced');
  });
});

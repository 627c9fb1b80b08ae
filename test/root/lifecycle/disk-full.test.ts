// The state directory on a small file system that becomes full, in the commands of the life cycle: each says so, and the
// old state stays. Mounting it needs root.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { patchTool, toolwharf } from '../../support/toolwharf.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'disk-full-'));
  mkdirSync(join(base, 'disk'));
  execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=0755', 'tmpfs', join(base, 'disk')]);
  for (const [name, text] of Object.entries(counterPackage())) {
    mkdirSync(dirname(join(base, 'work', name)), { recursive: true });
    writeFileSync(join(base, 'work', name), text as string);
  }
});
afterEach(() => {
  execFileSync('/usr/bin/umount', [join(base, 'disk')]);
  rmSync(base, { recursive: true });
});

const run = (...args: readonly string[]) =>
  toolwharf(args, {
    cwd: join(base, 'work'),
    env: { HOME: base, XDG_CONFIG_HOME: '', TOOLWHARF_HOME: join(base, 'disk/state') },
  });

const fill = () => join(base, 'disk/fill');

/** Fills the disk, except for some bytes. */
function leaveFree(bytes: number) {
  const { status, stderr } = spawnSync('/usr/bin/dd', ['if=/dev/zero', `of=${fill()}`, 'bs=1k']);
  expect([status, String(stderr)]).toEqual([1, expect.stringContaining('No space left')]);
  truncateSync(fill(), Number(execFileSync('/usr/bin/stat', ['-c', '%s', fill()])) - bytes);
}

test('every command of the life cycle says that the disk is full, and changes nothing', async () => {
  expect(await run('install', './counter', '--yes')).toMatchObject({ code: 0 });
  writeFileSync(join(base, 'work/counter/more.txt'), 'x'.repeat(200_000));
  for (const free of [0, 12_288, 28_672, 61_440]) {
    leaveFree(free);
    writeFileSync(
      join(base, 'work/other.py'),
      patchTool({ name: 'other', body: `    return {"n": ${free}}` }),
    );
    for (const args of [
      ['update', 'counter'],
      ['install', './other.py'],
      ['revoke', 'counter', '--done'],
    ]) {
      const { code, stderr } = await run(...args, '--yes');
      // With little space left, something smaller may succeed: then it succeeded as a whole.
      if (code === 0) continue;
      expect([code, stderr], `${args[0]} with ${free} bytes`).toEqual([
        1,
        expect.stringMatching(/error: the disk of .* is full/),
      ]);
    }
    rmSync(fill());
    const { code, stdout } = await run('verify', 'counter');
    if (free === 0) expect([code, stdout]).toEqual([0, expect.stringContaining('works')]);
    // Installed as a whole, or not at all.
    const other = await run('verify', 'other');
    if (other.code !== 0)
      expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('other is not installed') });
    if (code !== 0) expect(await run('install', './counter', '--yes')).toMatchObject({ code: 0 });
  }
}, 120_000);

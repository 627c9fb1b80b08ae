// SECURITY.md: "Bounded memory". A host of an ordinary user has no control group here, so memory is watched for real.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import { attackLimit, mebibyte, memoryAttacks } from '../../support/memory-attacks.js';

const user = { uid: 65532, gid: 65532 };
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-watched-'));
const script = join(folder, 'host.mjs');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints the verdict, or how the program of one attack ended. */
beforeAll(async () => {
  chmodSync(folder, 0o755);
  const source = join(import.meta.dirname, '../../../src/sandbox');
  const contents = `
    import { bubblewrap } from ${JSON.stringify(join(source, 'bubblewrap', 'bubblewrap.ts'))};
    import { defaultSandboxLimits } from ${JSON.stringify(join(source, 'sandbox.ts'))};
    const sandbox = bubblewrap();
    const code = process.argv[2];
    if (code === undefined) console.log(JSON.stringify(await sandbox.probe()));
    else {
      const child = sandbox.spawn({
        argv: ['/usr/bin/python3', '-I', '-c', code], directory: '/tmp', environment: { PATH: '/usr/bin:/bin' },
        mounts: [], hidden: [], limitAddressSpace: false, egress: null,
        limits: { ...defaultSandboxLimits, memoryBytes: ${attackLimit}, diskBytes: ${300 * mebibyte} },
      });
      let text = '';
      for (const it of [child.stdout, child.stderr]) it.on('data', (chunk) => { text += chunk; });
      console.log(JSON.stringify({ exit: await child.exited, text }));
    }`;
  await bundleModule(contents, folder, script);
  chmodSync(script, 0o644);
});

async function asUser(argv: readonly string[]): Promise<string> {
  const [program, ...args] = argv;
  const child = spawn(program as string, args, {
    ...user,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // Attacks leave processes behind.
  child.once('exit', () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  });
  let printed = '';
  for await (const chunk of child.stdout) printed += chunk;
  return printed;
}

test('the verdict is degraded, and says that memory is watched', async () => {
  expect(JSON.parse(await asUser([process.execPath, script]))).toEqual({
    level: 'degraded',
    reasons: [
      'the memory of all processes of a tool is watched, not limited by the kernel: the control group of the host is not writable for it',
    ],
    hint: expect.stringContaining('systemd-run --user --scope -p Delegate=yes'),
  });
});

test.each(memoryAttacks)('memory in $name cannot exceed the limit', async ({ code }) => {
  const { exit, text } = JSON.parse(await asUser([process.execPath, script, code])) as {
    exit: { exceeded?: string };
    text: string;
  };
  expect(text).toContain('BEGAN');
  expect(text).not.toContain('REACHED');
  if (exit.exceeded !== 'memory') expect(text).toMatch(/^STOPPED /m);
  // Control: the same user without a sandbox takes it.
  expect(await asUser(['/usr/bin/python3', '-I', '-c', code])).toBe('BEGAN\nREACHED\n');
});

// Runs the quick tests, the thread and some tests of the sandbox as the user "nobody", in a clone that belongs to it.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tests = [
  'src/',
  'test/unit/',
  'test/parallel/thread',
  'test/parallel/attacks/sandbox',
  'test/alone/attacks/around',
  'test/alone/sandbox/',
];
const root = fileURLToPath(new URL('..', import.meta.url));
const [uid, gid] = ['-u', '-g'].map((it) => Number(execFileSync('id', [it, 'nobody'], { encoding: 'utf8' })));
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-user-'));
chmodSync(folder, 0o755);

let status;
try {
  const clone = join(folder, 'toolwharf');
  const home = join(folder, 'home');
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  for (const it of ['dist', 'src/generated', 'node_modules'])
    execFileSync('cp', ['-a', realpathSync(join(root, it)), join(clone, it)]);
  const shared = join(root, '../shared');
  if (existsSync(shared)) symlinkSync(realpathSync(shared), join(folder, 'shared'));
  mkdirSync(home);
  execFileSync('chown', ['-R', `${uid}:${gid}`, clone, home]);
  const counts = join(home, 'counts');
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests.map((it) => join(clone, it))];
  ({ status } = spawnSync(process.execPath, args, {
    cwd: clone,
    uid,
    gid,
    env: { PATH: process.env.PATH, HOME: home, CI: process.env.CI ?? '', TOOLWHARF_COUNTS: counts },
    stdio: ['ignore', 'inherit', 'inherit'],
  }));
  if (process.env.TOOLWHARF_COUNTS !== undefined && existsSync(counts))
    appendFileSync(process.env.TOOLWHARF_COUNTS, readFileSync(counts));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status ?? 1);

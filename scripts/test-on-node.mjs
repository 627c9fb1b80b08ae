// Runs the quick tests and the thread on another version of Node, which the npm package "node" brings.
//   node scripts/test-on-node.mjs 24
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [version = ''] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-node-'));

let status;
try {
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', [...install, `node@${version}`], { stdio: 'inherit' });
  const node = join(folder, 'node_modules/.bin/node');
  console.log(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim());
  const tests = ['src/', 'test/unit/', 'test/parallel/thread'].map((it) => join(root, it));
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests];
  ({ status } = spawnSync(node, args, { cwd: root, stdio: 'inherit' }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status ?? 1);

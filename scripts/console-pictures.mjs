// Makes the pictures of docs/console.md: runs the tests of the console in Chromium, and copies some of their screenshots.
// Needs a build and /usr/bin/chromium. Usage: node scripts/console-pictures.mjs
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'docs', 'pictures');
const pictures = {
  'inbox-1280-light': 'console-inbox',
  'inbox-390-dark': 'console-inbox-phone',
  'standing-rule-1280-light': 'console-standing-rule',
  'review-1280-light': 'console-review',
  'package-1280-light': 'console-package',
  'activity-1280-light': 'console-activity',
  'call-story-1280-light': 'console-call-story',
  'clients-1280-light': 'console-clients',
  'health-1280-light': 'console-health',
  'try-explain-1280-light': 'console-try',
  'try-exemption-1280-light': 'console-try-exemption',
  'registry-package-1280-light': 'console-registry',
  'registry-plan-1280-light': 'console-registry-plan',
  'build-form-1280-light': 'console-build',
  'build-source-1280-light': 'console-build-source',
};

const made = mkdtempSync(join(tmpdir(), 'toolwharf-pictures-'));
try {
  const names = ['inbox', 'packages', 'try', 'activity', 'clients', 'registry', 'build', 'health'];
  // They are in two folders: some measure time.
  const tests = names.map((it) => `browser/console-${it}.test.ts`);
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, TOOLWHARF_PICTURES: made },
    },
  );
  if (status !== 0) process.exit(1);
  mkdirSync(target, { recursive: true });
  for (const [from, to] of Object.entries(pictures))
    copyFileSync(join(made, `${from}.png`), join(target, `${to}.png`));
} finally {
  rmSync(made, { recursive: true, force: true });
}

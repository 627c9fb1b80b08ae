// "npm start": installs the system programs that the examples need where it may, then serves the examples. What cannot be
// installed is named with the one command that installs it, and everything that can run is served.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { aptCommand, installPackages, mayInstall, missingPrograms } from './system-programs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
// What the host prints can be typed in this folder.
process.env.TOOLWHARF_COMMAND ??= 'npx toolwharf';

let missing = missingPrograms('start');
if (missing.length > 0 && mayInstall()) {
  console.log(`Installing ${listed(missing)} with apt-get.`);
  installPackages(missing);
  missing = missingPrograms('start');
}
if (missing.length > 0) {
  const reasons = missing.map((it) => `${it.package} (${it.purpose})`).join(', ');
  console.log(`Missing on this machine: ${reasons}. Install with:\n  ${aptCommand(missing)}\n`);
}

// In this process: signals and the terminal reach the command itself.
const main = join(root, 'dist/main.cjs');
process.argv = [process.argv[0], main, 'serve', 'examples', ...process.argv.slice(2)];
createRequire(import.meta.url)(main);

function listed(programs) {
  return [...new Set(programs.map((it) => it.package))].join(', ');
}

// Completes package-lock.json after "npm install". Where a registry lacks the builds of a package for other
// platforms, npm leaves them out of the lockfile, and "npm ci" then rejects the lockfile as incomplete. The entries
// added here name the platform of each build; npm skips them on other platforms.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = join(dirname(fileURLToPath(import.meta.url)), '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));
const { '': root, ...packages } = lock.packages;

for (const [place, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (`${place}/node_modules/${name}` in packages || `node_modules/${name}` in packages) continue;
    const [, os] = /-(android|darwin|linux|freebsd|openbsd|netbsd|win32|openharmony)\b/.exec(name) ?? [];
    const [, cpu] = /-(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64|wasm32)\b/.exec(name) ?? [];
    const libc = name.includes('musl') ? 'musl' : name.includes('gnu') ? 'glibc' : undefined;
    packages[`node_modules/${name}`] = {
      version: version.replace(/^[~^]/, ''),
      ...(cpu === undefined ? {} : { cpu: [cpu] }),
      ...(entry.dev ? { dev: true } : {}),
      ...(libc === undefined ? {} : { libc: [libc] }),
      optional: true,
      ...(os === undefined ? {} : { os: [os] }),
    };
  }
}
const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify({ ...lock, packages: { '': root, ...sorted } }, null, 2)}\n`);

import { expect, test } from 'vitest';
import { archivesOf, type NpmLock, readNpmLock, skippedScripts, withArchives } from './npm-lock.js';

const lockOf = (packages: Record<string, object>, scripts?: string[]): NpmLock => ({
  ...{ language: 'node', major: 20, platform: 'linux-x64', manifest: {}, lock: { packages } },
  ...(scripts === undefined ? {} : { scripts }),
});

test('only packages for this system that have an install script, and were not allowed to run it, are listed', () => {
  const built = { hasInstallScript: true };
  const packages = {
    'node_modules/plain': {},
    'node_modules/sqlite3': built,
    'node_modules/a/node_modules/@x/native': { ...built, os: ['linux', 'darwin'], cpu: ['x64'] },
    'node_modules/not-windows': { ...built, os: ['!win32'] },
    'node_modules/mac': { ...built, os: ['darwin'] },
    'node_modules/arm': { ...built, cpu: ['arm64'] },
    'node_modules/not-linux': { ...built, os: ['!linux'] },
  };
  expect(skippedScripts(lockOf(packages))).toEqual(['@x/native', 'not-windows', 'sqlite3']);
  expect(skippedScripts(lockOf(packages, ['sqlite3']))).toEqual(['@x/native', 'not-windows']);
});

test('archive URLs of a resolution are added for one run, and the lock itself has none', () => {
  const entry = { version: '1.0.0', integrity: 'sha512-aaaa' };
  const url = 'https://packages.example.com/a/-/a-1.0.0.tgz';
  const written = { lockfileVersion: 3, packages: { '': {}, 'node_modules/a': { ...entry, resolved: url } } };
  const bytes = new TextEncoder().encode(JSON.stringify(written));
  const lock = readNpmLock(bytes);
  expect(lock.packages).toEqual({ '': {}, 'node_modules/a': entry });
  expect(withArchives(lock, archivesOf(bytes)).packages).toEqual(written.packages);
  expect(withArchives(lock)).toEqual(lock);
});

import { expect, test } from 'vitest';
import { type NpmLock, skippedScripts } from './npm-lock.js';

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

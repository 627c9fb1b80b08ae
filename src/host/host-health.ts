import { readFileSync } from 'node:fs';
import { openEgress } from '../net/egress.js';
import { openTestListener } from '../net/test-listener.js';
import { type RunningHostServices, runningHostHealth } from './doctor/running-host.js';
import type { Health } from './host.js';
import { homeFolders } from './sandboxing/home-folders.js';

/** The health of a host on this machine. */
export function hostHealth(
  services: Omit<RunningHostServices, 'openMachine' | 'facts' | 'startedAt'> & { readonly now: () => number },
): Health {
  const { now, sandbox } = services;
  const facts = () => ({
    platform: process.platform,
    arch: process.arch,
    node: { path: process.execPath, version: process.versions.node },
    now: now(),
    readFile: readKernelSetting,
  });
  return runningHostHealth({
    ...services,
    facts,
    startedAt: now(),
    async openMachine() {
      const listener = await openTestListener();
      const home = homeFolders()[0] ?? '/';
      return { options: { home, machine: facts(), sandbox, listener, openEgress }, close: listener.close };
    },
  });
}

function readKernelSetting(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

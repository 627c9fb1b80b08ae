import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asHostError } from '../../model/host-error.js';
import { type Containers, openContainers } from '../../sandbox/container/containers.js';
import { type EngineSettings, noEngine, noEngineHint } from '../../sandbox/container/engine.js';
import type { Check } from '../host.js';

/** Starts a container and tests what it can do from inside. Only packages that come as images need containers. */
export async function checkContainers(settings: EngineSettings): Promise<Check> {
  // A folder of its own: a host may be running and using the usual one.
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-doctor-'));
  const newName = () => randomBytes(6).toString('hex');
  const containers = openContainers({ ...settings, folder, newName });
  try {
    return await tryContainers(containers);
  } finally {
    await containers.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryContainers(containers: Containers): Promise<Check> {
  const id = 'containers';
  if (containers.engine === undefined) {
    const message = `${noEngine}: packages that come as container images cannot run`;
    return {
      id,
      status: 'warn',
      message,
      fix: noEngineHint.split('; ')[0]?.replace('install one: ', '') ?? '',
    };
  }
  try {
    const verdict = await containers.probe();
    const { kind, version, runtime } = await containers.testedEngine();
    const name = `${kind} ${version}${runtime === null ? '' : ` with ${runtime}`}`;
    switch (verdict.level) {
      case 'enforced':
        return { id, status: 'ok', message: `${name} isolates containers (tested from inside)` };
      case 'degraded':
        return {
          id,
          status: 'warn',
          message: `${name} isolates containers only partly: ${verdict.reasons.join('; ')}`,
          fix: 'use cgroups version 2, or run the host as root',
        };
      case 'unavailable':
        return {
          id,
          status: 'warn',
          message: `${name} cannot isolate containers, so none run: ${verdict.reasons.join('; ')}`,
          fix: verdict.hint,
        };
    }
  } catch (error) {
    const { message, hint } = asHostError(error);
    return { id, status: 'warn', message, ...(hint === undefined ? {} : { fix: hint }) };
  }
}

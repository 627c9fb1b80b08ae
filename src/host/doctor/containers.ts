import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asHostError } from '../../model/host-error.js';
import { type Containers, openContainers } from '../../sandbox/container/containers.js';
import { type EngineSettings, noEngine, noEngineHint } from '../../sandbox/container/engine.js';
import type { Check } from '../host.js';

/** Starts a container of the engine and looks what it can do; only packages that come as images need one. */
export async function checkContainers(settings: EngineSettings): Promise<Check> {
  // Not the folder of a host, which may be running.
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
    const message = `${noEngine}: packages that come as container images do not run`;
    return {
      id,
      status: 'warn',
      message,
      fix: noEngineHint.split('; ')[0]?.replace('install one: ', '') ?? '',
    };
  }
  try {
    const verdict = await containers.probe();
    const { flavour, version, runtime } = await containers.about();
    const name = `${flavour} ${version}${runtime === null ? '' : ` with ${runtime}`}`;
    switch (verdict.level) {
      case 'enforced':
        return { id, status: 'ok', message: `${name} confines containers, tried from inside` };
      case 'degraded':
        return {
          id,
          status: 'warn',
          message: `${name} confines less than it should: ${verdict.reasons.join('; ')}`,
          fix: 'use control groups of version 2, or run the host as root',
        };
      case 'unavailable':
        return {
          id,
          status: 'warn',
          message: `${name} cannot confine containers, so none are run: ${verdict.reasons.join('; ')}`,
          fix: verdict.hint,
        };
    }
  } catch (error) {
    const { message, hint } = asHostError(error);
    return { id, status: 'warn', message, ...(hint === undefined ? {} : { fix: hint }) };
  }
}

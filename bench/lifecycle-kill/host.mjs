import { join } from 'node:path';
import { createHost } from '../../dist/index.js';

/** Opens the state of the bench, which undoes or finishes what a killed process left. */
export async function openBench(folder) {
  const host = await createHost({ state: join(folder, 'state') });
  const session = await host.session({
    principal: 'agent',
    directories: [],
    accept: null,
    root: join(folder, 'workspace'),
    policy: { indexes: { findLinks: [join(folder, 'wheels')] } },
  });
  return { host, session };
}

import type { Package } from '../model/package.js';

/** Why a package with NATS programs is not set up, with the next step; empty if it is. */
export function missingNatsServer(pkg: Package, natsUrl: string | undefined): string[] {
  if (natsUrl !== undefined || !pkg.programs.some((it) => it.target.kind === 'nats')) return [];
  return [
    'its program answers over NATS, and no NATS server is configured. Set one: --nats-url nats://127.0.0.1:4222, or nats.url in the configuration',
  ];
}

import type { Package } from '../model/package.js';

/** What is still to be named for programs that answer over NATS, as a reason with the next step. */
export function missingBus(of: Package, natsUrl: string | undefined): string[] {
  if (natsUrl !== undefined || !of.programs.some((it) => it.target.kind === 'nats')) return [];
  return [
    'it answers over NATS, and no NATS server is named. Name it: --nats-url nats://127.0.0.1:4222, or nats.url in the configuration',
  ];
}

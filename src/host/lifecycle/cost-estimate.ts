import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { CostEstimate } from '../../model/plan.js';
import { parseGrants } from '../../policy/grant.js';
import type { LifecycleSession } from './lifecycle-services.js';

const limits = { wallMs: 10_000, bodyBytes: 64 * 1024 };
const maxCharacters = 500;

/** Reads the page that estimates the cost of a package. Nothing about the user is sent. `grants`: those of the plan. */
export async function readEstimate(
  url: string,
  grants: readonly string[],
  { sources }: LifecycleSession,
  now: () => number,
  signal: CancelSignal,
): Promise<CostEstimate> {
  const { hostname: host, port } = new URL(url);
  const reach = {
    hosts: [{ host, port: port === '' ? null : Number(port) }],
    granted: [...sources.granted, ...parseGrants(grants).shared.network],
    denied: sources.denied,
  };
  try {
    const headers = { accept: 'application/json, text/plain;q=0.9' };
    const response = await sources.http.send({
      ...{ method: 'GET', url, headers, reach, limits, signal, credential: false },
    });
    const text = response.body.toString('utf8').trim().slice(0, maxCharacters);
    const isGood = response.status >= 200 && response.status <= 299 && text !== '';
    return { text: isGood ? text : `${host} answered ${response.status} without an estimate`, readAt: now() };
  } catch (error) {
    if (!(error instanceof HostError) || signal.aborted) throw error;
    return { text: `it could not be read: ${error.message}`, readAt: now() };
  }
}

import { suggest } from '../../formats/suggest.js';
import type { RemoteHost } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';

/** Rejects a name that the package does not ask for, because it would never receive the value. */
export async function assertDeclaredSlot(host: RemoteHost, packageId: string, slot: string): Promise<void> {
  const declared = await host.secrets.slots(packageId);
  if (declared === null || declared.includes(slot)) return;
  const meant = suggest(slot, declared);
  const list =
    declared.length === 0 ? 'it asks for no secrets or settings' : `it asks for ${declared.join(', ')}`;
  const edited = packageId.startsWith('@')
    ? ''
    : `; if an edit added it, accept the edit first: toolwharf review ${shellQuote(packageId)}`;
  // The name could be the value in the wrong place, so it is not repeated.
  throw new HostError('usage', `${packageId} does not ask for a value with that name`, {
    hint: `${meant === undefined ? '' : `did you mean ${meant}? `}${list}${edited}`,
  });
}

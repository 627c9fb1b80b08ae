import { suggest } from '../../formats/suggest.js';
import type { Host } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { shellWord } from '../../model/shell-word.js';

/** Refuses a name that no package with this id asks for: nobody would ever get the value. */
export async function assertSlot(host: Host, packageId: string, slot: string): Promise<void> {
  const declared = await host.secrets.slots(packageId);
  if (declared === null || declared.includes(slot)) return;
  const meant = suggest(slot, declared);
  const list = declared.length === 0 ? 'it asks for nothing at all' : `it asks for ${declared.join(', ')}`;
  const edited = packageId.startsWith('@')
    ? ''
    : `; if an edit added it, agree to that first: toolwharf review ${shellWord(packageId)}`;
  // It could be the value in the wrong place, so it is not said again.
  throw new HostError('usage', `${packageId} asks for nothing of that name`, {
    hint: `${meant === undefined ? '' : `did you mean ${meant}? `}${list}${edited}`,
  });
}

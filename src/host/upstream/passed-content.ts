import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { CallScan } from '../call/secret-scanner.js';

/** `cleaned`: secrets are removed. `unchanged`: content with a secret is withheld, and any other is not changed. */
export type ContentMode = 'cleaned' | 'unchanged';

/** What a caller gets of the content that a server gave. */
export async function passedContent(
  scan: CallScan,
  given: Json,
  mode: ContentMode,
  id: string,
): Promise<Json> {
  if (mode === 'cleaned') return (await scan.clean(given)).value;
  if ((await scan.secretsIn(given)).length > 0)
    throw new HostError('denied', `an app of ${id} contains a secret, so it is withheld`);
  return given;
}

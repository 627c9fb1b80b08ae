// What the user wrote, if a program or a trusted client passes it on. It vouches for the values in it.

import { HostError } from '../../model/host-error.js';
import type { Call } from './call.js';
import type { CallServices } from './call-services.js';

/** Characters of one text. */
const maxUserText = 20_000;

/** Endorses the text before the call is judged. A client that is not trusted to pass it on is not heard. */
export async function endorseUserText(
  { labels }: Pick<CallServices, 'labels'>,
  { caller, request, chain }: Pick<Call, 'caller' | 'request' | 'chain'>,
): Promise<void> {
  if (chain.length > 0) return;
  const text = request.userText ?? (caller.passesUserText ? request.clientText : undefined);
  if (text === undefined || text === '') return;
  if (typeof text !== 'string' || text.length > maxUserText)
    throw new HostError('invalid_input', `the text of the user must have at most ${maxUserText} characters`);
  const session = await caller.labels();
  const words = { source: 'words', kind: 'words', value: text, level: 'pay' } as const;
  if (session.hasEndorsement(words)) return;
  const channel = request.userText === undefined ? 'client' : 'library';
  await labels.endorse(session.id, [words], { by: caller.principal, channel, verified: false });
}

import { sha256Bytes } from '../../../files/sha256.js';
import type { PlainServer } from '../../../formats/server-writer.js';
import { HostError } from '../../../model/host-error.js';
import type { Json } from '../../../model/json.js';
import { redactNow } from '../../../policy/scan/redact-secrets.js';
import { secretInUrl } from './secret-url.js';

/**
 * Fails if a manifest contains a secret: manifests are stored, shown and written to the audit log. What the person called
 * a setting is not looked at.
 */
export function assertClearText(server: PlainServer, settings: readonly string[] = []): void {
  const { url, env = {}, headers: _, ...rest } = server;
  const isUrlSetting = settings.includes('url');
  const secret = url === undefined || isUrlSetting ? undefined : secretInUrl(url);
  if (secret !== undefined)
    throw new HostError('usage', `its URL contains a secret (${secret})`, {
      hint: 'send it as a header: --header NAME=@FILE; if it is not a secret: --setting url',
    });
  const guessed = Object.entries(env).filter(([name]) => !settings.includes(name));
  const texts = {
    ...rest,
    ...(url === undefined || isUrlSetting ? {} : { url }),
    env: Object.fromEntries(guessed),
  };
  const options = { guesses: false, reportSamples: true, sha256: sha256Bytes };
  const [found] = redactNow(texts as unknown as Json, [], options).findings;
  if (found === undefined) return;
  throw new HostError('usage', `the command line contains something that looks like a key (${found.name})`, {
    hint: 'give it as a variable: --env NAME=@FILE',
  });
}

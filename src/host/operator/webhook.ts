import { createHmac } from 'node:crypto';
import type { NetworkHost } from '../../model/permissions.js';
import { parseDestination } from '../../net/destination.js';
import type { HttpClient } from '../../net/http-client.js';

/** A webhook, and the network grants for reaching it. */
export interface WebhookTarget {
  readonly url: string;
  readonly granted: readonly NetworkHost[];
  /** See `NetworkReach`. */
  readonly certificates?: string | undefined;
}

/** What is needed to send signed messages to webhooks. */
export interface WebhookSender {
  readonly client: HttpClient;
  /** The HMAC key that signs messages. */
  readonly key: () => Promise<Uint8Array>;
  readonly now: () => number;
}

const wallMs = 10_000;
/** Of the response body. */
const maxResponseBytes = 64 * 1024;

/** Signs a JSON document, posts it and returns the status of the response. `headers`: further ones. */
export async function postSigned(
  { client, key, now }: WebhookSender,
  target: WebhookTarget,
  body: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const time = Math.floor(now() / 1000);
  const signature = createHmac('sha256', await key())
    .update(`${time}.${body}`)
    .digest('hex');
  const signed = { ...headers, 'toolwharf-signature': `t=${time},v1=${signature}` };
  return postJson(client, target, body, signal, signed);
}

/** Posts a JSON document and returns the status of the response. */
export async function postJson(
  client: HttpClient,
  { url, granted, certificates }: WebhookTarget,
  body: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { host, port, tls } = parseDestination(url);
  const response = await client.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    reach: { hosts: [{ host, port: port === (tls ? 443 : 80) ? null : port }], granted, certificates },
    limits: { wallMs, bodyBytes: maxResponseBytes },
    // Like a credential, a message is not sent on to redirect targets.
    credential: true,
    signal,
  });
  return response.status;
}

import type { CancelSignal } from '../model/cancel-signal.js';
import type { NetworkHost } from '../model/permissions.js';
import { parseDestination } from './destination.js';
import type { HttpClient } from './http-client.js';

export interface DocumentRequest {
  readonly client: HttpClient;
  readonly url: string;
  /** The content types to ask for. Default: JSON. */
  readonly accept?: string;
  /** Granted by an operator; needed for plain http and private addresses. */
  readonly granted: readonly NetworkHost[];
  /** See `NetworkReach`. */
  readonly certificates?: string | undefined;
  readonly signal: CancelSignal;
}

export interface PublishedDocument {
  readonly status: number;
  readonly text: string;
}

const limits = { wallMs: 10_000, bodyBytes: 1024 * 1024 };

/**
 * Fetches a document that a server publishes. The operator named the URL, so its host is allowed. Its address is
 * checked like that of any other request. Redirects are never followed: another server could answer instead.
 */
export async function fetchDocument(request: DocumentRequest): Promise<PublishedDocument> {
  const { client, url, accept = 'application/json', granted, certificates, signal } = request;
  const { host, port } = parseDestination(url);
  const { status, body } = await client.send({
    method: 'GET',
    url,
    headers: { accept },
    reach: { hosts: [{ host, port }], granted, certificates },
    limits,
    credential: true,
    signal,
  });
  return { status, text: body.toString('utf8') };
}

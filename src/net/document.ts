import type { NetworkHost } from '../model/permissions.js';
import type { Signal } from '../model/signal.js';
import type { HttpClient } from './client.js';
import { parseDestination } from './destination.js';

export interface DocumentRequest {
  readonly client: HttpClient;
  readonly url: string;
  /** What an operator agreed to; plain http and private addresses are reached with it only. */
  readonly granted: readonly NetworkHost[];
  readonly signal: Signal;
}

export interface PublishedDocument {
  readonly status: number;
  readonly text: string;
}

const limits = { wallMs: 10_000, bodyBytes: 1024 * 1024 };

/**
 * Reads something that a server publishes for machines. The operator named the place, so it is within reach; where it
 * leads is judged like any other request, and a redirect is never followed: it would let another answer in its place.
 */
export async function readDocument(request: DocumentRequest): Promise<PublishedDocument> {
  const { client, url, granted, signal } = request;
  const { host, port } = parseDestination(url);
  const { status, body } = await client.send({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    reach: { hosts: [{ host, port }], granted },
    limits,
    credential: true,
    signal,
  });
  return { status, text: body.toString('utf8') };
}

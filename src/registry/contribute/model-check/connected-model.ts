import type { CancelSignal } from '../../../model/cancel-signal.js';
import { parseDestination } from '../../../net/destination.js';
import { guardedClient } from '../../../net/http-client.js';
import { type EndpointShape, modelEndpoint } from './model-endpoint.js';
import type { TextModel } from './text-model.js';

export interface ConnectedModelOptions {
  /** From the operator's own configuration. */
  readonly url: string;
  readonly shape: EndpointShape;
  readonly name: string;
  /** The key for a host; undefined: none. */
  readonly keyOf: (host: string) => Promise<string | undefined>;
  readonly certificates?: string | undefined;
  readonly signal: CancelSignal;
}

/** The model at a URL. The operator named the server, so it may be on this machine or in this network. */
export function connectedModel({
  url,
  shape,
  name,
  keyOf,
  certificates,
  signal,
}: ConnectedModelOptions): TextModel {
  const { host, port } = parseDestination(url);
  const endpoint = { url, shape, model: name, key: () => keyOf(host) };
  return modelEndpoint(endpoint, {
    client: guardedClient(),
    granted: [{ host, port }],
    certificates,
    signal,
  });
}

import type { JsonObject } from '../../model/json.js';
import { questionKeyIn, withQuestionKey } from '../../model/question-key.js';
import { serverRequestsOf } from '../../model/server-request.js';
import type { AskedClient, ClientRequests } from '../../run/run.js';
import { scannedClient } from '../call/scanned-requests.js';
import type { CallScan } from '../call/secret-scanner.js';

/** The client of a call as the servers of a package may ask it: only for what the operator allows. It sees who asks. */
export function allowedRequests(
  requests: ClientRequests | undefined,
  settings: readonly string[] | undefined,
  packageId: string,
  name: string,
): ClientRequests | undefined {
  if (requests === undefined) return undefined;
  // How a client shows questions needs no permission.
  const kinds = ['elicitation', ...serverRequestsOf(settings, packageId)].filter(
    (it) => it in requests.capabilities,
  );
  if (kinds.length === 0) return undefined;
  const capabilities = Object.fromEntries(
    kinds.map((kind) => [kind, requests.capabilities[kind] as JsonObject]),
  );
  const _meta = { 'toolwharf/package': packageId, 'toolwharf/tool': name };
  return {
    capabilities,
    send: (method, params) =>
      requests.send(method, withQuestionKey({ ...params, _meta }, questionKeyIn(params._meta))),
  };
}

/** The client as a server may ask it while a prompt or resource is read. `name`: `package/program`. */
export function readingClient(
  scan: CallScan,
  client: AskedClient,
  settings: readonly string[] | undefined,
  name: string,
): ReturnType<typeof scannedClient> {
  const { client: scanned, flushed } = scannedClient(scan, client);
  const [id = ''] = name.split('/');
  const clientRequests = allowedRequests(scanned.clientRequests, settings, id, name);
  return { client: { ...scanned, clientRequests }, flushed };
}

import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { AskedClient, ClientRequestMethod, ClientRequests, Progress } from '../../run/run.js';
import { scannedLog } from './scanned-log.js';
import type { CallScan } from './secret-scanner.js';

/** Characters of a request or of its answer as JSON. */
const maxLength = 1_000_000;

/**
 * Requests of a server to a client, without secrets in both directions: neither a model nor the server gets one. The
 * context of other servers is not asked for.
 */
export function scannedRequests(scan: CallScan, { capabilities, send }: ClientRequests): ClientRequests {
  return {
    capabilities,
    async send(method, { includeContext, ...params }) {
      assertLength(params, 'request to the client');
      const answer = await send(method, (await scan.clean(params)).value as JsonObject);
      assertLength(answer, 'answer of the client');
      return (await scan.clean(answer)).value as JsonObject;
    },
  };
}

/** What a server asks and reports while it is read from, without secrets. */
export function scannedClient(
  scan: CallScan,
  { onAsk, clientRequests, onProgress, logging, meta }: AskedClient,
): { readonly client: AskedClient; flushed(): Promise<void> } {
  const log = logging && scannedLog(scan, logging);
  const client = {
    meta,
    logging: log?.logging,
    onProgress:
      onProgress &&
      (({ message, ...rest }: Progress) =>
        onProgress(message === undefined ? rest : { ...rest, message: scan.cleanShortText(message) })),
    onAsk:
      onAsk &&
      (async (question: JsonObject) => {
        const answer = await onAsk((await scan.clean(question)).value as JsonObject);
        const secrets = await scan.foreignSecrets(answer.content ?? null);
        return secrets.length === 0 ? answer : { action: 'decline' };
      }),
    clientRequests: clientRequests && scannedRequests(scan, clientRequests),
  };
  return { client, flushed: async () => log?.flushed() };
}

/** Reports each request that is passed on. */
export function counted(
  requests: ClientRequests | undefined,
  onRequest: (method: ClientRequestMethod) => void,
): ClientRequests | undefined {
  if (requests === undefined) return undefined;
  const { capabilities, send } = requests;
  return {
    capabilities,
    send: (method, params) => {
      onRequest(method);
      return send(method, params);
    },
  };
}

function assertLength(value: JsonObject, what: string): void {
  if (JSON.stringify(value).length > maxLength)
    throw new HostError('tool_bad_output', `the ${what} is longer than ${maxLength} characters`);
}

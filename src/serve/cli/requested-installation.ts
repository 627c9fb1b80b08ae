import type { RemoteHost, RequestedInstallation } from '../../host/host.js';
import { requestStates } from '../../host/operations/request-shapes.js';
import { HostError } from '../../model/host-error.js';
import { expandId } from './id-prefix.js';

/** The request with an id, of which the start is enough. */
export async function findRequest(host: RemoteHost, written: string): Promise<RequestedInstallation> {
  const all = await host.installRequests.list(requestStates);
  const id = expandId(
    written,
    'req_',
    all.map((it) => it.id),
  );
  const found = all.find((it) => it.id === id);
  if (found !== undefined) return found;
  throw new HostError('not_found', `no install request with the id ${JSON.stringify(written.slice(0, 80))}`, {
    hint: 'list them: toolwharf requests list',
  });
}

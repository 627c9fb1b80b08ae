import { HostError } from '../../model/host-error.js';
import type { InstallRequestQueue } from '../operator/install-request-queue.js';
import { actorName } from '../operator/pin-auth.js';
import type { Installations, PlanRequest } from './installations.js';

/** The operations, with the requests of agents as sources. What is installed is what the agent asked for. */
export function withInstallRequests(
  installations: Installations,
  requests: Pick<InstallRequestQueue, 'waiting' | 'finish'>,
): Installations {
  const resolved = async <T extends PlanRequest>({ request, ...rest }: T): Promise<Omit<T, 'request'>> => {
    if (request === undefined) return rest;
    if (rest.source !== undefined) throw new HostError('usage', 'name a source or a request, not both');
    return { ...rest, source: (await requests.waiting(request)).source };
  };
  return {
    ...installations,
    plan: async (request) => installations.plan(await resolved(request)),
    async install(request) {
      const change = await installations.install(await resolved(request));
      if (request.request !== undefined)
        await requests.finish(request.request, actorName(request.by), {
          ...{ package: change.package, plan: request.agree },
        });
      return change;
    },
  };
}

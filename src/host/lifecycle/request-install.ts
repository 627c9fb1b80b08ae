import { HostError } from '../../model/host-error.js';
import type { AgentRequest, AgentRequestAnswer } from '../../model/requested-installation.js';
import { splitToolName } from '../../model/tool-name.js';
import type { SessionCatalog } from '../catalog/session-catalog.js';
import type { InstallRequestQueue } from '../operator/install-request-queue.js';
import { noticeTargetsOf } from '../operator/session-notice-targets.js';
import type { SessionSetup } from '../session-setup.js';

/** An agent asks for a package. It learns the state of its own request, and the tools once it is installed. */
export async function requestInstall(
  asked: AgentRequest,
  setup: SessionSetup,
  catalog: Pick<SessionCatalog, 'tools'>,
  requests: Pick<InstallRequestQueue, 'ask'>,
): Promise<AgentRequestAnswer> {
  const { principal, client, root, policy } = setup;
  if (policy.installRequests === false)
    throw new HostError('denied', 'the operator does not accept requests for packages');
  const noticeTargets = noticeTargetsOf(setup);
  const { id, state, expiresAt, decision, installed } = await requests.ask(asked, {
    ...{ principal, client, root, noticeTargets },
  });
  const answer = { request: id, state, expiresAt };
  if (installed !== null) {
    const tools = (await catalog.tools()).filter((it) => splitToolName(it.name)[0] === installed.package);
    return { ...answer, package: installed.package, tools: tools.map((it) => it.exposed) };
  }
  return decision === null ? answer : { ...answer, note: decision.note };
}

import { HostError } from '../../model/host-error.js';
import type { AgentRequest, AgentRequestAnswer } from '../../model/requested-installation.js';
import { splitToolName } from '../../model/tool-name.js';
import type { Caller } from '../call/caller.js';
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
  { labels }: Pick<Caller, 'labels'>,
): Promise<AgentRequestAnswer> {
  const { principal, client, root, policy } = setup;
  if (policy.installRequests === false)
    throw new HostError('denied', 'the operator does not accept requests for packages');
  const noticeTargets = noticeTargetsOf(setup);
  const { id, state, expiresAt, decision, installed } = await requests.ask(asked, {
    ...{ principal, client, root, noticeTargets },
    seenIn: await sourceSeen(asked.source, labels),
  });
  const answer = { request: id, state, expiresAt };
  if (installed !== null) {
    const tools = (await catalog.tools()).filter((it) => splitToolName(it.name)[0] === installed.package);
    return { ...answer, package: installed.package, tools: tools.map((it) => it.exposed) };
  }
  return decision === null ? answer : { ...answer, note: decision.note };
}

/** Where the session has seen the source or its name. Null: nowhere. */
async function sourceSeen(source: string, labels: Caller['labels']): Promise<string | null> {
  if (typeof source !== 'string') return null;
  const session = await labels();
  const parts = [source, ...source.split(/[:@]/).filter((it) => it.length >= 4 && /\p{L}/u.test(it))];
  return parts.map((it) => session.seenIn(it)).find((it) => it !== undefined) ?? null;
}

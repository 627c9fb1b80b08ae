import type { AgentRequestAnswer, Session } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { requestInstallName } from '../../model/tool-name.js';
import { visible } from '../print/visible.js';
import { invalidUse } from './meta-tool-calls.js';
import { errorResult, textResult } from './tool-mapping.js';

/** Answers `request_install`: what happened to the request, and the next step. */
export async function askForPackage(session: Session, args: JsonObject): Promise<JsonObject> {
  const { source, reason, ...more } = args;
  if (typeof source !== 'string' || typeof reason !== 'string' || Object.keys(more).length > 0)
    return invalidUse(
      `${requestInstallName} needs "source": where the package comes from, and "reason": why it is needed`,
    );
  try {
    const answer = await session.requestInstall({ source, reason });
    const meta = { 'toolwharf/status': answer.state, 'toolwharf/request': answer.request };
    return { ...textResult(answerText(answer)), _meta: meta };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
    return errorResult(text, { 'toolwharf/status': 'denied', 'toolwharf/code': error.code });
  }
}

function answerText({
  request,
  state,
  expiresAt,
  note,
  package: id,
  tools = [],
}: AgentRequestAnswer): string {
  switch (state) {
    case 'waiting':
      return `Waiting for a person: request ${request}. Nothing was fetched or installed yet. Tell the user to look at it with "toolwharf requests show ${request}". After that, call ${requestInstallName} again with the same source. It expires at ${new Date(expiresAt).toISOString()}.`;
    case 'installed':
      return tools.length === 0
        ? `Installed: package ${id}. None of its tools can be called now; the user can see why with "toolwharf info ${id}".`
        : `Installed: package ${id}. Its tools are ${tools.join(', ')}.`;
    case 'refused':
      return `Refused by a person: request ${request}.${note ? ` They said: ${visible(note)}` : ''} Do not ask for it again; find another way, or ask the user.`;
    case 'expired':
      return `Expired: nobody decided about request ${request}.`;
  }
}

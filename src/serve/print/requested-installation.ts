import type { RequestedInstallation } from '../../host/host.js';
import { printFacts } from './held-call.js';
import { revealLine } from './reveal.js';

/** Who asked for a package and why, above its plan. The reason is the agent's text. */
export function printRequester(
  { principal, reason, source, seenIn }: RequestedInstallation,
  columns: number | undefined,
): string {
  return printFacts(
    [
      ['asked by', revealLine(principal)],
      ['source', revealLine(source)],
      ['reason', `(unchecked words of the agent) ${revealLine(reason)}`],
      ...(seenIn === null ? [] : [['from', `(text of others) ${revealLine(seenIn)}`] as [string, string]]),
    ],
    columns,
  );
}

/** One request in full. Hidden characters are made visible. */
export function printRequest(request: RequestedInstallation, columns: number | undefined): string {
  const { id, state, client, root, createdAt, expiresAt, decision, installed } = request;
  const facts: [string, string][] = [
    ...(client === '' ? [] : [['client', revealLine(client)] as [string, string]]),
    ['workspace', revealLine(root)],
    ['asked at', new Date(createdAt).toISOString()],
    ...(state === 'waiting' ? [['until', new Date(expiresAt).toISOString()] as [string, string]] : []),
    ...(decision === null ? [] : [['decided', revealLine(decisionText(decision))] as [string, string]]),
    ...(installed === null
      ? []
      : [
          ['installed', `${revealLine(installed.package)}, plan ${installed.plan.slice(0, 12)}`] as [
            string,
            string,
          ],
        ]),
  ];
  return `${id}  ${state}\n${printRequester(request, columns)}${printFacts(facts, columns)}`;
}

function decisionText({ by, at, note }: NonNullable<RequestedInstallation['decision']>): string {
  return `by ${by} at ${new Date(at).toISOString()}${note === '' ? '' : `: ${note}`}`;
}

/** A new request as one line of `serve`. */
export function requestLine({ id, source, principal }: RequestedInstallation): string {
  return revealLine(
    `${'request'.padEnd(8)} ${source}  ${principal}  look at it: toolwharf requests show ${id}`,
  );
}

/** The same as an event of `serve --json`. */
export function requestEvent({ id, source, principal }: RequestedInstallation) {
  return { event: 'install-request', request: id, source, principal };
}

/** For other lists of what waits. Empty if nothing does. */
export function waitingRequestsLine(count: number): string {
  if (count === 0) return '';
  const what =
    count === 1 ? '1 package that an agent asked for waits' : `${count} packages that agents asked for wait`;
  return `${what}: toolwharf requests list\n`;
}

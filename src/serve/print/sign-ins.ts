import type { ServerSignIn } from '../../host/host.js';
import { visibleLine } from './visible.js';

/** The sign-ins to MCP servers, one per paragraph. */
export function printSignIns(entries: readonly ServerSignIn[]): string {
  if (entries.length === 0) return 'nobody is signed in to a server\n';
  return entries
    .map(({ package: id, url, issuer, scopes, signedInAt, expiresAt, isRenewed }) => {
      const until = isRenewed
        ? 'renewed by itself'
        : expiresAt === undefined
          ? 'until the server ends it'
          : `until ${minuteOf(expiresAt)}`;
      const lines = [
        id,
        `  server  ${url}`,
        `  at      ${issuer}, since ${minuteOf(signedInAt)}, ${until}`,
        ...(scopes.length === 0 ? [] : [`  scopes  ${scopes.join(', ')}`]),
      ];
      return `${lines.map(visibleLine).join('\n')}\n`;
    })
    .join('\n');
}

function minuteOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

import type { AcceptedWaiver, SessionWaiver } from '../../host/host.js';
import type { Rule } from '../../model/rule.js';
import { ruleOriginText } from '../../model/rule.js';
import type { Waiver } from '../../model/waiver.js';
import { revealLine } from './reveal.js';
import { ruleTomlLines } from './rule-toml.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';

/** Characters of an id in text. The command accepts them instead of the whole id. */
const shownId = 12;
/** Settings that are named one by one in a note. */
const maxNamed = 10;

/** One note per setting without effect, then the command that accepts them; empty if all are in force. */
export function inactiveNotes(waivers: readonly SessionWaiver[]): string[] {
  const inactive = waivers.filter((it) => !it.active);
  if (inactive.length === 0) return [];
  const more = inactive.length - maxNamed;
  return [
    ...inactive.slice(0, maxNamed).map((it) => `inactive: ${waiverLine(it)}`),
    ...(more > 0 ? [`inactive: ${more} more settings`] : []),
    acceptHint,
  ];
}

/** One warning per grant that is in force and has no effect on any package of the session. */
export function unusedGrantWarnings(waivers: readonly SessionWaiver[], given: readonly string[]): string[] {
  return waivers.flatMap(({ content, active, unused }) =>
    active && unused !== undefined && given.some((it) => isSameGrant(String(content), it))
      ? [`--allow ${content} has no effect: ${unused}`]
      : [],
  );
}

/** The path of a waiver is absolute; the one that was given may be relative. */
function isSameGrant(content: string, given: string): boolean {
  if (content === given) return true;
  const [, kind = '', path = ''] = /^((?:[^:=]+=)?(?:read|write):)(.*)$/s.exec(given) ?? [];
  return kind !== '' && content.startsWith(kind) && content.endsWith(path.replace(/^(?:\.\/)+|\/+$/g, ''));
}

/** How to accept settings; the command needs the same options as the one that printed this. */
export const acceptHint =
  'these settings have no effect until the operator accepts them: toolwharf policy accept (with the same --config, --allow and --root)';

/** What a waiver does, and where it is written. */
export function waiverLine({ text, origin }: Pick<Waiver, 'text' | 'origin'>): string {
  return origin === null ? text : `${text} (${ruleOriginText(origin)})`;
}

/** The waivers of a session, in full, for the person who decides about them. */
export function printSessionWaivers(waivers: readonly SessionWaiver[], style: Style): string {
  return waivers
    .map((it) => {
      const state = it.active ? style.good('active  ') : style.warning('inactive');
      const lines = [
        `${state} ${it.id.slice(0, shownId)}  ${revealLine(waiverLine(it))}`,
        ...contentLines(it),
      ];
      return `${lines.join('\n')}\n`;
    })
    .join('');
}

/** The accepted waivers, one line each. */
export function printAcceptedWaivers(accepted: readonly AcceptedWaiver[]): string {
  return accepted
    .map(({ id, text, acceptedAt, acceptedBy, verified }) => {
      const by = `${acceptedBy}${verified ? '' : ', without the PIN'}`;
      return `${id.slice(0, shownId)}  ${visibleLine(`${text}  accepted ${new Date(acceptedAt).toISOString()} by ${by}`)}\n`;
    })
    .join('');
}

/** A rule is shown as it is written; the text of other settings says everything. */
function contentLines({ kind, content, origin }: SessionWaiver): string[] {
  if (kind !== 'rule' || origin === null) return [];
  return ruleTomlLines({ ...(content as object), origin } as Rule).map((it) => `    ${revealLine(it)}`);
}

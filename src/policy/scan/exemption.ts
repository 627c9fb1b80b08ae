import { parseExemption } from '../../model/scan-exemption.js';
import { ruleNames } from './patterns.js';

/** Whether a text is an exemption from a rule that exists. Values of the vault have no rule: they cannot be exempted. */
export function isKnownExemption(text: string): boolean {
  return ruleNames.includes(parseExemption(text)?.rule ?? '');
}

/** The setting that would keep a finding, with `[*]` for items of lists. */
export function exemptionText(tool: string, path: string, rule: string): string {
  return `${tool} ${anyItem(path)} ${rule}`;
}

/** The exemptions for a tool, as a check; undefined if there are none. */
export function exemptionCheck(
  texts: readonly string[],
  tool: string,
): ((path: string, rule: string) => boolean) | undefined {
  const own = texts.map(parseExemption).filter((it) => it?.tool === tool);
  if (own.length === 0) return undefined;
  return (path, rule) =>
    own.some((it) => it?.rule === rule && (it.path === path || it.path === anyItem(path)));
}

function anyItem(path: string): string {
  return path.replace(/\[\d+\]/g, '[*]');
}

import type { PackageState } from '../../host/host.js';
import { shellQuote } from '../../model/shell-quote.js';
import { visibleLine } from '../print/visible.js';

const maxListed = 5;
/** An id longer than this is cut: the author of a package that nobody accepted chose it. */
const maxIdLength = 64;

/**
 * One line for each package that a person has to accept first: its id and the command. `state`: the state directory of
 * the host. Null for a client that may be on another machine: it learns no paths.
 */
export function reviewLines(packages: readonly PackageState[], state: string | null): readonly string[] {
  const waiting = packages.filter((it) => it.state === 'needs-review');
  const more = state === null ? '' : ` --state ${shellQuote(state)}`;
  const lines = waiting.slice(0, maxListed).map(({ id, path, nextStep, reasons }) => {
    const name = visibleLine(id ?? '').slice(0, maxIdLength);
    const command = `toolwharf review ${shellQuote(id ?? '')}`;
    if (state === null) return `${name}: ${visibleLine(command)}, on the machine of the host`;
    // Without a next step, a review cannot help: the id belongs to another package.
    if (nextStep === undefined) return `${name}: ${visibleLine(reasons.join('; '))}`;
    return `${name}: ${visibleLine(`${command} --dir ${shellQuote(path)}${more}`)}`;
  });
  const rest = waiting.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more: toolwharf list --attention${more}`] : lines;
}

/** Tells a model why packages are missing. It may only pass this on: a person decides. */
export function reviewNote(packages: readonly PackageState[], state: string | null): string {
  const lines = reviewLines(packages, state);
  if (lines.length === 0) return '';
  const list = lines.map((it) => `- ${it}`).join('\n');
  return `\n\nThese packages are not available until a person accepts them. Tell the user; only a person may run these commands:\n${list}`;
}

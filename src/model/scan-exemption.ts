/** One finding of the scanner that the operator keeps: one rule at one place in the answers of one tool. */
export interface ScanExemption {
  /** `package/tool`, without wildcards. */
  readonly tool: string;
  /** Such as `result.items[*].sync_token`; `[*]` is any item of a list. */
  readonly path: string;
  /** Id of a rule of the scanner. */
  readonly rule: string;
}

/** What a run outputs, in the order in which it is scanned. Paths of findings begin with one of these. */
export const outputRoots = ['result', 'warnings', 'log', 'content', 'meta'] as const;

export const exemptionHint =
  'write "TOOL PATH RULE", as "toolwharf policy explain TOOL --result FILE" prints it';

const written = /^([\w.-]+\/[\w.-]+) (\S.*?) ([a-z0-9-]+)$/;
const root = new RegExp(`^(?:${outputRoots.join('|')})(?:$|[.[])`);

/** Reads `TOOL PATH RULE`; undefined if it is not one. Whether the rule exists is not checked. */
export function parseExemption(text: string): ScanExemption | undefined {
  const [, tool, path, rule] = written.exec(text) ?? [];
  if (tool === undefined || path === undefined || rule === undefined || !root.test(path)) return undefined;
  return { tool, path, rule };
}

/** Who reads a hint: a person at a shell, a program that uses the library, or an HTTP client. */
export type HintSurface = 'command-line' | 'library' | 'http';

interface NextStep {
  /** The command, with its arguments as groups. */
  readonly command: RegExp;
  readonly library: (...args: readonly string[]) => string;
  /** Name of the operation for HTTP. */
  readonly operation: string;
}

const word = "('[^']*'|[^\\s;,\"')]+)";
const commandOf = (text: string) => new RegExp(`"?\\btoolwharf ${text.replaceAll('ARG', word)}"?`);
const quoted = (text = '') => `'${text.replace(/^'|'$/g, '')}'`;

/** The commands that hints name, and the same step on the other surfaces. */
const nextSteps: readonly NextStep[] = [
  {
    command: commandOf('secret set ARG ARG'),
    library: (id, slot) => `host.secrets.set({ package: ${quoted(id)}, slot: ${quoted(slot)}, … })`,
    operation: 'secrets.set',
  },
  { command: commandOf('secret list'), library: () => 'host.secrets.list()', operation: 'secrets.list' },
  {
    command: commandOf('review ARG'),
    library: (id) => `session.review(${quoted(id)}) and session.accept(…)`,
    operation: 'session.review',
  },
  {
    command: commandOf('enable ARG'),
    library: (id) => `host.switches.set(${quoted(id)}, true, …)`,
    operation: 'switches.set',
  },
  {
    command: commandOf('approvals approve ARG'),
    library: (id) => `host.approvals.approve(${quoted(id)}, …)`,
    operation: 'approvals.approve',
  },
  {
    command: commandOf('approvals list'),
    library: () => 'host.approvals.list()',
    operation: 'approvals.list',
  },
  { command: commandOf('token list'), library: () => 'host.tokens.list()', operation: 'tokens.list' },
  {
    command: commandOf('token create ARG'),
    library: (name) => `host.tokens.create({ name: ${quoted(name)}, … })`,
    operation: 'tokens.create',
  },
  { command: commandOf('pin set'), library: () => 'host.operator.setPin(…)', operation: 'operator.setPin' },
  { command: commandOf('audit verify'), library: () => 'host.verifyAudit()', operation: 'verifyAudit' },
  { command: commandOf('audit tail'), library: () => 'host.auditTail(20)', operation: 'auditTail' },
  {
    command: commandOf('install ARG'),
    library: () => 'session.install(…)',
    operation: 'session.install',
  },
];

const shellWords = ', or at a shell: ';

/**
 * A hint for the surface that shows it. Hints are written for a shell; elsewhere the same step is named first, and the
 * command stays, because the operator may have a shell.
 */
export function hintFor(surface: HintSurface, hint: string): string {
  // A hint that is already worded for a surface stays.
  if (surface === 'command-line' || hint.includes(shellWords)) return hint;
  let worded = hint;
  for (const { command, library, operation } of nextSteps) {
    worded = worded.replace(command, (found, ...rest) => {
      const args = rest.filter((it): it is string => typeof it === 'string').slice(0, -1);
      const step = surface === 'library' ? library(...args) : `POST /api/v1/operations/${operation}`;
      return `${step}${shellWords}${found}`;
    });
  }
  return worded;
}

/** Names of the operations that hints for HTTP mention. */
export const hintedOperations: readonly string[] = nextSteps.map((it) => it.operation);
/** The methods that hints for the library mention, such as `host.secrets.set`. */
export const hintedMethods: readonly string[] = nextSteps.flatMap(
  (it) => it.library('a', 'b').match(/\b(?:host|session)(?:\.\w+)+/g) ?? [],
);

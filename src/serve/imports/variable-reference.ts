/** What a text with references to variables means here. */
export type ResolvedText =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Variables whose values are in the text. */
      readonly from: readonly string[];
    }
  | { readonly kind: 'unresolved'; readonly reason: string };

/** The values that references can have. */
export interface ReferencePlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The project folder; undefined if the file belongs to no project. */
  readonly project: string | undefined;
}

/** `${env:A}`, `${A}`, `${A:-default}`, `{env:A}`, `${{ secrets.A }}`, `${input:a}`, and `$A` as the whole text. */
const reference = /\$\{\{\s*([^}]*?)\s*\}\}|\$\{([^}]*)\}|\{env:([^}]*)\}|^\$([A-Za-z_]\w*)$/g;

/** Replaces the references that clients understand by their values. A pure function. */
export function resolveReferences(text: string, place: ReferencePlace): ResolvedText {
  const from: string[] = [];
  let problem: string | undefined;
  const resolved = text.replace(reference, (all, secret, braces, env, bare) => {
    const written = String(secret ?? braces ?? env ?? bare);
    const found = referredValue(written, place);
    if ('reason' in found) {
      problem ??= found.reason;
      return all;
    }
    if (found.variable !== undefined) from.push(found.variable);
    return found.value;
  });
  return problem === undefined
    ? { kind: 'text', text: resolved, from }
    : { kind: 'unresolved', reason: problem };
}

type Found = { readonly value: string; readonly variable?: string } | { readonly reason: string };

function referredValue(written: string, { environment, home, project }: ReferencePlace): Found {
  const [, asked] = /^input:(.*)$/s.exec(written) ?? [];
  if (asked !== undefined) return { reason: `its value comes from a question of the client (${asked})` };
  if (written === 'userHome') return { value: home };
  if (written === 'pathSeparator' || written === '/') return { value: '/' };
  if (written === 'workspaceFolder')
    return project === undefined
      ? { reason: 'it uses the folder that is open in the client (workspaceFolder)' }
      : { value: project };
  const [, name, fallback] = /^(?:env:|secrets\.|env\.)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(written) ?? [];
  if (name === undefined)
    return { reason: `it uses ${JSON.stringify(written)}, which only the client knows` };
  const value = environment[name];
  if (value !== undefined && value !== '') return { value, variable: name };
  if (fallback !== undefined) return { value: fallback };
  return { reason: `it needs the variable ${name}, which is not set here` };
}

import { sha256Bytes } from '../../files/sha256.js';
import { suggest } from '../../formats/suggest.js';
import { HostError } from '../../model/host-error.js';
import type { Json, JsonSchema } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import { splitToolName } from '../../model/tool-name.js';
import type { ToolSet } from '../../model/tool-set.js';
import { matchesToolName } from '../../policy/rules/tool-rules.js';
import { redactNow } from '../../policy/scan/redact-secrets.js';
import { type CheckValue, fixedProblems } from '../../policy/sets/fixed-schema.js';
import type { SchemaValidator } from '../../schema/validator.js';

/** The known tools of a package; null if the host does not know the package. */
export type KnownTools = (packageId: string) => Promise<readonly Tool[] | null>;

/** Compiles schemas to check values. A schema that cannot be compiled accepts nothing. */
export function valueChecker(engine: { outputValidator(schema: JsonSchema): SchemaValidator }): CheckValue {
  return (schema, value) => {
    try {
      const checked = engine.outputValidator(schema).check(value);
      return checked.ok ? [] : checked.errors;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return [error.message];
    }
  };
}

/** Sets are copied between machines and shown to people, so keys are not stored in them. */
export function assertNoKeys(set: ToolSet): void {
  const options = { guesses: false, reportSamples: true, sha256: sha256Bytes };
  const [found] = redactNow(set as unknown as Json, [], options).findings;
  if (found === undefined) return;
  throw new HostError('guardrail', `the set contains something that looks like a key (${found.name})`, {
    hint: 'remove it: tools get keys only from the vault: toolwharf secret set PACKAGE SLOT',
  });
}

/**
 * Checks what a set says about tools that the host knows. Throws if fixed arguments are not valid. Returns what could not
 * be checked or matches nothing: a set may come from another machine.
 */
export async function checkAgainstTools(
  set: ToolSet,
  knownTools: KnownTools,
  check: () => Promise<CheckValue>,
): Promise<string[]> {
  const remarks: string[] = [];
  for (const [key, { arguments: fixed }] of Object.entries(set.tools)) {
    const [id, name = ''] = splitToolName(key);
    const known = await knownTools(id);
    if (known === null) {
      remarks.push(`${id} is not known here, so ${key} was not checked`);
      continue;
    }
    if (name === '*') continue;
    const tool = known.find((it) => it.name === name);
    if (tool === undefined) {
      const near = suggest(
        name,
        known.map((it) => it.name),
      );
      remarks.push(`${id} has no tool ${name} now${near === undefined ? '' : `; did you mean ${near}?`}`);
    } else if (fixed !== undefined) {
      const problems = fixedProblems(tool.input, fixed, await check());
      if (problems.length > 0)
        throw new HostError(
          'invalid_input',
          `${key} cannot have these fixed arguments: ${problems.join('; ')}`,
          {
            hint: `see its inputs: toolwharf info ${id}`,
          },
        );
    }
  }
  for (const pattern of set.only ?? []) {
    const [id] = splitToolName(pattern);
    const known = id.includes('*') ? [] : await knownTools(id);
    if (known === null) remarks.push(`${id} is not known here, so ${pattern} was not checked`);
    else if (!id.includes('*') && !known.some((it) => matchesToolName(pattern, `${id}/${it.name}`)))
      remarks.push(`${pattern} matches no tool of ${id} now`);
  }
  return remarks;
}

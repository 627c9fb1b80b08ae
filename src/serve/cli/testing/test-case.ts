import { HostError } from '../../../model/host-error.js';
import type { Json } from '../../../model/json.js';
import type { Package } from '../../../model/package.js';
import type { CasesFile, SavedCase } from './cases-file.js';

/** A call to make, what it must answer, and where it is written. */
export interface TestCase extends Omit<SavedCase, 'arguments'> {
  readonly arguments: Json;
  /** Its number in the file of saved cases; absent for an example that only the manifest has. */
  readonly index?: number;
  readonly file: string;
  readonly line: number;
}

/**
 * The saved cases, then the examples of the manifest that no case names. An example without an output has no expected
 * answer: it must only succeed.
 */
export function testCases(pkg: Package, manifest: string, saved: CasesFile | undefined): readonly TestCase[] {
  const cases = saved?.cases ?? [];
  const fromFile = cases.map((it, index): TestCase => {
    const place = { index, file: saved?.path ?? '', line: saved?.lineOf(index) ?? 1 };
    if (it.example === undefined) return { ...it, ...place };
    const example = pkg.tools.find((tool) => tool.name === it.tool)?.examples[it.example - 1];
    if (example?.input === undefined)
      throw new HostError('usage', `${place.file}:${place.line}: ${it.tool} has no example ${it.example}`, {
        hint: 'examples are counted from 1 and need an input',
      });
    return { ...it, ...place, arguments: example.input, ...outputOf(example.output) };
  });
  const isNamed = (tool: string, number: number) =>
    cases.some((it) => it.tool === tool && it.example === number);
  const fromManifest = pkg.tools.flatMap((tool) =>
    tool.examples.flatMap(({ description, input, output }, at): TestCase[] => {
      if (input === undefined || isNamed(tool.name, at + 1)) return [];
      return [
        {
          name: `${tool.name} example ${at + 1}${description === '' ? '' : `: ${description}`}`,
          tool: tool.name,
          example: at + 1,
          arguments: input,
          ...outputOf(output),
          ...{ ignore: [], approve: false, file: manifest, line: 1 },
        },
      ];
    }),
  );
  return [...fromFile, ...fromManifest];
}

function outputOf(output: Json | undefined): { readonly answer?: Json } {
  return output === undefined ? {} : { answer: output };
}

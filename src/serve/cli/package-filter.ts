import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { suggest } from '../../formats/suggest.js';
import type { PackageState } from '../../host/host.js';
import { packageStates } from '../../host/operations/session-shapes.js';
import { HostError } from '../../model/host-error.js';
import type { Arguments, Option } from './command/command.js';
import { isPackagePath } from './package-path.js';
import type { Terminal } from './terminal/terminal.js';

/** Which packages `list` shows. Empty members match every package. */
export interface PackageFilter {
  readonly states: readonly string[];
  readonly formats: readonly string[];
  readonly terms: readonly string[];
}

/** The command line of `list` without its filters. */
export interface FilteredArguments {
  readonly args: Arguments;
  readonly paths: readonly string[];
  readonly filter: PackageFilter;
}

const outputs = ['json', 'text'];

/** Both options also have the meaning that they have for every command. */
export function filterOptions(formats: readonly string[]): readonly Option[] {
  return [
    {
      name: 'state',
      value: 'STATE|DIR',
      choices: packageStates,
      multiple: true,
      text: `show only packages in this state: ${packageStates.join(', ')}; any other value is the state directory`,
    },
    {
      name: 'format',
      value: 'FORMAT',
      choices: [...formats, ...outputs],
      multiple: true,
      text: `show only packages of this format: ${formats.join(', ')}; or print text or json`,
    },
  ];
}

/** Separates filters from paths, the state directory and the output format. */
export function splitFilter(
  args: Arguments,
  formats: readonly string[],
  terminal: Terminal,
): FilteredArguments {
  const isState = (it: string) => (packageStates as readonly string[]).includes(it);
  const directories = args.values('state').filter((it) => !isState(it));
  if (directories.length > 1) throw new HostError('usage', '--state names more than one state directory');
  const wanted = args.values('format').filter((it) => !outputs.includes(it));
  const unknown = wanted.find((it) => !formats.includes(it));
  if (unknown !== undefined) {
    const meant = suggest(unknown, [...formats, ...outputs]);
    throw new HostError('usage', `unknown format ${JSON.stringify(unknown)}`, {
      hint: `${meant === undefined ? '' : `did you mean ${meant}? `}use one of ${formats.join(', ')}; or json or text for the output`,
    });
  }
  const isPath = (it: string) =>
    it.includes('/') || isPackagePath(it, terminal) || existsSync(resolve(terminal.cwd, it));
  return {
    args: {
      ...args,
      value: (name) => (name === 'state' ? directories[0] : args.value(name)),
      values: (name) => (name === 'state' ? directories : args.values(name)),
    },
    paths: args.positionals.filter(isPath),
    filter: {
      states: args.values('state').filter(isState),
      formats: wanted,
      terms: args.positionals.filter((it) => !isPath(it)),
    },
  };
}

export function isEmptyFilter({ states, formats, terms }: PackageFilter): boolean {
  return states.length + formats.length + terms.length === 0;
}

/** Every word must be in the id, the name, the description, or the name or description of a tool. */
export function matchesFilter(it: PackageState, { states, formats, terms }: PackageFilter): boolean {
  const texts = [
    it.id ?? it.path,
    it.package?.name ?? '',
    it.package?.description ?? '',
    ...it.tools.flatMap((tool) => [tool.name, tool.description]),
  ].map((text) => text.toLowerCase());
  return (
    (states.length === 0 || states.includes(it.state)) &&
    (formats.length === 0 || formats.includes(it.format)) &&
    terms.every((term) => texts.some((text) => text.includes(term.toLowerCase())))
  );
}

/** A word that no package has could be a mistyped folder, so it is an error. `others`: ids that are shown beside them. */
export function assertWordsMatch(
  packages: readonly PackageState[],
  { terms }: PackageFilter,
  others: readonly string[] = [],
): void {
  const missing = terms.find(
    (term) =>
      !others.includes(term) &&
      !packages.some((it) => matchesFilter(it, { states: [], formats: [], terms: [term] })),
  );
  if (missing === undefined) return;
  const names = packages.flatMap((it) => [
    ...(it.id === null ? [] : [it.id]),
    ...it.tools.map((tool) => tool.name),
  ]);
  const meant = suggest(missing, [...new Set(names)]);
  throw new HostError(
    'not_found',
    `no package matches ${JSON.stringify(missing)}, and no such file or folder exists`,
    {
      hint: meant === undefined ? '"toolwharf list" shows all packages here' : `did you mean ${meant}?`,
    },
  );
}

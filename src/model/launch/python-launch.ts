import { pypiRangeOf } from '../package-range.js';
import { pythonIndexProblem } from './index-variable.js';
import { type LaunchProblem, launchProblem } from './launch.js';
import { optionValues, readOptions } from './option-reader.js';

const known = {
  flags: [
    '-q',
    '--quiet',
    '-v',
    '--verbose',
    '--isolated',
    '--no-cache',
    '-n',
    '--refresh',
    '--offline',
    '--native-tls',
    '--pypackages',
  ],
  values: [
    '--from',
    '--spec',
    '--python',
    '-p',
    '--with',
    '-w',
    '--index-url',
    '-i',
    '--index',
    '--default-index',
    '--extra-index-url',
    '--pip-args',
    '--prerelease',
    '--cache-dir',
    '--directory',
  ],
};

export interface PythonLaunch {
  readonly package: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly notes: readonly string[];
}

/** The arguments of `uvx`, `uv tool run` and `pipx run`. */
export function readPythonLaunch(runner: string, argv: readonly string[]): PythonLaunch | LaunchProblem {
  const read = readOptions(argv, known);
  if (read.unknown !== undefined)
    return launchProblem(`${runner} has an option that is not known here: ${read.unknown}`, 'leave it out');
  if (optionValues(read, '--with', '-w').length > 0)
    return launchProblem(
      `${runner} would install further packages`,
      'only the package of the server is installed',
    );
  if (optionValues(read, '--index-url', '-i', '--index', '--default-index', '--extra-index-url').length > 0)
    return pythonIndexProblem(runner);
  if (optionValues(read, '--pip-args').length > 0)
    return launchProblem(
      `${runner} has options for pip, which could name another index`,
      'leave out --pip-args; name an index with --index, or as python.index in the configuration',
    );
  const [first, ...args] = read.rest;
  if (first === undefined)
    return launchProblem(`${runner} is not told which package to run`, `write ${runner} PACKAGE ARGS…`);
  const named = requirementOf(optionValues(read, '--from', '--spec')[0] ?? first);
  const found = named === undefined ? undefined : pypiRangeOf(named);
  if (named === undefined || found === undefined)
    return launchProblem(
      `${JSON.stringify(first)} is not a package of a Python index`,
      'write NAME or NAME==VERSION; extras and URLs are not supported',
    );
  const hasOwnName = optionValues(read, '--from', '--spec').length > 0;
  return {
    package: named,
    command: hasOwnName ? first : found.name,
    args,
    notes:
      optionValues(read, '--python', '-p').length > 0
        ? ['the version of Python is chosen by the host; --python has no effect']
        : [],
  };
}

/** uv also writes `NAME@VERSION`. */
function requirementOf(text: string): string | undefined {
  const [name = '', version, ...more] = text.split('@');
  if (more.length > 0) return undefined;
  if (version === undefined) return text;
  return version === 'latest' ? name : `${name}==${version}`;
}

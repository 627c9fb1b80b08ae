import { npmRangeOf } from '../package-range.js';
import { registryProblem } from './index-variable.js';
import { type LaunchProblem, launchProblem } from './launch.js';
import { optionValues, readOptions } from './option-reader.js';

const known = {
  flags: [
    '-y',
    '--yes',
    '-q',
    '--quiet',
    '--silent',
    '--bun',
    '--no-install',
    '--prefer-offline',
    '--prefer-online',
    '--no',
  ],
  values: ['-p', '--package', '-c', '--call', '--registry', '--allow-build', '--cache', '--loglevel'],
};

export interface NpmLaunch {
  readonly package: string;
  readonly command?: string;
  readonly args: readonly string[];
}

/** The arguments of `npx`, `npm exec`, `bunx`, `pnpm dlx` and `yarn dlx`. */
export function readNpmLaunch(runner: string, argv: readonly string[]): NpmLaunch | LaunchProblem {
  const read = readOptions(argv, known);
  if (read.unknown !== undefined)
    return launchProblem(`${runner} has an option that is not known here: ${read.unknown}`, 'leave it out');
  if (optionValues(read, '-c', '--call').length > 0)
    return launchProblem(
      `${runner} would run a line of a shell`,
      'name the package and its arguments instead',
    );
  if (optionValues(read, '--registry').length > 0) return registryProblem(runner);
  const packages = optionValues(read, '-p', '--package');
  if (packages.length > 1)
    return launchProblem(
      `${runner} would install ${packages.length} packages`,
      'name the one with the server; its dependencies come with it',
    );
  // The options of npm may also come after the name: npx NAME -y. They belong to the server then.
  const [first, ...args] = read.rest[0] === '--' ? read.rest.slice(1) : read.rest;
  const named = packages[0] ?? first;
  if (named === undefined)
    return launchProblem(`${runner} is not told which package to run`, `write ${runner} PACKAGE ARGS…`);
  if (npmRangeOf(named) === undefined)
    return launchProblem(
      `${JSON.stringify(named)} is not a package of a registry`,
      'publish it, or install it on this machine and name its command',
    );
  if (packages[0] === undefined) return { package: named, args };
  return first === undefined ? { package: named, args } : { package: named, command: first, args };
}

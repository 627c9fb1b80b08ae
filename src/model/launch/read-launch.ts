import { readImageLaunch } from './image-launch.js';
import { type Launch, type LaunchProblem, launchProblem } from './launch.js';
import { readNpmLaunch } from './npm-launch.js';
import { readPythonLaunch } from './python-launch.js';

/** Reads a command line as clients of MCP configure it. A pure function: nothing is looked up. */
export function readLaunch(argv: readonly string[]): Launch | LaunchProblem {
  const { env, rest } = withoutVariables(argv);
  const [command = '', ...args] = withoutShell(rest);
  const empty = { env, passed: [], mounts: [], notes: [] };
  if (command === '') return launchProblem('the command line is empty', 'write the command after "--"');
  const runner =
    command
      .split('/')
      .at(-1)
      ?.replace(/\.(?:cmd|exe)$/i, '') ?? '';
  const [first = '', ...more] = args;
  const npm = npmArguments(runner, args);
  if (npm !== undefined) {
    const read = readNpmLaunch(npm.runner, npm.argv);
    if ('problem' in read) return read;
    const { args: own, ...named } = read;
    return { ...empty, program: { kind: 'npm', ...named }, args: own };
  }
  if (
    runner === 'uvx' ||
    (runner === 'uv' && first === 'tool' && more[0] === 'run') ||
    (runner === 'pipx' && first === 'run')
  ) {
    const name = runner === 'uvx' ? 'uvx' : runner === 'uv' ? 'uv tool run' : 'pipx run';
    const read = readPythonLaunch(name, runner === 'uvx' ? args : runner === 'uv' ? more.slice(1) : more);
    if ('problem' in read) return read;
    const { args: own, notes, package: named, command: started } = read;
    return { ...empty, notes, program: { kind: 'pypi', package: named, command: started }, args: own };
  }
  if (
    (runner === 'docker' || runner === 'podman') &&
    (first === 'run' || (first === 'container' && more[0] === 'run'))
  ) {
    const read = readImageLaunch(`${runner} run`, first === 'run' ? more : more.slice(1));
    if ('problem' in read) return read;
    const { image, env: own, ...others } = read;
    return { ...others, env: { ...env, ...own }, program: { kind: 'image', image } };
  }
  const unusable = unusableCommand(runner, first);
  if (unusable !== undefined) return unusable;
  return { ...empty, program: { kind: 'program', command }, args };
}

function npmArguments(runner: string, args: readonly string[]) {
  const [first = '', ...more] = args;
  switch (runner) {
    case 'npx':
    case 'pnpx':
    case 'bunx':
      return { runner, argv: args };
    case 'npm':
      return first === 'exec' || first === 'x'
        ? { runner: 'npm exec', argv: withoutDashes(more) }
        : undefined;
    case 'bun':
      return first === 'x' ? { runner: 'bun x', argv: more } : undefined;
    case 'yarn':
      return first === 'dlx' ? { runner: 'yarn dlx', argv: more } : undefined;
    case 'pnpm': {
      // Options may be before the subcommand: pnpm --package=x dlx y.
      const at = args.indexOf('dlx');
      return at === -1
        ? undefined
        : { runner: 'pnpm dlx', argv: [...args.slice(0, at), ...args.slice(at + 1)] };
    }
    default:
      return undefined;
  }
}

/** npm needs `--` before arguments of the command: npm exec NAME -- ARGS. */
function withoutDashes(argv: readonly string[]): string[] {
  const at = argv.indexOf('--');
  return at === -1 ? [...argv] : [...argv.slice(0, at), ...argv.slice(at + 1)];
}

/** `KEY=VALUE command` and `env KEY=VALUE command`. */
function withoutVariables(argv: readonly string[]) {
  const env: Record<string, string> = {};
  let at = /^(?:\/usr\/bin\/)?env$/.test(argv[0] ?? '') ? 1 : 0;
  for (; at < argv.length; at++) {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(argv[at] ?? '') ?? [];
    if (name === undefined || value === undefined) break;
    env[name] = value;
  }
  return { env, rest: argv.slice(at) };
}

/** Clients on Windows start npx with `cmd /c`. */
function withoutShell(argv: readonly string[]): readonly string[] {
  return /^cmd(?:\.exe)?$/i.test(argv[0] ?? '') && /^\/c$/i.test(argv[1] ?? '') ? argv.slice(2) : argv;
}

function unusableCommand(runner: string, first: string): LaunchProblem | undefined {
  if (/^(?:ba|da|z)?sh$/.test(runner) && first.startsWith('-'))
    return launchProblem(
      'a line of a shell cannot be read or locked',
      'write the command of the server itself',
    );
  if (runner === 'sudo') return launchProblem('servers never run as root', 'leave out sudo');
  if ((runner === 'uv' || runner === 'poetry' || runner === 'deno') && first === 'run')
    return launchProblem(
      `${runner} run would fetch packages each time the server starts`,
      'publish the server, or start its script: python3 FILE',
    );
  return undefined;
}

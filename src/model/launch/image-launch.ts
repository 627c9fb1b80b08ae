import { imagePattern } from '../package-range.js';
import { type LaunchMount, type LaunchProblem, launchProblem } from './launch.js';
import { optionValues, type ReadOptions, readOptions } from './option-reader.js';

const known = {
  flags: [
    '-i',
    '--interactive',
    '-t',
    '--tty',
    '--rm',
    '--init',
    '-q',
    '--quiet',
    '--read-only',
    '-d',
    '--detach',
  ],
  values: [
    '-e',
    '--env',
    '-v',
    '--volume',
    '--mount',
    '--name',
    '--network',
    '--net',
    '--pull',
    '--platform',
    '-u',
    '--user',
    '-w',
    '--workdir',
    '-p',
    '--publish',
    '--add-host',
    '-l',
    '--label',
    '--env-file',
    '--entrypoint',
    '-m',
    '--memory',
    '--cpus',
    '--security-opt',
    '--cap-drop',
    '--tmpfs',
    '--restart',
    '--log-driver',
  ],
};
/** They would give the container more than it may have, or change what runs. */
const rejected = ['--env-file', '--entrypoint', '--detach', '-d'];
/** The host decides these itself. */
const decidedHere = [
  '--network',
  '--net',
  '-p',
  '--publish',
  '--add-host',
  '-u',
  '--user',
  '-w',
  '--workdir',
  '--tmpfs',
  '-m',
  '--memory',
  '--cpus',
  '--security-opt',
  '--platform',
];

export interface ImageLaunch {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly passed: readonly string[];
  readonly mounts: readonly LaunchMount[];
  readonly notes: readonly string[];
}

/** The arguments of `docker run` and `podman run`. */
export function readImageLaunch(runner: string, argv: readonly string[]): ImageLaunch | LaunchProblem {
  const read = readOptions(argv, known);
  if (read.unknown !== undefined)
    return launchProblem(`${runner} has an option that is not known here: ${read.unknown}`, 'leave it out');
  const wrong = read.options.find((it) => rejected.includes(it.name));
  if (wrong !== undefined)
    return launchProblem(`${runner} ${wrong.name} is not supported`, 'leave it out; give values with --env');
  const [named, ...args] = read.rest;
  if (named === undefined)
    return launchProblem(`${runner} is not told which image to run`, `write ${runner} IMAGE ARGS…`);
  const image = withRegistry(named);
  if (!imagePattern.test(image))
    return launchProblem(`${JSON.stringify(named)} is not an image`, 'write it as REGISTRY/NAME:TAG');
  const mounts = mountsOf(read);
  if (!Array.isArray(mounts)) return mounts as LaunchProblem;
  const env: Record<string, string> = {};
  const passed: string[] = [];
  for (const text of optionValues(read, '-e', '--env')) {
    const equals = text.indexOf('=');
    if (equals === -1) passed.push(text);
    else env[text.slice(0, equals)] = text.slice(equals + 1);
  }
  const ignored = [...new Set(read.options.map((it) => it.name))].filter((it) => decidedHere.includes(it));
  return {
    image,
    args: args.map((it) => movedPath(it, mounts)),
    env,
    passed,
    mounts,
    notes: [
      ...ignored.map((it) => `${it} has no effect: the host decides this`),
      ...mounts
        .filter((it) => it.from !== it.to && !args.some((arg) => isAt(arg, it.to)))
        .map((it) => `${it.from} is seen at its own path, not at ${it.to}`),
    ],
  };
}

/** As container engines do: a name without a registry is on Docker Hub. */
function withRegistry(name: string): string {
  const [first = '', ...rest] = name.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (hasHost) return name;
  return rest.length === 0 ? `docker.io/library/${name}` : `docker.io/${name}`;
}

function mountsOf(read: ReadOptions): LaunchMount[] | LaunchProblem {
  const found: LaunchMount[] = [];
  for (const text of optionValues(read, '-v', '--volume')) {
    const [from = '', to = '', options = ''] = text.split(':');
    if (!from.startsWith('/') && !/^[.~]/.test(from))
      return launchProblem(
        `-v ${text} is a volume of the container engine`,
        'leave it out: the server has a private folder that lasts, as its home folder',
      );
    found.push({ from, to: to === '' ? from : to, writable: !options.split(',').includes('ro') });
  }
  for (const text of optionValues(read, '--mount')) {
    const fields = new Map(text.split(',').map((it) => it.split('=', 2) as [string, string | undefined]));
    const from = fields.get('src') ?? fields.get('source');
    const to = fields.get('dst') ?? fields.get('destination') ?? fields.get('target');
    if (fields.get('type') !== 'bind' || from === undefined || to === undefined)
      return launchProblem(`--mount ${text} is not a folder of this machine`, 'write type=bind,src=…,dst=…');
    found.push({ from, to, writable: !fields.has('ro') && !fields.has('readonly') });
  }
  return found;
}

function isAt(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);
}

/** A path of the container, as the path of this machine that it stands for. */
function movedPath(arg: string, mounts: readonly LaunchMount[]): string {
  const mount = mounts.find((it) => isAt(arg, it.to));
  return mount === undefined ? arg : `${mount.from}${arg.slice(mount.to.replace(/\/$/, '').length)}`;
}

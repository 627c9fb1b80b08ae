import { HostError } from '../../model/host-error.js';
import { type ContainerEngine, engineArgs, engineErrorText, runEngine } from './engine.js';

/**
 * An image with empty folders only; the system's programs are mounted into it. The engine probe and the egress container
 * use it, so that neither depends on the content of another image.
 */
export const baseImageName = 'localhost/toolwharf-base:1';

const folders = ['usr', 'etc', 'proc', 'dev', 'sys', 'tmp', 'run', 'run/toolwharf'];
const links: readonly (readonly [string, string])[] = [
  ['bin', 'usr/bin'],
  ['sbin', 'usr/sbin'],
  ['lib', 'usr/lib'],
  ['lib64', 'usr/lib64'],
];
const timeoutMs = 30_000;

/** The id of the base image; creates the image if it does not exist. */
export async function ensureBaseImage(engine: ContainerEngine): Promise<string> {
  const existing = await runEngine(
    engine.path,
    [...engineArgs(engine), 'image', 'inspect', '--format', '{{.Id}}', baseImageName],
    { timeoutMs: timeoutMs },
  );
  if (existing.code === 0) return idIn(existing.stdout);
  const created = await runEngine(engine.path, [...engineArgs(engine), 'import', '-', baseImageName], {
    timeoutMs: timeoutMs,
    stdin: baseImageArchive(),
  });
  if (created.code === 0) return idIn(created.stdout);
  throw new HostError(
    'sandbox_unavailable',
    `the container engine could not import an image: ${engineErrorText(created)}`,
    {
      hint: `check the engine: ${engine.path} info`,
    },
  );
}

function idIn(text: string): string {
  const id = /(?:sha256:)?([a-f0-9]{64})\s*$/.exec(text)?.[1];
  if (id === undefined)
    throw new HostError('sandbox_unavailable', 'the container engine returned no image id');
  return id;
}

/** A tar archive: one header block per entry, two empty blocks at the end. */
function baseImageArchive(): Uint8Array {
  const blocks = [
    ...folders.map((path) => header(`${path}/`, '5', 0o755, '')),
    ...links.map(([path, target]) => header(path, '2', 0o777, target)),
    Buffer.alloc(1024),
  ];
  return Buffer.concat(blocks);
}

function header(path: string, type: '2' | '5', mode: number, target: string): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(path, 0);
  block.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(0, 11)}\0${octal(0, 11)}\0`, 100);
  block.write(`        ${type}${target}`, 148);
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((all, it) => all + it, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

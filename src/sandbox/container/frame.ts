import { HostError } from '../../model/host-error.js';
import { complaintOf, type Engine, engineArgs, runEngine } from './engine.js';

/**
 * An image with nothing in it but places: the system's own programs are lent to it. It is what the engine is tried with,
 * and what the way out of a container runs in, so that neither depends on what an image brings.
 */
export const frameName = 'localhost/toolwharf-frame:1';

const folders = ['usr', 'etc', 'proc', 'dev', 'sys', 'tmp', 'run', 'run/toolwharf'];
const links: readonly (readonly [string, string])[] = [
  ['bin', 'usr/bin'],
  ['sbin', 'usr/sbin'],
  ['lib', 'usr/lib'],
  ['lib64', 'usr/lib64'],
];
const patienceMs = 30_000;

/** The id of the frame; made when it is not there yet. */
export async function frameOf(engine: Engine): Promise<string> {
  const known = await runEngine(
    engine.path,
    [...engineArgs(engine), 'image', 'inspect', '--format', '{{.Id}}', frameName],
    { timeoutMs: patienceMs },
  );
  if (known.code === 0) return idIn(known.stdout);
  const made = await runEngine(engine.path, [...engineArgs(engine), 'import', '-', frameName], {
    timeoutMs: patienceMs,
    stdin: frameArchive(),
  });
  if (made.code === 0) return idIn(made.stdout);
  throw new HostError(
    'sandbox_unavailable',
    `the container engine cannot keep images: ${complaintOf(made)}`,
    {
      hint: `find out what is wrong: ${engine.path} info`,
    },
  );
}

function idIn(text: string): string {
  const id = /(?:sha256:)?([a-f0-9]{64})\s*$/.exec(text)?.[1];
  if (id === undefined)
    throw new HostError('sandbox_unavailable', 'the container engine gave no id of an image');
  return id;
}

/** A tar archive: one block for each place, two empty ones at the end. */
function frameArchive(): Uint8Array {
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

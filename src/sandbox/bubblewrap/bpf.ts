/** One instruction of classic BPF, which seccomp uses to filter system calls. */
export interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

/**
 * A complete part of a program: every path through it ends in a return. Blocks are only combined as wholes, so every
 * jump has a valid target and goes forward.
 */
export type Block = readonly Instruction[];

const codes = { load: 0x20, always: 0x05, equal: 0x15, atLeast: 0x35, anyBit: 0x45, and: 0x54, return: 0x06 };

export type Comparison = 'equal' | 'atLeast' | 'anyBit';

export function returnAction(value: number): Block {
  return [instruction(codes.return, value)];
}

/** Loads 32 bits of the system call data, then continues. */
export function load(offset: number, next: Block): Block {
  return [instruction(codes.load, offset), ...next];
}

/** Masks the loaded value, then continues. */
export function keepBits(mask: number, next: Block): Block {
  return [instruction(codes.and, mask), ...next];
}

/** A conditional jump reaches 255 instructions; a longer one needs an additional unconditional jump. */
export function when(comparison: Comparison, value: number, yes: Block, no: Block): Block {
  const code = codes[comparison];
  return yes.length <= 255
    ? [{ code, whenTrue: 0, whenFalse: yes.length, value }, ...yes, ...no]
    : [{ code, whenTrue: 1, whenFalse: 0, value }, instruction(codes.always, yes.length), ...yes, ...no];
}

/** Branches on whether the loaded value is one of several. */
export function whenOneOf(values: readonly number[], yes: Block, no: Block): Block {
  return values.reduceRight<Block>((rest, value) => when('equal', value, yes, rest), no);
}

/** A block for all numbers from `from` up to the start of the next range. */
export interface NumberRange {
  readonly from: number;
  readonly block: Block;
}

/** Runs the block of the loaded number, found by binary search. The first range starts at zero. */
export function selectByRange(ranges: readonly NumberRange[]): Block {
  const [first] = ranges;
  if (first === undefined) throw new Error('selectByRange needs at least one range');
  if (ranges.length === 1) return first.block;
  const middle = Math.ceil(ranges.length / 2);
  const upper = ranges.slice(middle);
  return when(
    'atLeast',
    (upper[0] as NumberRange).from,
    selectByRange(upper),
    selectByRange(ranges.slice(0, middle)),
  );
}

/** The program as little-endian bytes for the kernel. */
export function assemble(program: Block): Uint8Array {
  if (program.length > 4096) throw new Error('a BPF program can have at most 4096 instructions');
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, it] of program.entries()) {
    view.setUint16(index * 8, it.code, true);
    view.setUint8(index * 8 + 2, it.whenTrue);
    view.setUint8(index * 8 + 3, it.whenFalse);
    view.setUint32(index * 8 + 4, it.value >>> 0, true);
  }
  return bytes;
}

function instruction(code: number, value: number): Instruction {
  return { code, whenTrue: 0, whenFalse: 0, value };
}

/** One instruction of the kernel's classic packet filter machine, which also judges system calls. */
export interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

/**
 * A piece of a program that always ends in an answer. Pieces are only ever put together from whole ones, so no
 * jump can lead nowhere and none leads back.
 */
export type Piece = readonly Instruction[];

const codes = { load: 0x20, always: 0x05, equal: 0x15, atLeast: 0x35, anyBit: 0x45, and: 0x54, answer: 0x06 };

export type Comparison = 'equal' | 'atLeast' | 'anyBit';

export function answer(value: number): Piece {
  return [plain(codes.answer, value)];
}

/** Loads 32 bits of what is judged, and goes on. */
export function load(offset: number, next: Piece): Piece {
  return [plain(codes.load, offset), ...next];
}

/** Keeps only some bits of what was loaded, and goes on. */
export function keepBits(mask: number, next: Piece): Piece {
  return [plain(codes.and, mask), ...next];
}

/** A conditional jump reaches 255 instructions; a longer way goes over an unconditional one. */
export function when(comparison: Comparison, value: number, yes: Piece, no: Piece): Piece {
  const code = codes[comparison];
  return yes.length <= 255
    ? [{ code, whenTrue: 0, whenFalse: yes.length, value }, ...yes, ...no]
    : [{ code, whenTrue: 1, whenFalse: 0, value }, plain(codes.always, yes.length), ...yes, ...no];
}

/** One of several values. */
export function whenOneOf(values: readonly number[], yes: Piece, no: Piece): Piece {
  return values.reduceRight<Piece>((rest, value) => when('equal', value, yes, rest), no);
}

/** What to do from one number on, up to where the next one starts. */
export interface Span {
  readonly from: number;
  readonly piece: Piece;
}

/** Finds the span of the loaded number by halving; the first span starts at zero. */
export function search(spans: readonly Span[]): Piece {
  const [first] = spans;
  if (first === undefined) throw new Error('there is nothing to search');
  if (spans.length === 1) return first.piece;
  const middle = Math.ceil(spans.length / 2);
  const upper = spans.slice(middle);
  return when('atLeast', (upper[0] as Span).from, search(upper), search(spans.slice(0, middle)));
}

/** The bytes as the kernel takes them, on a machine that stores the low byte first. */
export function assemble(program: Piece): Uint8Array {
  if (program.length > 4096) throw new Error('the kernel takes no more than 4096 instructions');
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

function plain(code: number, value: number): Instruction {
  return { code, whenTrue: 0, whenFalse: 0, value };
}

// Keeps a source map true when characters of its script are replaced by longer escapes.
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Replaces each character beyond ASCII by `\uXXXX` and moves the columns of the map behind it. */
export function escapeWithMap(text, map) {
  const shifts = text.split('\n').map(shiftsOf);
  const lines = map.mappings
    .split(';')
    .map((line, index) => (shifts[index]?.length ? shifted(line, shifts[index]) : line));
  const escaped = text.replace(
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { text: escaped, map: { ...map, mappings: lines.join(';') } };
}

/** Columns of the characters that become five columns longer. */
function shiftsOf(line) {
  return [...line.matchAll(/[^\x00-\x7f]/g)].map((it) => it.index);
}

function shifted(line, columns) {
  let was = 0;
  let now = 0;
  let passed = 0;
  return line
    .split(',')
    .map((segment) => {
      if (segment === '') return segment;
      const [delta, length] = decode(segment);
      was += delta;
      while (passed < columns.length && columns[passed] < was) passed += 1;
      const column = was + passed * 5;
      const moved = encode(column - now) + segment.slice(length);
      now = column;
      return moved;
    })
    .join(',');
}

/** The first number of a segment (base64 VLQ), and how many characters it takes. */
function decode(segment) {
  let value = 0;
  let shift = 0;
  for (let index = 0; ; index += 1) {
    const digit = digits.indexOf(segment[index]);
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if ((digit & 32) === 0) return [value % 2 === 1 ? -((value - 1) / 2) : value / 2, index + 1];
  }
}

function encode(number) {
  let rest = number < 0 ? -number * 2 + 1 : number * 2;
  let text = '';
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += digits[rest > 0 ? digit + 32 : digit];
  } while (rest > 0);
  return text;
}

/** Parts that differ between lines of the same kind, most specific first. */
const variable = [
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [/\b[A-Z][a-z]{2}\s+\d{1,2} \d{2}:\d{2}:\d{2}\b/g, '<time>'],
  [/\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '<address>'],
  [/"[^"]{0,500}"/g, '<text>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi, '<hex>'],
  [/\d+(?:\.\d+)?/g, '<n>'],
];

export function shapeOf(line) {
  let shape = line.slice(0, 2000);
  for (const [pattern, name] of variable) shape = shape.replace(pattern, name);
  return shape.replace(/\s+/g, ' ').trim();
}

export function levelOf(line) {
  const head = line.slice(0, 200);
  if (/\b(?:fatal|panic|critical|error|err|exception|fail(?:ed|ure)?)\b/i.test(head)) return 'error';
  return /\b(?:warn(?:ing)?|deprecated|retry(?:ing)?)\b/i.test(head) ? 'warning' : 'other';
}

import { pickerOf, words } from './words.mjs';

const [engine, base] = process.argv.slice(2);
const { searchClient } = await import(engine);
const pick = pickerOf(99);
const queries = Array.from({ length: 400 }, (_, it) =>
  Array.from({ length: 1 + (it % 3) }, () => pick(words)).join(' '),
);
console.log(JSON.stringify(await searchClient(base, queries)));

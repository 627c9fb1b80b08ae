// The catalog of tools and the labeled questions, read from the text files beside this one.
//
// The questions were written before the ranking was tuned and are split by a hash of their text. Tuning looks only at the
// first half; the second half is only counted.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const here = new URL('.', import.meta.url);

/** Packages with their tools. A package starts with `== id | name | description | tags`, a tool is `name(inputs): text`. */
export function readPackages() {
  const packages = [];
  for (const file of readdirSync(new URL('catalog/', here)).sort())
    for (const line of readFileSync(new URL(`catalog/${file}`, here), 'utf8')
      .split('\n')
      .filter(Boolean)) {
      if (line.startsWith('== ')) {
        const [id, name, description, tags] = line.slice(3).split('|');
        const trimmed = { id: id.trim(), name: name.trim(), description: description.trim() };
        packages.push({ ...trimmed, tags: tags.split(',').map((it) => it.trim()), tools: [] });
        continue;
      }
      const [, name, inputs, description] = /^([\w.-]+)\(([^)]*)\): (.+)$/.exec(line);
      const names = inputs.split(',').flatMap((it) => it.trim() || []);
      packages.at(-1).tools.push({ name, description, inputs: names });
    }
  return packages;
}

/** Questions with the tools that answer them, in two halves. */
export function readQuestions() {
  const known = new Set(readPackages().flatMap((it) => it.tools.map((tool) => `${it.id}/${tool.name}`)));
  const halves = { first: [], second: [] };
  for (const line of readFileSync(new URL('questions.txt', here), 'utf8').split('\n').filter(Boolean)) {
    const [query, answers] = line.split(' = ');
    const accepted = answers.split(',').map((it) => it.trim());
    const unknown = accepted.filter((it) => !known.has(it));
    if (unknown.length > 0) throw new Error(`there is no tool ${unknown.join(', ')}`);
    const isFirst = createHash('sha256').update(query).digest()[0] % 2 === 0;
    halves[isFirst ? 'first' : 'second'].push({ query, accepted: new Set(accepted) });
  }
  return halves;
}

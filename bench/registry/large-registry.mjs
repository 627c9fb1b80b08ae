// A registry with many namespaces and packages. Names and descriptions are made of words by a fixed generator, so that every
// run builds the same ones. All releases have the same small archive.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pickerOf, words } from './words.mjs';

export async function buildRegistry(engine, { base, namespaces, packages }) {
  const bench = await engine.largeBench(base);
  const pick = pickerOf(7);
  const archive = join(base, 'archive.tgz');
  writeFileSync(archive, await engine.smallArchive());
  const names = Array.from(
    { length: namespaces },
    (_, it) => `io.github.${pick(words)}-${pick(words)}-${it.toString(36)}`,
  );
  const described = () => Array.from({ length: 12 }, () => pick(words)).join(' ');
  for (let from = 0; from < namespaces; from += 100) {
    const own = names.slice(from, from + 100);
    await bench.publish(
      own.map((namespace) => ({
        namespace,
        releases: Array.from({ length: packages }, (_, it) => ({
          name: `${namespace}/${pick(words)}-${pick(words)}-${it.toString(36)}`,
          version: `1.${it % 7}.0`,
          description: described(),
          tags: [pick(words), pick(words)],
          tools: [`${pick(words)}_${pick(words)}`, `${pick(words)}_${pick(words)}`],
        })),
      })),
      archive,
    );
  }
  // A client that has read everything once, and a namespace that it has never looked at.
  await bench.remember(names[0], join(base, 'behind'));
  const fresh = names.at(-1);
  await bench.publish(
    [
      {
        namespace: fresh,
        releases: [
          { name: `${fresh}/the-newest`, version: '2.0.0', description: described(), tags: [], tools: [] },
        ],
      },
    ],
    archive,
  );
  writeFileSync(join(base, 'fresh'), `${fresh}/the-newest`);
  cpSync(join(base, 'behind'), join(base, 'search'), { recursive: true });
}

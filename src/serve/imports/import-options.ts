import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { Arguments } from '../cli/command/command.js';
import { entryNameOption } from '../clients/client-scope.js';

type Entries = ReadonlyMap<string, Json>;

/** What `--allow SERVER=GRANT` gives to each entry. `toolwharf=…` is for the host itself. */
export function grantsFor(
  args: Arguments,
  entries: Entries,
  absolute: (path: string) => string,
): (entry: string) => readonly string[] {
  const packages = packageNames(args, entries);
  const grants = args.values('allow').flatMap((text) => {
    const named = namedEntry(text, entries, packages);
    if (named !== undefined) return [{ ...named, grant: absoluteGrant(named.grant, absolute) }];
    if (text.startsWith('toolwharf=')) return [];
    throw new HostError('usage', `--allow ${text} names no server of the file`, {
      hint: `write --allow SERVER=GRANT, such as --allow ${[...entries.keys()][0] ?? 'files'}=net:api.example.com`,
    });
  });
  return (entry) => [...new Set(grants.filter((it) => it.entry === entry).map((it) => it.grant))];
}

/** The one entry that a grant is for: by its own name, else by the name of its package. */
function namedEntry(text: string, entries: Entries, packages: ReadonlyMap<string, string>) {
  const byName = [...entries.keys()].map((entry) => ({ entry, name: entry }));
  const byPackage = [...packages].map(([entry, name]) => ({ entry, name }));
  for (const names of [byName, byPackage]) {
    const [first, ...more] = names.filter((it) => text.startsWith(`${it.name}=`));
    if (first === undefined) continue;
    if (more.length === 0) return { entry: first.entry, grant: text.slice(first.name.length + 1) };
    const found = [first, ...more].map((it) => it.entry).join(', ');
    throw new HostError('usage', `--allow ${text} can mean several servers: ${found}`, {
      hint: 'give the server another package name with --as SERVER=NAME, and use that name',
    });
  }
  return undefined;
}

/** The package names that `--as SERVER=NAME` chooses. */
export function packageNames(args: Arguments, entries: Entries): ReadonlyMap<string, string> {
  return new Map(
    args.values('as').map((text) => {
      const at = text.lastIndexOf('=');
      const [entry, name] = [text.slice(0, at), text.slice(at + 1)];
      if (at < 1 || !entries.has(entry))
        throw new HostError('usage', `--as ${text} names no server of the file`, {
          hint: `write --as SERVER=NAME; the file has ${[...entries.keys()].join(', ')}`,
        });
      if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
        throw new HostError('usage', `${JSON.stringify(name)} is not a name of a package`, {
          hint: 'use lowercase letters, digits, "_" and "-"',
        });
      return [entry, name];
    }),
  );
}

/** The name of our entry, if the file has none yet. An entry with that name is never replaced. */
export function ownEntryName(args: Arguments, entries: Entries): string {
  const name = entryNameOption(args.value('name'));
  if (args.has('name') && entries.has(name))
    throw new HostError('usage', `the file has another server that is named ${name}`, {
      hint: 'choose another name for our entry: --name NAME',
    });
  return name;
}

function absoluteGrant(grant: string, absolute: (path: string) => string): string {
  const [, kind, path] = /^(read|write):(.+)$/s.exec(grant) ?? [];
  return kind === undefined || path === undefined ? grant : `${kind}:${absolute(path)}`;
}

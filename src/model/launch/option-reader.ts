/** Which options a command has: those without a value, and those with one. */
export interface KnownOptions {
  readonly flags: readonly string[];
  readonly values: readonly string[];
}

export interface ReadOptions {
  /** The options before the first other argument, in order. A flag has an empty value. */
  readonly options: readonly { readonly name: string; readonly value: string }[];
  readonly rest: readonly string[];
  /** An option that is not known; the command line cannot be understood. */
  readonly unknown?: string;
}

/** Reads options up to the first other argument or `--`: `-y`, `--package=x`, `-p x`, `-it`. */
export function readOptions(argv: readonly string[], { flags, values }: KnownOptions): ReadOptions {
  const options: { name: string; value: string }[] = [];
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at] as string;
    if (word === '--') return { options, rest: argv.slice(at + 1) };
    if (!/^-./.test(word)) break;
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals === -1 ? word : word.slice(0, equals);
    if (values.includes(name)) {
      const value = equals === -1 ? argv[++at] : word.slice(equals + 1);
      if (value === undefined) return { options, rest: [], unknown: name };
      options.push({ name, value });
    } else if (flags.includes(name)) options.push({ name, value: '' });
    else if (/^-[a-zA-Z]{2,}$/.test(word) && [...word.slice(1)].every((it) => flags.includes(`-${it}`)))
      options.push(...[...word.slice(1)].map((it) => ({ name: `-${it}`, value: '' })));
    else if (/^-[a-zA-Z]./.test(word) && values.includes(word.slice(0, 2)))
      options.push({ name: word.slice(0, 2), value: word.slice(2) });
    else return { options, rest: argv.slice(at + 1), unknown: name };
  }
  return { options, rest: argv.slice(at) };
}

export function optionValues({ options }: ReadOptions, ...names: readonly string[]): string[] {
  return options.filter((it) => names.includes(it.name)).map((it) => it.value);
}

// The scripts of `migrations.ts` in the words of PostgreSQL.

/** Texts compare as bytes, as in SQLite, whatever the language of the database is. */
const types: Readonly<Record<string, string>> = {
  integer: 'bigint',
  text: 'text collate "C"',
  real: 'double precision',
  blob: 'bytea',
};

/** Throws if a script uses something else that only SQLite knows. */
export function postgresScript(script: string): string {
  const translated = script
    .replace(/^\s*--.*$/gm, '')
    .replace(
      /^(\s*(?:alter table \w+ add column )?)(\w+) (integer|text|real|blob)\b/gm,
      (_, before, name, type) => `${before}${name} ${types[type]}`,
    )
    .replace(/\) strict(, without rowid)?;/g, ');')
    .replaceAll('json_array(root)', 'json_build_array(root)::text');
  const left = /\b(?:integer|real|blob|strict|rowid|autoincrement|json_array|pragma)\b/.exec(translated);
  if (left !== null)
    throw new Error(`a migration uses "${left[0]}", which has no translation for PostgreSQL`);
  return translated;
}

import { expect, test } from 'vitest';
import { migrations } from '../migrations.js';
import { postgresScript } from './postgres-script.js';

test('translates the types of columns, not their names', () => {
  const script = `-- A blob of text.
   create table note (
     text text primary key check (text <> ''),
     at integer not null,
     ratio real,
     sealed blob not null,
     foreign key (text) references other (text)
   ) strict, without rowid;
   alter table other add column more text;`;
  expect(postgresScript(script).trim()).toBe(`create table note (
     text text collate "C" primary key check (text <> ''),
     at bigint not null,
     ratio double precision,
     sealed bytea not null,
     foreign key (text) references other (text)
   );
   alter table other add column more text collate "C";`);
});

test('rejects what it does not know', () => {
  expect(() => postgresScript('create table a (b integer) strict;')).toThrow(/"integer"/);
  expect(() => postgresScript('pragma user_version = 1')).toThrow(/"pragma"/);
});

test('knows all scripts', () => {
  for (const script of migrations) expect(() => postgresScript(script)).not.toThrow();
});

// Documents about this machine, its clients and the command itself.
import { consoleLinkMembers } from '../../host/operations/session-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  integer,
  json,
  jsonObject,
  nullable,
  object,
  oneOf,
  optional,
  text,
  union,
} from '../../host/operations/shape.js';
import { jsonDocument } from './json-document.js';

const origin = object({
  kind: oneOf(['flag', 'environment', 'project', 'user', 'default']),
  name: optional(text('The flag or the variable.')),
  file: optional(text()),
  line: optional(integer()),
});
const connect = exactly('toolwharf/connect@1');
const help = exactly('toolwharf/help@1');

export const machineDocuments = {
  'doctor@1': jsonDocument('doctor@1', 'What works on this machine.', {
    checks: arrayOf(
      object({
        id: text(),
        status: oneOf(['ok', 'warn', 'fail']),
        message: anyText(),
        fix: optional(anyText('What fixes it: a command where there is one.')),
      }),
    ),
    summary: object({ ok: integer(), warn: integer(), fail: integer() }),
  }),
  'config@1': jsonDocument('config@1', 'The settings in effect, and where each comes from.', {
    files: object({ user: nullable(text()), project: nullable(text()) }),
    settings: arrayOf(
      object({
        key: text(),
        value: json('Null if it is not set and has no default.'),
        origins: arrayOf(origin),
      }),
    ),
  }),
  'config-change@1': jsonDocument('config-change@1', 'A setting that was changed in a configuration file.', {
    file: text(),
    key: text(),
    before: json('Null if it was not set in this file.'),
    after: json('Null if it is not set any more.'),
    changed: boolean('False if the file has this value already.'),
    written: boolean('False with --dry-run.'),
  }),
  'connect@1': {
    description: "A change of a client's configuration.",
    shape: union(
      [
        object({
          schema: connect,
          client: text(),
          scope: oneOf(['user', 'project', 'local']),
          file: text(),
          name: text('Name of the entry.'),
          status: oneOf([
            'added',
            'changed',
            'unchanged',
            'removed',
            'absent',
            'printed',
            'restored',
            'declined',
          ]),
          entry: optional(jsonObject('The entry, without secrets.')),
          others: optional(arrayOf(text(), 'Servers in the file that the client uses without Toolwharf.')),
          backup: optional(text('Path of the backup.')),
          token: optional(text('Id of a token or key that was created.')),
        }),
        object({
          schema: connect,
          client: text(),
          status: exactly('steps'),
          steps: arrayOf(text(), 'What to do by hand.'),
        }),
      ],
      'a change, or steps to do by hand',
    ),
  },
  'store-copy@1': jsonDocument('store-copy@1', 'A copy of the database of a state directory.', {
    to: text('Server and database.'),
    rows: integer('All of them were compared after the copy.'),
    tables: arrayOf(object({ table: text(), rows: integer() }), 'Tables with rows.'),
    notCopied: arrayOf(text(), 'What stays in the state directory, because it is not in the database.'),
  }),
  'open@1': jsonDocument('open@1', 'A link that opens the console, once.', consoleLinkMembers),
  'explain@1': jsonDocument('explain@1', 'What a diagnostic or error code means.', {
    code: text(),
    severity: oneOf(['error', 'warning', 'info']),
    exit: optional(integer('Exit code of the command.')),
    http: optional(integer('HTTP status of the API.')),
    text: anyText('Markdown.'),
  }),
  'codes@1': jsonDocument('codes@1', 'All diagnostic and error codes.', {
    codes: arrayOf(object({ code: text(), severity: oneOf(['error', 'warning', 'info']) })),
  }),
  'schema@1': jsonDocument('schema@1', 'The JSON Schema of a manifest format or of a document.', {
    name: text(),
    content: jsonObject('The JSON Schema.'),
  }),
  'schemas@1': jsonDocument('schemas@1', 'The names of all JSON Schemas.', {
    formats: arrayOf(text(), 'Manifest formats.'),
    documents: arrayOf(object({ name: text(), description: anyText() })),
  }),
  'completion@1': jsonDocument('completion@1', 'The script that makes a shell complete commands.', {
    shell: oneOf(['bash', 'zsh', 'fish']),
    script: text(),
  }),
  'help@1': {
    description: 'The commands, one command with its options, or the exit codes.',
    shape: union(
      [
        object({ schema: help, commands: arrayOf(object({ name: text(), summary: text() })) }),
        object({
          schema: help,
          command: object({
            name: text(),
            summary: text(),
            usage: text(),
            examples: arrayOf(object({ line: text(), text: text() })),
            options: arrayOf(
              object({
                name: text(),
                short: optional(text()),
                value: optional(text('Name of its value; absent for a switch.')),
                multiple: boolean('May be given more than once.'),
                text: text(),
              }),
            ),
          }),
        }),
        object({ schema: help, exitCodes: arrayOf(object({ code: integer(), meaning: text() })) }),
      ],
      'commands, one command or the exit codes',
    ),
  },
  'version@1': jsonDocument('version@1', 'The version of Toolwharf.', { version: text() }),
};

// What the operations on sets take and return.
import {
  anyText,
  arrayOf,
  boolean,
  jsonObject,
  nullable,
  object,
  oneOf,
  optional,
  recordOf,
  text,
  timestamp,
} from './shape.js';

const toolView = object({
  hidden: optional(boolean('Whether callers can neither see nor call it.')),
  name: optional(text('The name for clients.')),
  description: optional(text('The description for models.')),
  arguments: optional(jsonObject('Arguments that every call gets. Callers cannot send them.')),
});

export const toolSetMembers = {
  name: text(),
  packages: optional(arrayOf(text(), 'Only these packages; * matches any characters. Absent: all.')),
  only: optional(arrayOf(text(), 'Only these tools, as PACKAGE, PACKAGE/* or PACKAGE/TOOL. Absent: all.')),
  tools: recordOf(toolView, 'By PACKAGE/TOOL, or PACKAGE/* with nothing but hidden.'),
};
export const toolSet = object(toolSetMembers);

const subjectKind = oneOf(
  ['token', 'client', 'principal', 'workspace', 'everyone'],
  'An HTTP client, a connected client, a caller, a folder with everything below it, or all others.',
);
const subjectMembers = {
  kind: subjectKind,
  name: optional(text('A token or key, a principal or an absolute path. Absent for everyone.')),
};
export const setSubject = object(subjectMembers);
export const setBindingInput = object({ set: text(), ...subjectMembers });

export const setBinding = object({
  kind: subjectKind,
  name: anyText('As the operator wrote it.'),
  subject: anyText('The principal or path that it means.'),
  set: text(),
});
export const toolSetEntryMembers = {
  name: text(),
  digest: anyText('SHA-256 of the set; empty if it cannot be read.'),
  set: nullable(toolSet),
  bindings: arrayOf(setBinding, 'Who uses it.'),
  savedBy: anyText(),
};
const toolSetEntry = object({ ...toolSetEntryMembers, savedAt: timestamp() });
export const toolSetEntries = arrayOf(toolSetEntry);
export const savedToolSet = object({
  entry: toolSetEntry,
  remarks: arrayOf(anyText(), 'What could not be checked here, or has no effect here.'),
});
export const reportedSet = object({
  name: text(),
  source: oneOf(['binding', 'session', 'workspace', 'everyone'], 'Why it is this one.'),
  digest: anyText(),
  readable: boolean('False if it is missing or damaged; nothing is shown then.'),
});

import type { Manifests } from '../packages/manifests.js';
import { members, type OperationTree, operation, value } from './operation.js';
import { diagnosticMembers } from './session-shapes.js';
import { anyText, arrayOf, jsonObject, nullable, object, open, text } from './shape.js';

const draftMembers = {
  format: text('Such as patch.'),
  manifest: text('Path of the manifest.'),
  files: arrayOf(object({ path: text('Relative to the folder of the package.'), text: anyText() })),
};
const draft = object(draftMembers);
const reason = nullable(anyText('Why there is none.'));

export const packageSource = object({
  ...draftMembers,
  leftOut: arrayOf(anyText(), 'Paths of files that are not text, or too large.'),
});

/** Operations that help to write manifests. */
export const manifestRows = {
  formats: operation(
    { role: 'operator', summary: 'List the formats, with the JSON Schema of their manifests.' },
    [],
    arrayOf(object({ name: text(), schema: jsonObject() })),
  ),
  start: operation(
    { role: 'operator', summary: 'Get a working package to start from. Writes nothing.' },
    [value('format', text()), value('name', text('Lower-case letters, digits and hyphens.'))],
    draft,
  ),
  check: operation(
    { role: 'operator', summary: 'Check a package that is being written. Stores and starts nothing.' },
    [members(draft)],
    object({
      diagnostics: arrayOf(object(diagnosticMembers)),
      package: nullable(open('The model of the package.')),
    }),
  ),
  read: operation(
    { role: 'operator', summary: 'Get the manifest in a text as a value, for a form.' },
    [value('format', text()), value('text', anyText())],
    object({ value: nullable(jsonObject()), reason }),
  ),
  write: operation(
    { role: 'operator', summary: 'Put another value into the text of a manifest. Stores nothing.' },
    [value('format', text()), value('text', anyText()), value('value', jsonObject())],
    object({ text: nullable(anyText()), reason }),
  ),
} as const satisfies OperationTree<Manifests>;

import type { ManifestFields } from '../../../model/format.js';
import { isObject, type Json, type JsonPath, toPointer } from '../../../model/json.js';
import type { ContributedText, TextRole } from './contributed-text.js';

/** Fields whose text is made to instruct a model. All others describe. */
const promptFields =
  /^(?:system_prompt|systemPrompt|prompt|prompts|instructions|template|body_template|example_prompts|examples?|messages?)$/;

/** Every name and every text of a document, at any depth, with its place. */
export function fieldTexts(document: ManifestFields, file: string): ContributedText[] {
  const found: ContributedText[] = [];
  const pending: { value: Json; path: JsonPath; role: TextRole }[] = [];
  if (document.value !== undefined) pending.push({ value: document.value, path: [], role: 'description' });
  // A list instead of recursion: the document may be as deep as its parser allows.
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { value, path, role } = item;
    if (typeof value === 'string') found.push(fieldText(document, file, path, value, role, false));
    else if (Array.isArray(value))
      for (const [index, it] of value.entries()) pending.push({ value: it, path: [...path, index], role });
    else if (isObject(value))
      for (const [key, it] of Object.entries(value)) {
        const at = [...path, key];
        found.push(fieldText(document, file, at, key, role, true));
        pending.push({ value: it, path: at, role: promptFields.test(key) ? 'prompt' : role });
      }
  }
  return found;
}

function fieldText(
  document: ManifestFields,
  file: string,
  path: JsonPath,
  text: string,
  role: TextRole,
  isKey: boolean,
): ContributedText {
  const pointer = toPointer(path);
  return {
    text,
    role,
    file,
    // Computed only for findings.
    get range() {
      return document.locate(path, isKey ? 'key' : 'value');
    },
    pointer,
    field: isKey
      ? `the name of the field ${pointer}`
      : pointer === ''
        ? 'the document'
        : `the field ${pointer}`,
    isKey,
  };
}

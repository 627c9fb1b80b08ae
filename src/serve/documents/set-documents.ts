// Documents about sets.
import { toolSetEntryMembers, toolSetMembers } from '../../host/operations/set-shapes.js';
import { arrayOf, isoTime, object } from '../../host/operations/shape.js';
import { jsonDocument } from './json-document.js';

export const setDocuments = {
  'set@1': jsonDocument('set@1', 'One set, as "set save --from" reads it.', toolSetMembers),
  'sets@1': jsonDocument('sets@1', 'All sets, and who uses them.', {
    sets: arrayOf(object({ ...toolSetEntryMembers, savedAt: isoTime() })),
  }),
};

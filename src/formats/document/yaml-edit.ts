import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import type { ValueChange } from '../manifest-editor.js';

/** Applies changes to valid YAML. Comments and the style of everything else stay. */
export function editYaml(text: string, changes: readonly ValueChange[]): string {
  const document = parseDocument(text, { version: '1.2', schema: 'core', merge: false });
  for (const { path, value } of changes) {
    const known = path.length === 0 ? undefined : document.getIn(path, true);
    if (value === undefined) document.deleteIn(path);
    else if (path.length === 0) document.contents = document.createNode(value) as Node as never;
    else if (isScalar(known) && (typeof value !== 'object' || value === null)) {
      known.value = value;
      // A number keeps the form in which it was written, such as 1e3, only while it is the same number.
      delete known.source;
    } else {
      const node = document.createNode(value);
      // A list that was written on one line stays on one line.
      if ((isSeq(known) || isMap(known)) && (isSeq(node) || isMap(node)) && known.flow === true)
        node.flow = true;
      document.setIn(path, node);
    }
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

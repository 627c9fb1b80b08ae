import { isObject, type Json } from '../../model/json.js';

/**
 * By text, in the order of `collectTexts`: where it is, such as `result.items[0].token`. `roots`: the names of the items of
 * the value, which is a list.
 */
export function textPaths(value: Json, roots: readonly string[]): readonly string[] {
  const paths: string[] = [];
  const visit = (it: Json, path: string) => {
    if (typeof it === 'string' || typeof it === 'number') paths.push(path);
    else if (Array.isArray(it)) {
      for (let index = 0; index < it.length; index++) visit(it[index] as Json, `${path}[${index}]`);
    } else if (isObject(it)) {
      for (const key of Object.keys(it)) {
        paths.push(`${path} (a key)`);
        visit(
          it[key] as Json,
          /^[A-Za-z_][\w-]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`,
        );
      }
    }
  };
  if (Array.isArray(value))
    for (const [index, it] of value.entries()) visit(it, roots[index] ?? `[${index}]`);
  return paths;
}

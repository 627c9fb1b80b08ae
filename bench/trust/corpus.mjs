import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const folder = new URL('../../../shared/data/', import.meta.url);

/** Cases of a public corpus beside the project; undefined where it is absent. */
export function corpus(name) {
  const file = new URL(`${name}.json.gz`, folder);
  return existsSync(file) ? JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) : undefined;
}

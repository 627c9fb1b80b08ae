import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { options } from './options.mjs';

/** Cases of a public corpus, as `NAME.json.gz` or `NAME.json`; undefined where it is absent. */
export function corpus(name) {
  const packed = new URL(`${name}.json.gz`, options.data);
  if (existsSync(packed)) return JSON.parse(gunzipSync(readFileSync(packed)).toString('utf8'));
  const plain = new URL(`${name}.json`, options.data);
  return existsSync(plain) ? JSON.parse(readFileSync(plain, 'utf8')) : undefined;
}

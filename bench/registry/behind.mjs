// One client that is one publication behind looks up a package in a namespace that is new to it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [engine, base, memory] = process.argv.slice(2);
const { behindClient } = await import(engine);
console.log(JSON.stringify(await behindClient(base, memory, readFileSync(join(base, 'fresh'), 'utf8'))));

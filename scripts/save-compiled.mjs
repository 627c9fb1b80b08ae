// Preloaded into a start of the command at build time: saves V8's compiled code of every loaded script beside the script,
// including the functions that were called.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';

const scripts = new Map();
const { Script } = vm;
vm.Script = class extends Script {
  constructor(text, options) {
    super(text, options);
    scripts.set(options.filename, this);
  }
};
syncBuiltinESMExports();

process.once('exit', () => {
  for (const [path, script] of scripts) {
    const compiled = script.createCachedData();
    const digest = hash('sha256', Buffer.concat([readFileSync(path), compiled]), 'buffer');
    writeFileSync(path.replace(/cjs$/, 'v8'), Buffer.concat([digest, compiled]));
  }
});

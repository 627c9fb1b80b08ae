// Compares JSON documents and applies patches (RFC 6902, RFC 6901). The input is one JSON object on stdin.
import { apply, PatchError } from './apply.mjs';
import { diff } from './diff.mjs';

const actions = {
  diff: ({ before, after }) => {
    const patch = diff(before, after);
    return { equal: patch.length === 0, patch };
  },
  apply: ({ document, patch }) => ({ document: apply(document, patch) }),
};

const name = process.argv[2];
if (name === 'revoke') {
  process.stdout.write('nothing to revoke\n');
} else if (!Object.hasOwn(actions, name ?? '')) {
  fail('usage', `choose an action: ${Object.keys(actions).join(', ')}`);
} else {
  try {
    print(actions[name](JSON.parse(await readStdin())));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    fail('patch', error.message, { operation: error.operation });
  }
}

async function readStdin() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function fail(code, message, details) {
  print({ error: { code, message, ...(details && { details }) } });
  process.exitCode = 1;
}

function print(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

// A Toolspace package whose answers have every shape that surfaces treat in their own way.
import { type Files, inputOf, toolspace } from './workbench.js';

/** A red dot: 1 × 1 pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

export const toolError = {
  code: 'no_such_row',
  message: 'there is no row 7',
  details: { row: 7, nearest: [6, 8] },
};

/** Prints what its argument names. */
const script = `import base64, json, os, sys
what = sys.argv[1]
if what == "records":
    for n in (1, 2, 3):
        print(json.dumps({"n": n, "next": None if n == 3 else {"n": n + 1, "next": None}}), flush=True)
elif what == "wrong":
    print('{"n": 1, "next": null}')
    print('{"n": "two", "next": null}')
elif what == "image":
    sys.stdout.buffer.write(base64.b64decode("${png.toString('base64')}"))
elif what == "bytes":
    sys.stdout.buffer.write(bytes(range(256)))
elif what == "leak":
    sys.stdout.buffer.write(b"key: " + os.environ["TOKEN"].encode() + b"\\0")
elif what == "fail":
    print(json.dumps({"error": ${JSON.stringify(toolError)}}))
    sys.exit(3)
`;

const record = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $ref: '#/$defs/row',
  $defs: {
    row: {
      type: 'object',
      properties: { n: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/row' }, { type: 'null' }] } },
      required: ['n', 'next'],
    },
  },
};

const action = (name: string, output: object, rest: object = {}) => ({
  name,
  invocation: { kind: 'subcommand', argv_template: [name] },
  input: inputOf({}),
  output: output as never,
  ...rest,
});

export const answerPackage: Files = {
  'answers/answers.py': script,
  'answers/toolspace.json': toolspace({
    id: 'answers',
    command: ['python3', 'answers.py'],
    env: [{ name: 'TOKEN', prompt: 'A token.', secret: true, required: false }],
    actions: [
      action('records', { format: 'ndjson-stream', schema: record }),
      action('wrong', { format: 'ndjson-stream', schema: record }),
      action('image', { format: 'binary' }),
      action('bytes', { format: 'binary' }),
      action('leak', { format: 'binary' }),
      action('fail', { format: 'json', schema: { type: 'object' } }, { error_envelope: 'standard' }),
    ],
  }),
};

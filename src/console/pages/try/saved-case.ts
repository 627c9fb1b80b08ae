import type { Json } from '../../../model/json.js';
import { download } from '../../parts/download.js';
import type { ToolRun } from './try-state.js';

/** Saves a call with its answer as a file for `toolwharf-tests/`. */
export function downloadCase({ tool, arguments: args, answer }: ToolRun): void {
  const [packageId = 'package', ...name] = tool.split('/');
  const given = answer.peek();
  if (given === null) return;
  const expected: { readonly [key: string]: Json } =
    given.status === 'ok'
      ? { answer: given.result }
      : 'error' in given && given.error
        ? { error: given.error.code }
        : {};
  const document = {
    schema: 'toolwharf/cases@1',
    cases: [{ name: 'from the console', tool: name.join('/'), arguments: args, ...expected }],
  };
  download(`${packageId}.json`, 'application/json', `${JSON.stringify(document, null, 2)}\n`);
}

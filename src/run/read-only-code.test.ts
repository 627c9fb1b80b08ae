import { expect, test } from 'vitest';
import { readResult } from './mcp/result.js';

const failed = (text: string) => () =>
  readResult({ isError: true, content: [{ type: 'text', text }] }, 'memory/create');

test('a server that writes beside its code is told where it can write, and other errors have no such hint', () => {
  const beside =
    "EROFS: read-only file system, open '/toolwharf/packages/node_modules/memory/dist/memory.jsonl'";
  expect(failed(beside)).toThrow(
    expect.objectContaining({ code: 'tool_failed', hint: expect.stringContaining('below /toolwharf/data') }),
  );
  for (const it of ["EROFS: read-only file system, open '/etc/x'", "ENOENT, open '/toolwharf/packages/x'"])
    expect(failed(it)).toThrow(expect.objectContaining({ code: 'tool_failed', hint: undefined }));
});

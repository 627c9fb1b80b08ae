import { expect, test } from 'vitest';
import type { ListedTool, Session } from '../../host/host.js';
import { ToolCatalog } from './tool-catalog.js';

test('a search looks at the tools only when its index is built', async () => {
  let looks = 0;
  const listed = {
    name: 'desk/pen',
    exposed: 'desk_pen',
    get tool() {
      looks++;
      return { name: 'pen', description: 'A pen.', input: {}, annotations: {} };
    },
  } as unknown as ListedTool;
  const session = { tools: async () => [listed], packages: async () => ({ packages: [] }) };
  const catalog = new ToolCatalog(session as unknown as Session, { expose: 'search' });
  const index = await catalog.index();
  const before = looks;
  expect(before).toBeGreaterThan(0);
  expect(await catalog.index()).toBe(index);
  expect(looks).toBe(before);
});

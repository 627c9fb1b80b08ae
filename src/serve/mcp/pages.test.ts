import { describe, expect, test } from 'vitest';
import { PagedList } from './pages.js';

const list = (many: number, size: number) =>
  new PagedList(
    Array.from({ length: many }, (_, at) => ({ name: `n${at}`, text: String(at) })),
    size,
  );

function walk(of: PagedList): string[] {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = of.page(cursor);
    pages.push(page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return pages;
}

describe('pages', () => {
  test.each([
    [0, 2, ['']],
    [1, 2, ['0']],
    [2, 2, ['0,1']],
    [3, 2, ['0,1', '2']],
    [5, 2, ['0,1', '2,3', '4']],
  ])('%i entries in pages of %i', (many, size, pages) => {
    expect(walk(list(many, size))).toEqual(pages);
  });

  test('a cursor survives what is added before it', () => {
    const { next } = list(4, 2).page(undefined);
    const longer = new PagedList(
      ['new', 'n0', 'n1', 'n2', 'n3'].map((name) => ({ name, text: name })),
      2,
    );
    expect(longer.page(next).items).toBe('n2,n3');
  });

  test.each([7, '', 'x', null, {}, Buffer.from('after:gone').toString('base64url'), '__proto__'])(
    'the cursor %j is refused',
    (cursor) => {
      expect(() => list(3, 2).page(cursor)).toThrow('not known');
    },
  );
});

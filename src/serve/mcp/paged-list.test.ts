import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PagedList } from './paged-list.js';

const bounds = (entries: number, characters = 1000) => ({ entries, characters });

const list = (many: number, size: number) =>
  new PagedList(
    Array.from({ length: many }, (_, at) => ({ name: `n${at}`, text: String(at) })),
    bounds(size),
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
  ])('%i entries are split into pages of %i', (many, size, pages) => {
    expect(walk(list(many, size))).toEqual(pages);
  });

  test('a cursor stays valid when entries are added before it', () => {
    const { next } = list(4, 2).page(undefined);
    const longer = new PagedList(
      ['new', 'n0', 'n1', 'n2', 'n3'].map((name) => ({ name, text: name })),
      bounds(2),
    );
    expect(longer.page(next).items).toBe('n2,n3');
  });

  test('a page ends before it gets too long; an entry that is too long is a page of its own', () => {
    const texts = ['aa', 'bb', 'cccccc', 'd', 'e', 'f'];
    const of = new PagedList(
      texts.map((text) => ({ name: text, text })),
      bounds(10, 5),
    );
    expect(walk(of)).toEqual(['aa,bb', 'cccccc', 'd,e,f']);
    expect(walk(of)).toEqual(['aa,bb', 'cccccc', 'd,e,f']);
  });

  test('a page does not depend on earlier requests', () => {
    const cursor = (name: string) => Buffer.from(`after:${name}`).toString('base64url');
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 9 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat(40), { maxLength: 30 }),
        (texts, entries, characters, asked) => {
          const items = texts.map((text, at) => ({ name: `n${at}`, text }));
          const used = new PagedList(items, bounds(entries, characters));
          for (const it of asked) {
            const at = it >= items.length ? undefined : cursor(`n${it}`);
            const fresh = new PagedList(items, bounds(entries, characters));
            expect(used.page(at)).toEqual(fresh.page(at));
          }
        },
      ),
    );
  });

  test.each([7, '', 'x', null, {}, Buffer.from('after:gone').toString('base64url'), '__proto__'])(
    'the cursor %j is rejected',
    (cursor) => {
      expect(() => list(3, 2).page(cursor)).toThrow('unknown cursor');
    },
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSearchIndex } from './build-index.js';
import { SearchIndex } from './search-index.js';
import { searchTerms } from './search-terms.js';
import type { Searchable } from './searchable.js';

const tool = (name: string, description: string, of = 'desk', inputs: string[] = []): Searchable => ({
  name,
  title: '',
  description,
  inputs,
  package: { id: of, name: '', description: '', tags: of === 'cluster' ? ['kubernetes'] : [] },
});
const tools = [
  tool('create_invoice', 'Make a new invoice for a customer.', 'billing'),
  tool('delete_invoice', 'Remove an invoice for good.', 'billing'),
  tool('listInvoices', 'All invoices of a month.', 'billing', ['month']),
  tool('send_mail', 'Send an e-mail to somebody.', 'post', ['recipient', 'subject']),
  tool('weather', 'The forecast for a place.', 'sky'),
  tool('résumé_parser', 'Reads a curriculum vitae.', 'people'),
  tool('git_reset', 'Moves HEAD to an earlier commit.', 'git'),
  tool('git_commit', 'Commits what is staged.', 'git'),
  tool('pods_list', 'All pods of a namespace.', 'cluster'),
  tool('pods_delete', 'Ends a pod.', 'cluster'),
];
const index = new SearchIndex(tools);
const names = (query: string, limit = 3) => index.search(query, limit).map((it) => it.item.name);

describe('search', () => {
  test.each([
    ['create invoice', 'create_invoice'],
    ['creating invoices', 'create_invoice'],
    ['remove invoice', 'delete_invoice'],
    ['list invoices', 'listInvoices'],
    ['wether forcast', 'weather'],
    ['recipient', 'send_mail'],
    ['resume', 'résumé_parser'],
    ['curric', 'résumé_parser'],
    ['sky', 'weather'],
    ['undo last commit', 'git_reset'],
    ['list pods', 'pods_list'],
    ['Rechnung löschen', 'delete_invoice'],
    ['créer une facture', 'create_invoice'],
    ['enviar correo', 'send_mail'],
    ['kubernets pods', 'pods_list'],
    ['please can you send an email to my boss', 'send_mail'],
  ])('%s finds %s first', (query, first) => {
    expect(names(query)[0]).toBe(first);
  });

  test('an empty query, stop words and unknown words find nothing', () => {
    expect(names('')).toEqual([]);
    expect(names('the of and')).toEqual([]);
    expect(names('zzzzqqq')).toEqual([]);
  });

  test('the number of results is limited, and their order is stable', () => {
    expect(names('invoice', 2)).toHaveLength(2);
    expect(names('invoice', 9)).toEqual(names('invoice', 9));
  });

  test('any text is a valid query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 5 }), (query, limit) => {
        expect(index.search(query, limit).length).toBeLessThanOrEqual(limit);
        expect(searchTerms(query).every((it) => it === it.toLowerCase())).toBe(true);
      }),
    );
  });

  test('an empty index finds nothing', () => {
    expect(new SearchIndex([]).search('a word', 5)).toEqual([]);
  });

  test('a query for one action prefers tools with that action', () => {
    expect(names('delete pods')[0]).toBe('pods_delete');
    expect(names('show pods')[0]).toBe('pods_list');
  });

  test('the order does not depend on the order of the tools or on earlier searches', () => {
    const turned = new SearchIndex(tools.toReversed());
    for (const query of ['invoice', 'list', 'commit a pod', 'invoice'])
      expect(turned.search(query, 9).map((it) => it.item.name)).toEqual(names(query, 9));
  });

  test('a tool that is added later is found', () => {
    const growing = new SearchIndex(tools);
    expect(growing.search('zebra', 1)).toEqual([]);
    growing.add(tool('feed_zebra', 'Gives it hay.'));
    expect(growing.search('zebra', 1)[0]?.item.name).toBe('feed_zebra');
  });

  test('words of the prototype of objects are ordinary words', () => {
    for (const query of ['constructor', '__proto__', 'toString valueOf']) expect(names(query)).toEqual([]);
  });
});

describe('building an index', () => {
  test('gives other work its turn', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) =>
      tool(`tool_${at}`, `Does thing ${at} for a customer.`),
    );
    let turns = 0;
    let isBuilt = false;
    const count = () => {
      turns++;
      if (!isBuilt) setImmediate(count);
    };
    setImmediate(count);
    const built = await buildSearchIndex(many, (it) => it);
    isBuilt = true;
    expect(turns).toBeGreaterThan(5);
    expect(built.search('thing 777', 1)[0]?.item.name).toBe('tool_777');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Searchable, SearchIndex, searchTerms } from './search-index.js';

const tool = (name: string, description: string, of = 'desk', keywords: string[] = []): Searchable => ({
  name,
  description,
  package: of,
  keywords,
});
const index = new SearchIndex([
  tool('create_invoice', 'Make a new invoice for a customer.', 'billing'),
  tool('delete_invoice', 'Remove an invoice for good.', 'billing'),
  tool('listInvoices', 'All invoices of a month.', 'billing', ['month']),
  tool('send_mail', 'Send an e-mail to somebody.', 'post', ['recipient', 'subject']),
  tool('weather', 'The forecast for a place.', 'sky'),
  tool('résumé_parser', 'Reads a curriculum vitae.', 'people'),
]);
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
});

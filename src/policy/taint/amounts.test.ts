import { expect, test } from 'vitest';
import { amountsIn, statedAmount } from './amounts.js';

test.each([
  ['pay 1,235.60', '1235.6'],
  ['pay 2k', '2000'],
  ['pay 2.5 k today', '2500'],
  ['pay 12 hundred', '1200'],
  ['pay 3 thousand', '3000'],
  ['pay 1.1 million', '1100000'],
  ['pay $5m', '5000000'],
  ['pay a hundred', '100'],
  ['pay two hundred and fifty', '250'],
  ['pay twelve hundred', '1200'],
  ['pay two dozen', '24'],
  ['pay one five zero zero', '1500'],
  ['pay nine-nine', '99'],
  ['pay ٢k', '2000'],
])('%s contains %s', (text, amount) => expect([...amountsIn(text)]).toContain(amount));

test.each([
  ['a cable of 5 m', '5000000'],
  ['2 kilos', '2000'],
  ['the hundreds', '100'],
])('%s does not contain %s', (text, amount) => expect([...amountsIn(text)]).not.toContain(amount));

test.each([
  ['250', '250'],
  ['-250', '250'],
  ['+250.00', '250'],
  ['$250', '250'],
  ['250 €', '250'],
  ['EUR 250', '250'],
  ['250usd', '250'],
  ['1,000.50', '1000.5'],
  ['1e3', '1000'],
  ['0x3E8', '1000'],
  ['٢٥٠', '250'],
  ['２５０', '250'],
  ['2k', '2000'],
  ['5 mio', '5000000'],
  ['two hundred and fifty', '250'],
  ['a hundred', '100'],
  ['six', '6'],
])('%s is the amount %s', (text, amount) => expect(statedAmount(text)).toBe(amount));

test.each(['', 'EUR', '3 days', '2024-05-20', '10:00', 'P-777', 'true', 'high', 'a', 'A1'])(
  '%j states none',
  (text) => expect(statedAmount(text)).toBeUndefined(),
);

/** Where pieces overlap, the earlier category gives its name to the whole. */
export const personalCategories = [
  'iban',
  'credit_card',
  'crypto_wallet',
  'email',
  'mac_address',
  'ip_address',
  'national_id',
  'phone',
] as const;

export type PersonalCategory = (typeof personalCategories)[number];

/** Those that this program does not know. Somebody relies on them, so a tool with one must not run. */
export function unknownCategories(categories: readonly string[]): string[] {
  return categories.filter((it) => !(personalCategories as readonly string[]).includes(it));
}

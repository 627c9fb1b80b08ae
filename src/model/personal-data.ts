/** Where two matches overlap, the category that comes first in this list is used. */
export const personalDataCategories = [
  'iban',
  'credit_card',
  'crypto_wallet',
  'email',
  'mac_address',
  'ip_address',
  'national_id',
  'phone',
] as const;

/** One kind of personal data that can be found and removed. */
export type PersonalDataCategory = (typeof personalDataCategories)[number];

/** The categories that this version cannot find. A tool that relies on one of them must not run. */
export function unknownPersonalData(categories: readonly string[]): string[] {
  return categories.filter((it) => !(personalDataCategories as readonly string[]).includes(it));
}

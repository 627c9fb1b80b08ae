import { isObject, type JsonObject } from '../../model/json.js';

/** Only pictures in the announcement itself, and from the web: any other address could open something at the client. */
export function usableIcons(icons: readonly JsonObject[]): readonly JsonObject[] {
  return icons.filter(({ src }) => typeof src === 'string' && /^(?:https:\/\/|data:image\/)/i.test(src));
}

/** An entry of a list with those of its icons that can be shown. */
export function withUsableIcons({ icons, ...entry }: JsonObject): JsonObject {
  return Array.isArray(icons) ? { ...entry, icons: usableIcons(icons.filter(isObject)) } : entry;
}

/** The one cookie of the console. Scripts cannot read it, and no other site makes a browser send it. */
export interface ConsoleCookie {
  readonly name: string;
  readonly attributes: string;
}

/** Seconds. The host checks its own, shorter times. */
const maxAge = 12 * 60 * 60;

/** Cookies do not differ by port, so the name has it: two hosts on one machine do not disturb each other. */
export function cookieFor(origin: string): ConsoleCookie {
  const { protocol, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const name = `toolwharf-console${port === '' ? '' : `-${port}`}`;
  return isSecure
    ? { name: `__Host-${name}`, attributes: `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict; Secure` }
    : { name, attributes: `Path=/console; Max-Age=${maxAge}; HttpOnly; SameSite=Strict` };
}

/** The value of a cookie. Undefined if it is absent or sent twice. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((it) => it.trim())
    .filter((it) => it.startsWith(`${name}=`))
    .map((it) => it.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

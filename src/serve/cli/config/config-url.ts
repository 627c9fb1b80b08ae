import { isLoopbackHost } from '../../../model/host-name.js';
import type { ConfigKey } from './config-keys.js';
import type { ValueProblem } from './value-problem.js';

/** A URL with https, or http to this machine. */
export function checkWebUrl(key: Pick<ConfigKey, 'name'>, text: string): ValueProblem | string {
  const wrong = (message: string, hint: string): ValueProblem => ({ code: 'schema.format', message, hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return wrong(`${key.name} is not a URL: ${JSON.stringify(text)}`, 'write it with https://');
  if (url.username !== '' || url.password !== '')
    return wrong(
      `${key.name} contains a user name or password`,
      'remove them: this value is shown and logged',
    );
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return wrong(`${key.name} is not encrypted (http): ${JSON.stringify(text)}`, 'write it with https://');
  return text;
}

/** Any address is allowed: naming the server is the operator's grant. */
export function checkNatsUrl(key: ConfigKey, text: string): ValueProblem | string {
  const wrong = (message: string, hint: string): ValueProblem => ({ code: 'schema.format', message, hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== ''))
    return wrong(
      `${key.name} contains a user name or password`,
      'this value is shown; put them into the variable TOOLWHARF_NATS_LOGIN, as NAME:PASSWORD or TOKEN',
    );
  const fits = url !== undefined && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== '';
  if (!fits || !/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    return wrong(
      `${key.name} is not a NATS URL: ${JSON.stringify(text)}`,
      'write nats://127.0.0.1:4222, or tls://HOST:PORT if the server has a certificate',
    );
  return text;
}

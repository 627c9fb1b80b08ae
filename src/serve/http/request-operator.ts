import type { Operator } from '../../host/host.js';
import type { Exchange } from './route.js';

/** Headers that prove more than the bearer token. */
const pinHeader = 'toolwharf-pin';
export const signInHeader = 'toolwharf-sign-in';

/** The operator of a request, with the PIN or sign-in from its headers. */
export function operatorOf({ caller, headers }: Pick<Exchange, 'caller' | 'headers'>): Operator {
  const pin = headers[pinHeader];
  const signIn = headers[signInHeader];
  return {
    name: caller.principal,
    channel: 'api',
    ...(typeof pin === 'string' ? { pin } : {}),
    ...(typeof signIn === 'string' ? { signIn } : {}),
  };
}

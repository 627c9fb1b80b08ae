import type { Operator } from '../../host/host.js';
import type { Exchange } from './route.js';

/** Headers by which a person shows more than their token. */
const pinHeader = 'toolwharf-pin';
export const signInHeader = 'toolwharf-sign-in';

/** Who decides, with what they show for it. */
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

import { HostError } from '../../../model/host-error.js';
import type { OidcSettings } from '../../http/oidc/identity-provider.js';
import type { Arguments, Option } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { loadConfig, settingOf } from './config.js';

export const oidcOptions: readonly Option[] = [
  { name: 'oidc-issuer', value: 'URL', text: 'identity provider whose access tokens are accepted over HTTP' },
  { name: 'oidc-audience', value: 'NAME', text: 'audience that those tokens must have' },
  { name: 'oidc-role-claim', value: 'CLAIM=VALUE', text: 'claim that gives a token the operator role' },
];

/** The identity provider from flags and the user's configuration; undefined if none is set. */
export async function oidcSettings(args: Arguments, terminal: Terminal): Promise<OidcSettings | undefined> {
  const { entries } = await loadConfig(args, terminal);
  const issuer = settingOf(entries, 'http.oidc.issuer') as string | undefined;
  const audience = settingOf(entries, 'http.oidc.audience') as string | undefined;
  const claim = settingOf(entries, 'http.oidc.role_claim') as string | undefined;
  if (issuer === undefined) {
    const unused = audience !== undefined ? 'audience' : claim !== undefined ? 'role_claim' : undefined;
    if (unused === undefined) return undefined;
    throw new HostError('usage', `http.oidc.${unused} is set, but http.oidc.issuer is not`, {
      hint: 'name the identity provider: --oidc-issuer URL, or http.oidc.issuer in your config.toml',
    });
  }
  const { search, hash } = new URL(issuer);
  if (search !== '' || hash !== '')
    throw new HostError('usage', `the issuer ${issuer} has a query or fragment`, {
      hint: 'write it exactly as in the "iss" claim of its tokens',
    });
  // Without an audience, any token of this issuer would work here, also one that was issued to another service.
  if (audience === undefined)
    throw new HostError('usage', `no audience is set for the issuer ${issuer}`, {
      hint: 'name the audience that its tokens must have: --oidc-audience NAME',
    });
  return { issuer, audience, ...(claim === undefined ? {} : { operator: roleClaim(claim) }) };
}

function roleClaim(text: string) {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1)
    throw new HostError('usage', `${JSON.stringify(text)} is not a role claim`, {
      hint: 'write CLAIM=VALUE, such as roles=toolwharf-operator or realm_access.roles=admin',
    });
  return { claim: text.slice(0, at), value: text.slice(at + 1) };
}

import { HostError } from '../../model/host-error.js';
import type { OidcSettings } from '../http/oidc/provider.js';
import type { Arguments } from './arguments.js';
import type { Option } from './command.js';
import { loadConfig, settingOf } from './config.js';
import type { Terminal } from './terminal.js';

export const oidcOptions: readonly Option[] = [
  { name: 'oidc-issuer', value: 'URL', text: 'identity provider whose access tokens let in over HTTP' },
  { name: 'oidc-audience', value: 'NAME', text: 'what those tokens must be made for' },
  { name: 'oidc-role-claim', value: 'CLAIM=VALUE', text: 'what makes such a token one of an operator' },
];

/** Who signs people in, as flags and the user's configuration say; undefined where nobody does. */
export async function oidcSettings(args: Arguments, terminal: Terminal): Promise<OidcSettings | undefined> {
  const { entries } = await loadConfig(args, terminal);
  const issuer = settingOf(entries, 'http.oidc.issuer') as string | undefined;
  const audience = settingOf(entries, 'http.oidc.audience') as string | undefined;
  const claim = settingOf(entries, 'http.oidc.role_claim') as string | undefined;
  if (issuer === undefined) {
    const useless = audience !== undefined ? 'audience' : claim !== undefined ? 'role_claim' : undefined;
    if (useless === undefined) return undefined;
    throw new HostError('usage', `http.oidc.${useless} is set, and no issuer is`, {
      hint: 'name the identity provider: --oidc-issuer URL, or http.oidc.issuer in your config.toml',
    });
  }
  const { search, hash } = new URL(issuer);
  if (search !== '' || hash !== '')
    throw new HostError('usage', `the issuer ${issuer} has a query or a fragment`, {
      hint: 'write it exactly as its tokens name it (iss)',
    });
  // A token for anybody would be a token for us: another service could pass on what it was given.
  if (audience === undefined)
    throw new HostError('usage', `${issuer} signs people in for many services, and this one has no name`, {
      hint: 'say what its tokens must be made for: --oidc-audience NAME',
    });
  return { issuer, audience, ...(claim === undefined ? {} : { operator: roleClaim(claim) }) };
}

function roleClaim(text: string) {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1)
    throw new HostError('usage', `${JSON.stringify(text)} does not say what makes an operator`, {
      hint: 'write CLAIM=VALUE, such as roles=toolwharf-operator or realm_access.roles=admin',
    });
  return { claim: text.slice(0, at), value: text.slice(at + 1) };
}

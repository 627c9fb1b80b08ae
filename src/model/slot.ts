/** Where the value of a slot comes from: the operator sets it, or a broker issues a token for it. */
export type SlotSource =
  | { readonly kind: 'operator' }
  | { readonly kind: 'broker'; readonly provider: string; readonly scopes: readonly string[] };

/** How a value reaches the code or the request that uses it. */
export type SlotDelivery =
  | {
      readonly kind: 'environment';
      readonly variable: string;
      /** Further variables with the same value. */
      readonly otherVariables?: readonly string[];
    }
  | { readonly kind: 'context' }
  | { readonly kind: 'request'; readonly scheme: AuthScheme };

/** The environment variables that contain the value; empty if it is passed in another way. */
export function deliveredVariables(delivery: SlotDelivery): readonly string[] {
  return delivery.kind === 'environment' ? [delivery.variable, ...(delivery.otherVariables ?? [])] : [];
}

/** How a value authenticates an HTTP request. `raw`: the value is the whole Authorization header. */
export type AuthScheme =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'basic' }
  | { readonly kind: 'raw' }
  | { readonly kind: 'header'; readonly name: string; readonly prefix: string };

/**
 * Who may receive a slot's value, according to the manifest. `hosts`: these names and their subdomains. `unbound`: the
 * format cannot say, so the operator names hosts when setting the value. `public`: the value is not a secret.
 */
export type Audience =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'unbound' }
  | { readonly kind: 'public' };

/** One value that a package needs from the operator: a secret or a setting. */
export interface Slot {
  readonly name: string;
  readonly label: string;
  /** The text that asks for the value. */
  readonly prompt?: string;
  readonly secret: boolean;
  /** True: the value is visible while it is typed. It is stored and protected like any other. */
  readonly plainEntry?: boolean;
  readonly required: boolean;
  readonly type: 'text' | 'json' | 'number' | 'boolean' | 'choice';
  readonly choices?: readonly string[];
  readonly source: SlotSource;
  readonly delivery: SlotDelivery;
  readonly audience: Audience;
  /** Never present on a secret. */
  readonly default?: string;
  /** A regular expression that the whole value must match. */
  readonly pattern?: string;
  /** A web page where the value can be obtained. */
  readonly obtainUrl?: string;
  /**
   * Scopes that the credential needs at its provider, in the provider's own words. If a package has several secrets, its
   * manifest does not say which of them needs which scope.
   */
  readonly providerScopes?: readonly string[];
}

/** Who may receive a slot's value in effect: the hosts that the operator named, or else those of the manifest. */
export type Recipients =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'nobody' };

/** The current value of a slot. */
export interface SlotValue {
  readonly value: string;
  readonly secret: boolean;
  readonly recipients: Recipients;
}

/** Values by slot name. A slot without a value has no entry. */
export type SlotValues = ReadonlyMap<string, SlotValue>;

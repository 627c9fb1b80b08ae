/** Where the value of a slot comes from. */
export type SlotSource =
  | { readonly kind: 'operator' }
  | { readonly kind: 'broker'; readonly provider: string; readonly scopes: readonly string[] };

/** How a value reaches the code or request that uses it. */
export type SlotDelivery =
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'context' }
  | { readonly kind: 'request'; readonly scheme: AuthScheme };

export type AuthScheme =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'basic' }
  | { readonly kind: 'raw' }
  | { readonly kind: 'header'; readonly name: string; readonly prefix: string };

/**
 * Who may receive a secret. `hosts`: those names and their subdomains. `unbound`: the manifest cannot say,
 * so the operator names hosts when setting the value. `public`: not a secret.
 */
export type Audience =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'unbound' }
  | { readonly kind: 'public' };

/** One thing that the operator supplies: a credential or a setting. */
export interface Slot {
  readonly name: string;
  readonly label: string;
  /** What to say when asking for the value. */
  readonly prompt?: string;
  readonly secret: boolean;
  /** The field need not be masked while the value is typed; it is stored and guarded all the same. */
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
  readonly obtainUrl?: string;
}

/** Who may receive the value of a slot in the end: the operator's word where there is one, else the manifest's. */
export type Recipients =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'nobody' };

/** A slot that has a value. */
export interface SlotValue {
  readonly value: string;
  readonly secret: boolean;
  readonly recipients: Recipients;
}

/** By the name of the slot. A slot without a value is not in it. */
export type SlotValues = ReadonlyMap<string, SlotValue>;

/** How a message about a held call is written. `webhook`: a signed JSON document. */
export type NotifyKind = 'ntfy' | 'slack' | 'webhook';

export const notifyKinds: readonly NotifyKind[] = ['ntfy', 'slack', 'webhook'];

/** Where people are told about held calls. Exactly one of `url` and `urlSecret` is set. */
export interface NotifyTarget {
  readonly kind: NotifyKind;
  readonly url?: string;
  /** Name of the value that is the URL, for URLs that are secrets themselves. */
  readonly urlSecret?: string;
  /** Name of the value that is sent as a bearer token. */
  readonly tokenSecret?: string;
  /** Whether the message contains the arguments of the call. Default: false. */
  readonly arguments?: boolean;
}

/** The owner of these values in the vault. It cannot be the id of a package. */
export const notifySecretOwner = '@notify';

/** For people: where a target is, without its secrets. */
export function notifyTargetName({ kind, url, urlSecret }: NotifyTarget): string {
  return `${kind} ${url === undefined ? `(URL in the secret ${urlSecret})` : hostIn(url)}`;
}

/** Host and port of a URL. Paths can contain secrets. */
function hostIn(url: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
}

/** The server and the topic in the URL of an ntfy topic; undefined if there is no topic. */
export function ntfyTopic(url: string): { readonly server: string; readonly topic: string } | undefined {
  const [, server, topic] = /^(https?:\/\/[^?#]+?)\/([A-Za-z0-9_-]{1,64})\/?$/i.exec(url) ?? [];
  return server === undefined || topic === undefined || /^https?:\/*$/i.test(server)
    ? undefined
    : { server, topic };
}

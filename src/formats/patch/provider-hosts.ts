/** The API hosts of each provider. Only they may receive a token of that provider. */
const hosts: Readonly<Record<string, readonly string[]>> = {
  gmail: ['gmail.googleapis.com'],
  google_calendar: ['www.googleapis.com'],
  slack: ['slack.com'],
  github: ['api.github.com'],
  linear: ['api.linear.app'],
};

/** Empty for an unknown provider: nobody may receive its token. */
export function hostsOf(provider: string): readonly string[] {
  return Object.hasOwn(hosts, provider) ? (hosts[provider] ?? []) : [];
}

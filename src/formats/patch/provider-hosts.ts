/** The API hosts of each provider. Only they may receive a token of that provider. */
const hosts: Readonly<Record<string, readonly string[]>> = {
  gmail: ['gmail.googleapis.com'],
  google_calendar: ['www.googleapis.com'],
  slack: ['slack.com'],
  github: ['api.github.com'],
  linear: ['api.linear.app'],
};

export function hostsOf(providers: readonly string[]): string[] {
  return [...new Set(providers.flatMap((it) => (Object.hasOwn(hosts, it) ? (hosts[it] ?? []) : [])))].sort();
}

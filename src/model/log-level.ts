/** Levels of MCP log messages, from the least to the most severe. */
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** How severe a log message is. */
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.some((it) => it === value);
}

/** Whether a message of this level is wanted by those who want `least` and everything above. Unknown levels never are. */
export function isWanted(level: unknown, least: LogLevel): boolean {
  return isLogLevel(level) && logLevels.indexOf(level) >= logLevels.indexOf(least);
}

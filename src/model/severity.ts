/** `error`: the package cannot be used. `warning`: it probably does not do what its author expects. */
export type Severity = 'error' | 'warning' | 'info';

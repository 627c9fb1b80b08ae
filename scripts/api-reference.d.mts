export function apiReference(types?: string): string;

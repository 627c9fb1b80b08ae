export function apiReference(types?: string): string;
export function unexportedTypes(types?: string): readonly string[];

/** Throws unless a path stays inside of the registry, on every system and in every URL. A failure is a bug. */
export function assertRegistryPath(path: string): void {
  const segments = path.split('/');
  if (segments.some((it) => !/^[A-Za-z0-9_][A-Za-z0-9._+-]*$/.test(it) || it.includes('..')))
    throw new Error(`${JSON.stringify(path)} is not a path inside of a registry`);
}

/**
 * The package and the tool in `package/tool`; without a slash there is no tool. No package has a slash in its id, but
 * servers put them into the names of their tools.
 */
export function splitToolName(name: string): readonly [packageId: string, tool?: string] {
  const at = name.indexOf('/');
  return at === -1 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

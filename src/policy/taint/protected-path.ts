import { keyMaterialKind } from '../key-material.js';
import { steeringPlaceAbove } from '../steering-places.js';

/** Key material, files that steer other programs, and names that begin with a dot; and what the labels add. */
export function isProtectedPath(path: string, names: readonly string[]): boolean {
  const parts = path.split(/[/\\]+/).filter((it) => it !== '' && it !== '.');
  if (parts.some((it) => it === '..' || names.includes(it) || /^\.(?!\.)/.test(it))) return true;
  const absolute = `/${parts.join('/')}`;
  const name = parts.at(-1) ?? '';
  return (
    keyMaterialKind(absolute.slice(0, -name.length - 1), name) !== 'no' ||
    steeringPlaceAbove(absolute) !== undefined
  );
}

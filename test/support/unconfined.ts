// Runs Python code without a sandbox, as an unprivileged user: the control of an attack.
import { execFile } from 'node:child_process';

export function unconfinedPython(code: string, cwd: string): Promise<string> {
  const user = process.getuid?.() === 0 ? { uid: 65532, gid: 65532 } : {};
  return new Promise((resolve) => {
    execFile('/usr/bin/python3', ['-c', code], { ...user, cwd, env: {} }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

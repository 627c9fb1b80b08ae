/** Whether a process with this number runs now, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other error means that it exists and may not be signaled.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

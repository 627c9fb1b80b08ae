export declare function bundleModule(
  contents: string,
  resolveFrom: string,
  file: string,
  platform?: 'node' | 'neutral',
): Promise<void>;

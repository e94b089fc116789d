/**
 * What a child process may see of our environment. A server is third-party code, so by default it gets what
 * programs need to run at all, and credentials only where the user names them.
 */

const POSIX_NAMES: readonly string[] = [
  'HOME',
  'LANG',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
];

const WINDOWS_NAMES: readonly string[] = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
];

export interface EnvironmentOptions {
  /** Variables set for the child, over everything inherited. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** `true` passes our whole environment on; a list adds names to the defaults. */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
}

export function childEnvironment(
  options: EnvironmentOptions,
  ours: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): Record<string, string> {
  const windows = platform === 'win32';
  // Windows has `Path` and `PATH` as one variable, and a child given both gets an arbitrary one.
  const fold = (name: string): string => (windows ? name.toUpperCase() : name);
  const inherits = inheritance(options.inheritEnv ?? false, windows, fold);

  const result = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(ours)) {
    if (value !== undefined && inherits(fold(name))) result.set(fold(name), [name, value]);
  }
  for (const [name, value] of Object.entries(options.env ?? {})) result.set(fold(name), [name, value]);
  return Object.fromEntries(result.values());
}

function inheritance(
  inheritEnv: boolean | readonly string[],
  windows: boolean,
  fold: (name: string) => string,
): (foldedName: string) => boolean {
  if (inheritEnv === true) return () => true;
  const named = inheritEnv === false ? [] : inheritEnv;
  const names = new Set([...(windows ? WINDOWS_NAMES : POSIX_NAMES), ...named].map(fold));
  return (name) => names.has(name) || (!windows && name.startsWith('LC_'));
}

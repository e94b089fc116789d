/** Folders of this user on this platform. */

import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

export interface ClientPlaces {
  readonly home: string;
  /** The folder of the project. */
  readonly directory: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function currentPlaces(): ClientPlaces {
  return { home: homedir(), directory: process.cwd(), platform: process.platform, environment: process.env };
}

/** With the separators of the platform that is asked about, not of the one that asks. */
export function joinPath({ platform }: Pick<ClientPlaces, 'platform'>, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** Where desktop applications keep their settings: `%APPDATA%`, `~/Library/Application Support`, `$XDG_CONFIG_HOME`. */
export function settingsFolder(places: ClientPlaces): string {
  const { home, platform, environment } = places;
  if (platform === 'darwin') return joinPath(places, home, 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA || joinPath(places, home, 'AppData', 'Roaming');
  return configFolder(places);
}

/** Where command line programs keep theirs: `$XDG_CONFIG_HOME` or `~/.config`, on every platform. */
export function configFolder(places: ClientPlaces): string {
  return places.environment.XDG_CONFIG_HOME || joinPath(places, places.home, '.config');
}

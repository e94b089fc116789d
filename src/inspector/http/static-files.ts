/** The built page. Only files that are there at the first look are served, so no path leads out of the folder. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Absent where it would not be smaller. */
  readonly gzip?: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

const INDEX = 'index.html';

export class StaticFiles {
  readonly #folder: string;
  readonly #loaded = new Map<string, StaticFile>();
  #paths: ReadonlySet<string> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** False before the page was built. */
  get exist(): boolean {
    return this.#list().has(INDEX);
  }

  /** The file at a path below the page, such as `assets/index.js`; the page itself for the empty one. */
  get(path: string): StaticFile | undefined {
    const name = path === '' ? INDEX : path;
    const known = this.#loaded.get(name);
    if (known !== undefined || !this.#list().has(name)) return known;
    const file = load(join(this.#folder, name));
    this.#loaded.set(name, file);
    return file;
  }

  #list(): ReadonlySet<string> {
    if (this.#paths !== undefined && this.#paths.size > 0) return this.#paths;
    this.#paths = new Set(existsSync(this.#folder) ? filesIn(this.#folder) : []);
    return this.#paths;
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function load(path: string): StaticFile {
  const plain = readFileSync(path);
  const gzip = gzipSync(plain);
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  return gzip.length < plain.length ? { type, plain, gzip } : { type, plain };
}

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './run.mjs';

/** In CI nothing is taken as up to date. */
const trusted = process.env.CI !== 'true';

/**
 * @param {string} directory
 * @returns {string[]} every file below it, sorted
 */
export function filesUnder(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** @param {string[]} files */
export function hashFiles(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * What the last successful run left, or undefined where that must not be relied on.
 *
 * @param {string} file
 */
export function readStamp(file) {
  return trusted && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * @param {string} file
 * @param {string} content
 */
export function writeStamp(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

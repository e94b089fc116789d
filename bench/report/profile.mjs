/** Where a process spent its time, from a CPU profile: the time of each function itself, added up by where it lives. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from './numbers.mjs';

/**
 * @typedef {object} CpuProfile
 * @property {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[]} nodes
 * @property {number[]} samples
 * @property {number[]} timeDeltas
 */

const TOLD = 12;

/**
 * @param {CpuProfile} profile
 * @returns {{ places: [string, number][], functions: [string, number][] }} shares of the time that was not idle
 */
export function summarize({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  /** @type {Map<string, number>} */
  const places = new Map();
  /** @type {Map<string, number>} */
  const functions = new Map();
  let total = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    const time = timeDeltas[index] ?? 0;
    if (frame === undefined || isOurs(frame)) return;
    total += time;
    const place = placeOf(frame);
    places.set(place, (places.get(place) ?? 0) + time);
    const name = `${frame.functionName || '(anonymous)'}, ${place === 'Node' ? frame.url : place}`;
    functions.set(name, (functions.get(name) ?? 0) + time);
  });
  const sorted = (/** @type {Map<string, number>} */ times) =>
    [...times]
      .map(([name, time]) => /** @type {[string, number]} */ ([name, time / total]))
      .sort((left, right) => right[1] - left[1]);
  return { places: sorted(places), functions: sorted(functions) };
}

/**
 * Waiting, and the profiler itself.
 *
 * @param {{ functionName: string, url: string }} frame
 */
function isOurs({ functionName, url }) {
  return url === '' && (functionName === '(idle)' || functionName === 'dispatch');
}

/** @param {{ functionName: string, url: string }} frame */
function placeOf({ functionName, url }) {
  if (url === '')
    return functionName === '(garbage collector)' ? 'garbage collection' : 'engine and system calls';
  if (url.startsWith('node:')) return 'Node';
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (inPackage !== undefined) return inPackage;
  return /\/([^/]+\/[^/]+)$/.exec(url)?.[1] ?? url;
}

/**
 * @param {string} directory
 * @returns {string} for the terminal
 */
export function describeProfiles(directory) {
  if (!existsSync(directory)) return 'Nothing that was measured can be profiled.';
  return readdirSync(directory)
    .filter((file) => file.endsWith('.cpuprofile'))
    .map((file) => {
      const { places, functions } = summarize(JSON.parse(readFileSync(join(directory, file), 'utf8')));
      const lines = (/** @type {[string, number][]} */ shares) =>
        shares.slice(0, TOLD).map(([name, share]) => `  ${format(share * 100, 1).padStart(5)} %  ${name}`);
      return [file, ' by place', ...lines(places), ' by function', ...lines(functions)].join('\n');
    })
    .join('\n\n');
}

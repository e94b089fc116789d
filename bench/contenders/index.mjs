/** Who is measured, and in what. */

/** @typedef {import('../workload.mjs').Mode} Mode */

/**
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {string} [package]  whose version the report names
 * @property {string} folder
 * @property {Mode[]} http
 * @property {boolean} stdio
 * @property {boolean} client
 */

/** @type {Contender[]} */
export const CONTENDERS = [
  {
    id: 'limit',
    title: 'bare limit',
    folder: 'limit',
    http: ['stateless', 'sessions', 'modern'],
    stdio: true,
    client: true,
  },
  {
    id: 'plumb',
    title: 'Plumb',
    folder: 'plumb',
    http: ['stateless', 'sessions', 'modern'],
    stdio: true,
    client: true,
  },
];

/** Everything a name may stand for in `--contenders`. */
export const CONTENDER_IDS = CONTENDERS.map(({ id }) => id);

/** @param {string} id */
export function contender(id) {
  const found = CONTENDERS.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`No contender ${id}`);
  return found;
}

/**
 * A contender's module, as the processes of the bench import it.
 *
 * @param {string} id
 * @param {'http' | 'stdio' | 'client'} part
 */
export function moduleOf(id, part) {
  return new URL(`./${contender(id).folder}/${part}.mjs`, import.meta.url).href;
}

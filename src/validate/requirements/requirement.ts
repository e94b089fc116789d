/**
 * What a server or a client has to do, as data. Requirements are written as tables (one line each) because that is
 * how people compare them with the specification; `table` turns the lines into objects and refuses bad ones.
 */

import { REVISIONS } from '../../protocol/revisions/index.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { type PageName, pageExists, pagePath } from './pages.js';

/** Levels that are scored. */
export type ScoredLevel = 'must' | 'should' | 'derived';
export type Level = ScoredLevel | 'may';
export type Subject = 'server' | 'client' | 'both';

export interface Requirement {
  /** Stable: never renumbered, never reused. */
  readonly id: string;
  /** `derived` follows from JSON-RPC, an RFC or the schema without a keyword; `may` is shown and not scored. */
  readonly level: Level;
  readonly revisions: readonly Revision[];
  readonly subject: Subject;
  readonly section: string;
  readonly page: PageName;
  readonly title: string;
  readonly how: string;
  readonly advice: string;
  /** Why it cannot be tested from outside; absent where it can be tested. */
  readonly outside?: string;
}

const LEVELS: ReadonlySet<string> = new Set<Level>(['must', 'should', 'derived', 'may']);
const SUBJECTS: ReadonlySet<string> = new Set<Subject>(['server', 'client', 'both']);
const COLUMNS = 8;

/** The revisions from the first to the last ordinal (1 is the oldest), both included. */
function between(first: number, last: number): readonly Revision[] {
  return REVISIONS.slice(first - 1, last);
}

/** The place of a revision in the history, from 1. */
export function ordinal(revision: Revision): number {
  return REVISIONS.indexOf(revision) + 1;
}

/** Columns: id, revisions, level, subject, page, title, how it is tested, advice, and why it cannot be tested. */
export function table(section: string, rows: string): readonly Requirement[] {
  return rows
    .trim()
    .split('\n')
    .map((row) => parseRow(section, row));
}

function parseRow(section: string, row: string): Requirement {
  const cells = row.split('|').map((cell) => cell.trim());
  const [
    id = '',
    range = '',
    level = '',
    subject = '',
    page = '',
    title = '',
    how = '',
    advice = '',
    outside,
  ] = cells;
  if (cells.length < COLUMNS || !isLevel(level) || !isSubject(subject) || !pageExists(page)) {
    throw new TypeError(`Not a requirement: ${row}`);
  }
  const [first = '', last = first] = range.split('-');
  const revisions = between(Number(first), Number(last));
  const requirement = { id, level, revisions, subject, section, page, title, how, advice };
  return outside === undefined ? requirement : { ...requirement, outside };
}

function isLevel(text: string): text is Level {
  return LEVELS.has(text);
}

function isSubject(text: string): text is Subject {
  return SUBJECTS.has(text);
}

const SITE = 'https://modelcontextprotocol.io';

/** The page of the specification that says so, in that revision. */
export function specificationUrl(requirement: Requirement, revision: Revision): string {
  return `${SITE}${pagePath(requirement.page, revision)}`;
}

/** Whether the requirement binds this side. */
export function binds(requirement: Requirement, side: 'server' | 'client'): boolean {
  return requirement.subject === side || requirement.subject === 'both';
}

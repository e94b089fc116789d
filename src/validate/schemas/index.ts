/** The shapes of one revision, made once. */

import type { Revision } from '../../protocol/revisions/revision.js';
import { clientNotifications, clientRequests, serverNotifications, serverRequests } from './calls.js';
import { clientResults, serverResults } from './results.js';
import type { ShapeCheck } from './shape.js';

export interface Shapes {
  /** Results by the method that they answer. */
  readonly serverResults: ReadonlyMap<string, ShapeCheck>;
  readonly serverNotifications: ReadonlyMap<string, ShapeCheck>;
  readonly serverRequests: ReadonlyMap<string, ShapeCheck>;
  readonly clientRequests: ReadonlyMap<string, ShapeCheck>;
  readonly clientNotifications: ReadonlyMap<string, ShapeCheck>;
  readonly clientResults: ReadonlyMap<string, ShapeCheck>;
}

const MADE = new Map<Revision, Shapes>();

export function shapesOf(revision: Revision): Shapes {
  let shapes = MADE.get(revision);
  if (shapes === undefined) {
    shapes = {
      serverResults: serverResults(revision),
      serverNotifications: serverNotifications(revision),
      serverRequests: serverRequests(revision),
      clientRequests: clientRequests(revision),
      clientNotifications: clientNotifications(revision),
      clientResults: clientResults(revision),
    };
    MADE.set(revision, shapes);
  }
  return shapes;
}

export { isBase64, issuesOf, type ShapeCheck } from './shape.js';

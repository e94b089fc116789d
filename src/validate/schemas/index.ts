/** The shapes of one revision, made once. */

import type { Revision } from '../../protocol/index.js';
import { clientNotifications, clientRequests, serverNotifications, serverRequests } from './calls.js';
import { clientResults, serverResults } from './results.js';
import type { Shape } from './shape.js';

export interface Shapes {
  /** Results by the method that they answer. */
  readonly serverResults: ReadonlyMap<string, Shape>;
  readonly serverNotifications: ReadonlyMap<string, Shape>;
  readonly serverRequests: ReadonlyMap<string, Shape>;
  readonly clientRequests: ReadonlyMap<string, Shape>;
  readonly clientNotifications: ReadonlyMap<string, Shape>;
  readonly clientResults: ReadonlyMap<string, Shape>;
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

export { isBase64, issuesOf, type Shape } from './shape.js';

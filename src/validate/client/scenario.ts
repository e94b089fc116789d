/** A scenario: how the stage behaves, and what that shows about the client. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { META_CLIENT_CAPABILITIES } from '../../protocol/model/meta.js';
import { isModern, methodOf } from './actor.js';
import type { ClientJudge } from './judge.js';
import type { Behaviour, Habit, Stage, StageKind, StageRequest } from './stage.js';

export interface Scenario {
  readonly name: string;
  /** The place of the revision in the history, from 1. */
  readonly revision: number;
  /** The revision whose requirements are judged, where the client is of another than the stage. */
  readonly as?: number;
  /** Requirements beyond those that every scenario judges, separated by blanks. */
  readonly ids: string;
  /** Where it can be played. Default: over HTTP alone. */
  readonly over?: readonly StageKind[];
  /** Over stdio: the server does not end when its input does. */
  readonly stubborn?: boolean;
  /** What a person has to do, where the client does not do it by itself. */
  readonly trigger?: string;
  /** Made anew for each run, because it may remember. */
  readonly behaviour: () => Behaviour;
  readonly judge: (stage: Stage, judge: ClientJudge) => void;
}

/** The scenarios that only show what a client does by itself begin with this. */
export const REHEARSAL = 'rehearsal';

export const ANYWHERE: readonly StageKind[] = ['http', 'stdio'];

export function calls(stage: Stage, method: string): readonly StageRequest[] {
  return stage.heard.filter((heard) => methodOf(heard) === method);
}

export function paramsOf({ message }: StageRequest): JsonObject {
  return isRecord(message?.params) ? message.params : {};
}

/** What the client answered to a request of ours. */
export function answerTo(
  stage: Stage,
  method: string,
  fits: (request: JsonObject) => boolean = () => true,
): StageRequest | undefined {
  return stage.heard.find(({ message }) => {
    if (message === undefined || 'method' in message) return false;
    const asked = stage.asked.get(String(message.id));
    return asked !== undefined && asked.method === method && fits(asked);
  });
}

/** What the client declared in the era of the stage. */
export function capabilitiesOf(stage: Stage): JsonObject {
  const stateless = stage.revision.lifecycle === 'stateless';
  for (const heard of stage.heard) {
    const params = paramsOf(heard);
    const meta = isRecord(params._meta) ? params._meta : {};
    const declared = stateless ? meta[META_CLIENT_CAPABILITIES] : params.capabilities;
    if ((stateless ? isModern(heard) : methodOf(heard) === 'initialize') && isRecord(declared))
      return declared;
  }
  return {};
}

/** What the client asked for here, for comparison with other scenarios. */
export function habitsOf(stage: Stage): readonly Habit[] {
  return stage.heard.flatMap(({ message }) => {
    if (typeof message?.method !== 'string' || !('id' in message)) return [];
    return [{ method: message.method, key: keyOf(message) }];
  });
}

export function keyOf(message: JsonObject): string {
  const { _meta, ...params } = isRecord(message.params) ? message.params : {};
  return `${String(message.method)} ${JSON.stringify(params)}`;
}

export function errorOf(heard: StageRequest | undefined): number | undefined {
  const error = heard?.message?.error;
  return isRecord(error) && typeof error.code === 'number' ? error.code : undefined;
}

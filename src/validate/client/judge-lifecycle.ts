/** Rules for how a client begins: the handshake, or what every request of the stateless era carries. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
} from '../../protocol/model/meta.js';
import { HANDSHAKE_REVISIONS, REVISIONS } from '../../protocol/revisions/index.js';
import { messagesOf } from '../traffic.js';
import type { ClientJudge } from './judge.js';
import type { Stage, StageRequest } from './stage.js';

export function judgeHandshake(stage: Stage, judge: ClientJudge, posts: readonly StageRequest[]): void {
  const messages = posts.flatMap((heard) => messagesOf(heard.value).map((message) => ({ message, heard })));
  const calls = messages.filter(
    ({ message }) => typeof message.method === 'string' && message.method !== 'server/discover',
  );
  const [first] = calls;
  if (first === undefined) return;
  const params = isRecord(first.message.params) ? first.message.params : {};
  const info = isRecord(params.clientInfo) ? params.clientInfo : {};
  const complete =
    typeof params.protocolVersion === 'string' &&
    isRecord(params.capabilities) &&
    typeof info.name === 'string' &&
    typeof info.version === 'string';
  judge.judge(
    '043',
    first.message.method === 'initialize' && complete,
    `The first request is ${String(first.message.method)}`,
    'initialize with protocolVersion, capabilities and clientInfo',
    first.heard.text,
  );
  if (calls.some(({ message }) => message.method === 'notifications/initialized'))
    judgeProposal(stage, judge, params, first.heard.text);
  const after = calls.filter(({ message }) => message.method !== 'initialize');
  judge.judge(
    '051',
    after[0]?.message.method === 'notifications/initialized' || after.length === 0,
    `${String(after[0]?.message.method)} came before notifications/initialized`,
    'notifications/initialized first',
    after[0]?.heard.text ?? '',
  );
  for (const { opening, rest } of sessionsOf(calls))
    if (rest.length > 0)
      judge.judge(
        '050',
        rest.some(({ message }) => message.method === 'notifications/initialized'),
        'notifications/initialized never came',
        'notifications/initialized',
        opening.heard.text,
      );
}

interface HeardMessage {
  readonly message: JsonObject;
  readonly heard: StageRequest;
}

/** Every handshake, with what came until the next one. */
function sessionsOf(
  calls: readonly HeardMessage[],
): readonly { readonly opening: HeardMessage; readonly rest: readonly HeardMessage[] }[] {
  const starts = calls.flatMap(({ message }, index) => (message.method === 'initialize' ? [index] : []));
  return starts.flatMap((start, index) => {
    const opening = calls[start];
    return opening === undefined ? [] : [{ opening, rest: calls.slice(start + 1, starts[index + 1]) }];
  });
}

/** A client that accepts a newer version than it proposed could have proposed it. */
function judgeProposal(stage: Stage, judge: ClientJudge, params: JsonObject, text: string): void {
  const proposed = REVISIONS.findIndex(({ version }) => version === params.protocolVersion);
  const ours = REVISIONS.indexOf(stage.revision);
  judge.judge(
    '044',
    proposed >= ours,
    `The client proposed ${String(params.protocolVersion)} and accepts ${stage.revision.version}`,
    'the newest version that it speaks',
    text,
  );
}

export function judgeStateless(judge: ClientJudge, posts: readonly StageRequest[]): void {
  for (const heard of posts) {
    const { message } = heard;
    if (
      message === undefined ||
      typeof message.method !== 'string' ||
      !('id' in message) ||
      message.method === 'initialize'
    )
      continue;
    const params = isRecord(message.params) ? message.params : {};
    const meta = isRecord(params._meta) ? params._meta : {};
    const version = meta[META_PROTOCOL_VERSION];
    // A revision with a handshake has no envelope; one that is not known here may have.
    const stateless =
      typeof version === 'string' && HANDSHAKE_REVISIONS.every((revision) => revision.version !== version);
    judge.judge(
      '059',
      stateless && isRecord(meta[META_CLIENT_CAPABILITIES]),
      `${message.method} without protocolVersion and clientCapabilities in _meta`,
      'both, with a version of the stateless era',
      heard.text,
    );
    const info = meta[META_CLIENT_INFO];
    judge.judge(
      '060',
      isRecord(info) && typeof info.name === 'string' && typeof info.version === 'string',
      `${message.method} without clientInfo in _meta`,
      `${META_CLIENT_INFO} with name and version`,
      heard.text,
    );
    const capabilities = isRecord(meta[META_CLIENT_CAPABILITIES]) ? meta[META_CLIENT_CAPABILITIES] : {};
    if (isRecord(capabilities.extensions))
      judge.judge(
        '391',
        Object.keys(capabilities.extensions).every((id) => /^[^/]+\/./.test(id)),
        'An extension without a prefix',
        'prefix/name',
        heard.text,
      );
    for (const name of ['sampling', 'elicitation'])
      if (capabilities[name] !== undefined)
        judge.judge('172', isRecord(capabilities[name]), `${name} is no object`, `${name}: {}`, heard.text);
    if (capabilities.roots !== undefined)
      judge.judge(
        '172',
        isRecord(capabilities.roots) && Object.keys(capabilities.roots).length === 0,
        'roots is declared with fields',
        'roots: {}',
        heard.text,
      );
  }
}

/** Rules for the HTTP requests of a client: headers, sessions, methods. */

import { isRecord } from '../../jsonrpc/message.js';
import {
  decodeHeaderValue,
  METHOD_HEADER,
  NAME_HEADER,
  nameOf,
  SESSION_HEADER,
  VERSION_HEADER,
} from '../../protocol/mirrored-headers.js';
import { messagesOf } from '../traffic.js';
import { SESSION } from './actor.js';
import type { ClientJudge } from './judge.js';
import type { Stage, StageRequest } from './stage.js';

export function judgeHeaders(stage: Stage, judge: ClientJudge, heard: StageRequest): void {
  const { headers, text, path } = heard;
  const accept = headers.accept ?? '';
  const both = accept.includes('application/json') && accept.includes('text/event-stream');
  judge.judge(
    '198',
    both && !Array.isArray(heard.value),
    `Accept: ${accept}`,
    'application/json and text/event-stream',
    `accept: ${accept}`,
  );
  judge.judge(
    '359',
    !/[?&](access_token|token)=/.test(path),
    'A token in the URI',
    'the Authorization header',
    path,
  );
  if (stage.revision.lifecycle !== 'stateless' || heard.message === undefined) return;
  const method = typeof heard.message.method === 'string' ? heard.message.method : '';
  if (!('id' in heard.message) || method === 'initialize') return;
  judge.judge(
    '250',
    headers[METHOD_HEADER]?.trim() === method,
    `Mcp-Method is ${headers[METHOD_HEADER] ?? 'absent'}`,
    method,
    text,
  );
  const name = nameOf(method, isRecord(heard.message.params) ? heard.message.params : {});
  if (name !== undefined)
    judge.judge(
      '251',
      decodeHeaderValue(headers[NAME_HEADER] ?? '') === name,
      `Mcp-Name is ${headers[NAME_HEADER] ?? 'absent'}`,
      name,
      text,
    );
}

export function judgeSession(stage: Stage, judge: ClientJudge, posts: readonly StageRequest[]): void {
  const after = posts.filter((heard) =>
    messagesOf(heard.value).some(({ method }) => method !== 'server/discover' && method !== 'initialize'),
  );
  const opened = posts.some(({ headers }) => headers[SESSION_HEADER] !== undefined);
  for (const heard of after) {
    if (stage.revision.http.sessions)
      judge.judge(
        '211',
        heard.headers[SESSION_HEADER] === SESSION,
        `A request with the session id ${heard.headers[SESSION_HEADER] ?? '(none)'}`,
        `${SESSION_HEADER}: ${SESSION}`,
        heard.text,
      );
    if (stage.revision.http.versionHeader === 'after_initialize')
      judge.judge(
        '217',
        heard.headers[VERSION_HEADER] === stage.revision.version,
        `${VERSION_HEADER} is ${heard.headers[VERSION_HEADER] ?? 'absent'}`,
        stage.revision.version,
        heard.text,
      );
  }
  for (const { method, headers, path } of stage.heard) {
    // A stream without a session can only be a look for the old transport, before there is one.
    if (!path.startsWith('/mcp') || (method !== 'GET' && method !== 'DELETE') || !opened) continue;
    if (stage.revision.http.sessions)
      judge.judge(
        '211',
        headers[SESSION_HEADER] === SESSION,
        `${method} with the session id ${headers[SESSION_HEADER] ?? '(none)'}`,
        `${SESSION_HEADER}: ${SESSION}`,
        `${method} ${path}`,
      );
    if (stage.revision.http.versionHeader === 'after_initialize')
      judge.judge(
        '217',
        headers[VERSION_HEADER] === stage.revision.version,
        `${method} with ${VERSION_HEADER}: ${headers[VERSION_HEADER] ?? '(none)'}`,
        stage.revision.version,
        `${method} ${path}`,
      );
  }
  for (const { method, headers, path } of stage.heard) {
    if (method === 'GET' && path.startsWith('/mcp'))
      judge.judge(
        '199',
        String(headers.accept).includes('text/event-stream'),
        `GET with Accept: ${headers.accept}`,
        'text/event-stream',
        String(headers.accept),
      );
  }
  const ended = stage.heard.some(({ method }) => method === 'DELETE');
  // Whom we stopped could not say good-bye.
  if (stage.revision.http.sessions && opened && stage.stoppedAt === Number.POSITIVE_INFINITY)
    judge.judge('215', ended, 'The session was not deleted', 'DELETE when done', '');
}

export function judgeStatelessHeaders(stage: Stage, judge: ClientJudge): void {
  for (const heard of stage.heard.filter(({ path }) => path.startsWith('/mcp'))) {
    judge.judge(
      '234',
      heard.method === 'POST' && heard.headers[SESSION_HEADER] === undefined,
      `${heard.method}${heard.headers[SESSION_HEADER] === undefined ? '' : ' with a session id'}`,
      'POST without a session',
      heard.text,
    );
    judge.judge(
      '248',
      heard.headers['last-event-id'] === undefined,
      'Last-Event-ID was sent',
      'no Last-Event-ID',
      heard.text,
    );
  }
}

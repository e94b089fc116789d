/** What the specification leaves open: which of it this server uses. A MAY is used or not, and never fails. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { SESSION_HEADER, VERSION_HEADER } from '../../../protocol/mirrored-headers.js';
import { records } from '../../catalogue.js';
import { type Check, OVER_HTTP, watch } from '../../check.js';
import type { Probe } from '../../probe.js';
import { sortTraffic } from '../../traffic.js';
import type { TransportKind } from '../../wire/connection.js';
import { HttpConnection, type StreamedEvent } from '../../wire/http-connection.js';

/** What the report says of an option that was looked for and not seen. */
export const NOT_USED = 'not used';
const NO_CALLS = 'no tool was called; --call-tools allows all of them';

type Look = (probe: Probe) => boolean;

function option(id: string, used: Look, transports?: readonly TransportKind[]): Check {
  return watch(
    id,
    (probe) => {
      if (used(probe)) probe.pass(id);
      else probe.skip(id, NOT_USED);
    },
    transports,
  );
}

/** An option that only shows when tools are called. */
function callOption(id: string, used: Look): Check {
  return watch(id, (probe) => {
    if (used(probe)) probe.pass(id);
    else probe.skip(id, probe.exercise.calls.length === 0 ? NO_CALLS : NOT_USED);
  });
}

function part(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isRecord(value) ? value : {};
}

function said(method: string): Look {
  return ({ recorder }) => sortTraffic(recorder.entries).notifications.some((sent) => sent.method === method);
}

function asks(fits: (method: string) => boolean): Look {
  return ({ recorder }) => sortTraffic(recorder.entries).requests.some(({ method }) => fits(method));
}

interface HttpExchange {
  readonly sent: string;
  readonly received: string;
  /** Messages in the body of the answer. */
  readonly answers: readonly unknown[];
}

/** Request and answer of each stream, as lines of headers. */
function httpExchanges({ recorder }: Probe): readonly HttpExchange[] {
  const found = new Map<number, { sent: string; received: string; answers: unknown[] }>();
  for (const { stream, direction, kind, text, value } of recorder.entries) {
    if (stream === undefined) continue;
    const exchange = found.get(stream) ?? { sent: '', received: '', answers: [] };
    found.set(stream, exchange);
    if (kind === 'http') exchange[direction] = text;
    else if (kind === 'message' && direction === 'received') exchange.answers.push(value);
  }
  return [...found.values()];
}

function exchanged(fits: (exchange: HttpExchange) => boolean): Look {
  return (probe) => httpExchanges(probe).some(fits);
}

function streamed(fits: (event: StreamedEvent) => boolean): Look {
  return ({ shared: { connection } }) => connection instanceof HttpConnection && connection.events.some(fits);
}

const STREAM = /^HTTP 200\b[\s\S]*content-type: text\/event-stream/i;

export const optionWatches: readonly Check[] = [
  option('501', ({ catalogue }) => typeof catalogue.greeting.instructions === 'string'),
  option('502', ({ catalogue }) => [...catalogue.pages.values()].some((pages) => pages.length > 1)),
  option('503', ({ catalogue }) =>
    ['tools', 'resources', 'prompts'].some((name) => part(catalogue.capabilities, name).listChanged === true),
  ),
  option('504', ({ catalogue }) => part(catalogue.capabilities, 'resources').subscribe === true),
  callOption('505', said('notifications/progress')),
  callOption('506', said('notifications/message')),
  option('507', (probe) => probe.declares('completions')),
  option(
    '508',
    exchanged(({ received }) => new RegExp(`^${SESSION_HEADER}:`, 'im').test(received)),
    OVER_HTTP,
  ),
  option(
    '509',
    exchanged(({ sent, received }) => sent.startsWith('GET ') && STREAM.test(received)),
    OVER_HTTP,
  ),
  option(
    '510',
    exchanged(({ sent, received }) => sent.startsWith('DELETE ') && /^HTTP 2/.test(received)),
    OVER_HTTP,
  ),
  option(
    '511',
    exchanged(({ sent, received }) => sent.startsWith('POST ') && STREAM.test(received)),
    OVER_HTTP,
  ),
  option(
    '512',
    streamed(({ id }) => id !== undefined),
    OVER_HTTP,
  ),
  option(
    '513',
    streamed(({ retry }) => retry !== undefined),
    OVER_HTTP,
  ),
  option('514', ({ recorder }) =>
    recorder.entries.some(({ direction, text }) => direction === 'received' && text.startsWith('[')),
  ),
  option(
    '515',
    asks((method) => method === 'ping'),
  ),
  callOption(
    '516',
    asks((method) => method !== 'ping'),
  ),
  callOption('517', ({ recorder }) =>
    sortTraffic(recorder.entries).exchanges.some(({ result }) => result?.resultType === 'input_required'),
  ),
  option(
    '518',
    exchanged(
      ({ sent, received }) =>
        sent.startsWith('POST ') &&
        !new RegExp(`^${VERSION_HEADER}:`, 'im').test(sent) &&
        /^HTTP 200/.test(received),
    ),
    OVER_HTTP,
  ),
  option('519', ({ catalogue }) => JSON.stringify(catalogue.tools).includes('"x-mcp-header"'), OVER_HTTP),
  option('520', ({ catalogue }) => {
    const { tools, resources, templates, prompts, greeting } = catalogue;
    const info = part(greeting, 'serverInfo');
    return [...tools, ...resources, ...templates, ...prompts, info].some(
      ({ icons }) => records(icons).length > 0,
    );
  }),
  option(
    '521',
    exchanged(
      ({ sent, received, answers }) =>
        /^origin:/im.test(sent) &&
        /^HTTP 403/.test(received) &&
        answers.some((answer) => isRecord(answer) && isRecord(answer.error)),
    ),
    OVER_HTTP,
  ),
  option('522', (probe) => probe.declares('tasks')),
  option('523', ({ catalogue }) => catalogue.tools.some(({ annotations }) => isRecord(annotations))),
  option('524', ({ catalogue }) => catalogue.tools.some(({ outputSchema }) => isRecord(outputSchema))),
];

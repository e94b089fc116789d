/** The card that a server shows before anybody connects, compared with the server itself. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { META_SERVER_INFO } from '../../../protocol/model/meta.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, OVER_HTTP, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import { HttpConnection } from '../../wire/http-connection.js';
import { parseJson } from '../../wire/recorder.js';
import { endOf } from '../http/deliveries.js';

const IDS = '418 422 423 424 425';
const CARD_TYPE = 'application/mcp-server-card+json';
const CATALOG_TYPE = 'application/ai-catalog+json';
const CATALOG_PATH = '/.well-known/ai-catalog.json';
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const REMOTE_URL = /^(https?:\/\/[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*)$/;
const REMOTE_TYPES: readonly unknown[] = ['streamable-http', 'sse'];

/** A document beside the endpoint. */
interface CardReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
  readonly shown: { readonly sent: string; readonly received: string };
}

export const cardChecks: readonly Check[] = [
  ownCheck(
    IDS,
    async (probe) => {
      const { session } = await probe.open({ standalone: false });
      const { connection: http } = session;
      if (!(http instanceof HttpConnection)) return;
      const path = `${http.url.pathname.replace(/\/+$/, '')}/server-card`;
      const answer = await fetchCard(probe, http, path);
      const { body: card } = answer;
      if (answer.status !== 200 || card === undefined)
        return probe.skipAll(IDS, 'the server has no card at its endpoint');
      const fault = cardFault(card);
      probe.judge(
        '418',
        fault === undefined && isOpen(answer),
        fault ?? 'The card cannot be read from other origins',
        '$schema, name, version, description, and Access-Control-Allow-Origin: *',
        answer.shown,
      );
      await judgeDelivery(probe, http, path, answer);
      judgeIdentity(probe, card, answer);
      judgeRemotes(probe, card, session.revision.version, answer);
      await judgeCatalog(probe, http, path, card);
    },
    OVER_HTTP,
  ),
];

async function fetchCard(
  probe: Probe,
  http: HttpConnection,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<CardReply> {
  const url = new URL(path, http.url);
  const delivery = await http.fetch({ method: 'GET', url, headers, apart: true });
  if (!(await endOf(delivery, probe.patient(2_000)))) delivery.abort();
  const text = delivery.body();
  const body = parseJson(text);
  return {
    status: delivery.status,
    headers: delivery.headers,
    body: isRecord(body) ? body : undefined,
    shown: { sent: `GET ${path}`, received: text.slice(0, 1_000) },
  };
}

function isOpen({ headers }: CardReply): boolean {
  return headers['access-control-allow-origin'] === '*';
}

function typeOf({ headers }: CardReply): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function cardFault(card: JsonObject): string | undefined {
  if (card.$schema !== SCHEMA) return 'The card names another $schema';
  if (!/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(textOf(card, 'name'))) return 'The card has no valid name';
  const version = textOf(card, 'version');
  if (version === '' || version.length > 255) return 'The card has no valid version';
  const description = textOf(card, 'description');
  return description === '' || description.length > 100 ? 'The card has no valid description' : undefined;
}

/** Its type, and that it need not be sent twice. */
async function judgeDelivery(
  probe: Probe,
  http: HttpConnection,
  path: string,
  answer: CardReply,
): Promise<void> {
  const { etag } = answer.headers;
  const expected = `${CARD_TYPE}, an ETag, and 304 for a card that is known`;
  if (typeOf(answer) !== CARD_TYPE || etag === undefined)
    return probe.judge('422', false, deliveryFault(answer), expected, answer.shown);
  const again = await fetchCard(probe, http, path, { 'If-None-Match': etag });
  const message = `HTTP ${again.status} for a card that is known by its ETag`;
  probe.judge('422', again.status === 304, message, expected, again.shown);
}

function deliveryFault(answer: CardReply): string {
  return answer.headers.etag === undefined
    ? 'The card has no ETag'
    : `The card has the type ${typeOf(answer) || '(none)'}`;
}

/** What the card says of the server is what the server says of itself. */
function judgeIdentity(probe: Probe, card: JsonObject, { shown }: CardReply): void {
  const info = serverInfo(probe);
  const faults: string[] = [];
  for (const field of ['version', 'title']) {
    const [written, said] = [textOf(card, field), textOf(info, field)];
    if (written !== '' && said !== '' && written !== said)
      faults.push(`its ${field} is ${written}, and the server says ${said}`);
  }
  const own = textOf(info, 'name');
  // Most servers have a short name; one with a vendor can be compared.
  if (own.includes('/') && own !== card.name)
    faults.push(`its name is ${textOf(card, 'name')}, and the server says ${own}`);
  const tools = namesOf(card.tools);
  const listed = namesOf(probe.catalogue.tools);
  const missing = tools.filter((name) => !listed.includes(name));
  if (missing.length > 0) faults.push(`it has the tools ${missing.join(', ')}, and the server does not`);
  const areas = isRecord(card.capabilities) ? Object.keys(card.capabilities) : [];
  const undeclared = areas.filter((area) => !probe.declares(area));
  if (undeclared.length > 0)
    faults.push(`it has ${undeclared.join(', ')}, which the server does not declare`);
  probe.judge(
    '423',
    faults.length === 0,
    `The card differs from the server: ${faults.join('; ')}`,
    'name, version, title, capabilities and tools of the server',
    shown,
  );
}

/** Where the server can be reached, and in which revisions. */
function judgeRemotes(probe: Probe, card: JsonObject, revision: string, { shown }: CardReply): void {
  if (card.remotes === undefined) {
    probe.skip('424', 'the card names no address');
    return;
  }
  const remotes = records(card.remotes);
  const broken = remotes.find(
    ({ type, url }) => !REMOTE_TYPES.includes(type) || typeof url !== 'string' || !REMOTE_URL.test(url),
  );
  const streamable = remotes.filter(({ type }) => type === 'streamable-http');
  const { supportedVersions } = probe.catalogue.greeting;
  const offered = [revision, ...(Array.isArray(supportedVersions) ? supportedVersions : [])];
  const named = streamable.find(({ supportedProtocolVersions }) => Array.isArray(supportedProtocolVersions));
  const versions = named?.supportedProtocolVersions;
  const absent = Array.isArray(versions) ? offered.filter((version) => !versions.includes(version)) : [];
  const extra =
    Array.isArray(versions) && Array.isArray(supportedVersions)
      ? versions.filter((version) => !offered.includes(version))
      : [];
  const fault =
    broken !== undefined
      ? 'a remote has an unknown type, or no address'
      : streamable.length === 0
        ? 'it has no remote for the transport that the server speaks'
        : absent.length > 0
          ? `it lacks ${absent.join(', ')}, which the server offers`
          : extra.length > 0
            ? `it has ${extra.join(', ')}, which the server does not offer`
            : undefined;
  probe.judge(
    '424',
    fault === undefined,
    `The remotes of the card: ${fault ?? ''}`,
    'the transports and revisions of the server',
    shown,
  );
}

async function judgeCatalog(
  probe: Probe,
  http: HttpConnection,
  cardPath: string,
  card: JsonObject,
): Promise<void> {
  const answer = await fetchCard(probe, http, CATALOG_PATH);
  const { body: catalog } = answer;
  if (answer.status !== 200 || catalog === undefined)
    return probe.skip('425', 'the host has no catalog at its well-known address');
  const entries = records(catalog.entries).filter(({ type }) => type === CARD_TYPE);
  const entry = entries.find((one) => leadsTo(one, cardPath, card));
  const fault =
    typeOf(answer) !== CATALOG_TYPE
      ? `it has the type ${typeOf(answer) || '(none)'}`
      : !isOpen(answer)
        ? 'it cannot be read from other origins'
        : !/^1\./.test(textOf(catalog, 'specVersion'))
          ? 'it has no specVersion 1.x'
          : entry === undefined
            ? 'it has no entry for this server'
            : textOf(entry, 'identifier') === ''
              ? 'its entry has no identifier'
              : entry.version !== undefined && entry.version !== card.version
                ? `its entry has the version ${String(entry.version)}`
                : undefined;
  probe.judge(
    '425',
    fault === undefined,
    `The catalog of the host: ${fault ?? ''}`,
    `${CATALOG_TYPE}, readable from other origins, with the card of this server`,
    answer.shown,
  );
}

/** By the path: the address from outside may have another host than the one that is validated. */
function leadsTo({ url, data }: JsonObject, cardPath: string, card: JsonObject): boolean {
  if (isRecord(data)) return data.name === card.name && data.version === card.version;
  return typeof url === 'string' && URL.canParse(url) && new URL(url).pathname === cardPath;
}

function serverInfo({ catalogue: { greeting } }: Probe): JsonObject {
  const meta = isRecord(greeting._meta) ? greeting._meta[META_SERVER_INFO] : undefined;
  const info = greeting.serverInfo ?? meta;
  return isRecord(info) ? info : {};
}

function namesOf(value: unknown): readonly string[] {
  return records(value).map((one) => textOf(one, 'name'));
}

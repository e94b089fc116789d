/** Resources: lists, contents, templates, subscriptions. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { RESOURCE_NOT_FOUND } from '../../../protocol/index.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import { isBase64 } from '../../schemas/index.js';
import { outcomeOf } from '../../session/reply.js';
import { sortTraffic } from '../../traffic.js';
import { expectError } from '../expect.js';

const BOGUS = 'plumb-validate://no/such/resource';
const TRAVERSALS = [
  'file:///../../../../../../etc/passwd',
  'file:///%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  'file:///etc/passwd',
] as const;

export const resourceChecks: readonly Check[] = [
  check('118', (probe) => {
    const some = probe.catalogue.resources.length + probe.catalogue.templates.length > 0;
    if (!some) return probe.skip('118', 'the server has no resources');
    probe.judge(
      '118',
      probe.declares('resources'),
      'Resources are served and not declared',
      '"resources" in the capabilities',
      {
        received: JSON.stringify(probe.catalogue.capabilities),
      },
    );
  }),
  check('119 130', (probe) => {
    const { resources, templates } = probe.catalogue;
    for (const resource of resources) {
      const received = JSON.stringify(resource);
      const ok = typeof resource.uri === 'string' && typeof resource.name === 'string';
      probe.judge('119', ok, 'A resource without uri or name', 'uri and name', { received });
      const uri = textOf(resource, 'uri');
      probe.judge('130', isUri(uri), `${JSON.stringify(uri)} is no URI`, 'a URI as RFC 3986 has it', {
        received,
      });
    }
    for (const template of templates) {
      const ok = typeof template.uriTemplate === 'string' && typeof template.name === 'string';
      probe.judge('119', ok, 'A template without uriTemplate or name', 'uriTemplate and name', {
        received: JSON.stringify(template),
      });
    }
    for (const id of ['119', '130']) probe.skip(id, 'the server has no resources');
  }),
  check('120 121', (probe) => {
    for (const { last } of probe.exercise.reads) {
      if (last.kind !== 'result' || last.result.resultType === 'input_required') continue;
      const contents = last.result.contents;
      probe.judge('120', Array.isArray(contents), 'contents is no array', 'an array', last);
      for (const item of records(contents)) {
        const one = (typeof item.text === 'string') !== (typeof item.blob === 'string');
        probe.judge(
          '120',
          one && typeof item.uri === 'string',
          'Contents without uri and exactly one of text and blob',
          'uri, and text or blob',
          last,
        );
        if (typeof item.blob === 'string')
          probe.judge('121', isBase64(item.blob), 'A blob that is no base64', 'base64', last);
      }
    }
    for (const id of ['120', '121']) probe.skip(id, 'nothing of that kind can be read here');
  }),
  check('122 123 124', async (probe) => {
    if (!probe.declares('resources')) {
      for (const id of ['122', '123', '124']) probe.skip(id, 'the server has no resources');
      return;
    }
    const session = await probe.session();
    const reply = await session.request('resources/read', { uri: BOGUS });
    if (probe.stateless) {
      expectError(probe, '123', reply, [INVALID_PARAMS], 'A resource that does not exist');
      const empty =
        reply.kind === 'result' && Array.isArray(reply.result.contents) && reply.result.contents.length === 0;
      probe.judge('124', !empty, 'A missing resource yields empty contents', 'an error', reply);
    } else expectError(probe, '122', reply, [RESOURCE_NOT_FOUND], 'A resource that does not exist');
  }),
  check('125', async (probe) => {
    const session = await probe.session();
    for (const template of probe.catalogue.templates.slice(0, 10)) {
      const uri = expand(textOf(template, 'uriTemplate'));
      if (uri === undefined) continue;
      const reply = await session.request('resources/read', { uri });
      const code = reply.kind === 'error' ? reply.code : undefined;
      const ok = reply.kind === 'result' || code === INVALID_PARAMS || code === RESOURCE_NOT_FOUND;
      probe.judge(
        '125',
        ok,
        `${uri}: ${outcomeOf(reply)}`,
        'contents, or an error that says that there is no such resource',
        reply,
      );
    }
    probe.skip('125', 'the server has no templates');
  }),
  check('126 127', async (probe) => {
    const resources = probe.catalogue.capabilities.resources;
    const uri = textOf(probe.catalogue.resources[0] ?? {}, 'uri');
    if (!isRecord(resources) || resources.subscribe !== true || uri === '') {
      for (const id of ['126', '127']) probe.skip(id, 'the server offers no subscriptions');
      return;
    }
    const session = await probe.session();
    const subscribed = await session.request('resources/subscribe', { uri });
    probe.judge(
      '126',
      subscribed.kind === 'result',
      `resources/subscribe: ${outcomeOf(subscribed)}`,
      'an empty result',
      subscribed,
    );
    const ended = await session.request('resources/unsubscribe', { uri });
    probe.judge(
      '127',
      ended.kind === 'result',
      `resources/unsubscribe: ${outcomeOf(ended)}`,
      'an empty result',
      ended,
    );
    await provokeUpdates(probe.tools, (params) =>
      session.request('tools/call', params, { timeoutMs: 1_000 }),
    );
    const late = sortTraffic(probe.recorder.of(session.connection.number)).notifications.filter(
      ({ method, params }) => method === 'notifications/resources/updated' && params.uri !== undefined,
    );
    for (const { params, entry } of late) {
      const wanted = params.uri === uri;
      probe.fail(wanted ? '127' : '126', 'An update for a resource that is not subscribed', {
        received: entry.text,
        expected: 'updates only while subscribed',
      });
    }
  }),
  check('129', async (probe) => {
    if (!probe.declares('resources')) return probe.skip('129', 'the server has no resources');
    const session = await probe.session();
    for (const uri of TRAVERSALS) {
      if (probe.catalogue.resources.some((resource) => resource.uri === uri)) continue;
      const reply = await session.request('resources/read', { uri });
      const leaked = reply.kind === 'result' && JSON.stringify(reply.result).includes('root:');
      probe.judge('129', !leaked, `${uri} was read`, 'a refusal', {
        sent: reply.sent,
        received: leaked ? '(the file)' : reply.received,
      });
    }
  }),
  check('131', (probe) => {
    const items = [...probe.catalogue.resources, ...probe.catalogue.templates];
    for (const { annotations } of items) {
      if (!isRecord(annotations)) continue;
      const fault = annotationFault(annotations);
      probe.judge(
        '131',
        fault === undefined,
        `annotations: ${fault}`,
        'audience user/assistant, priority 0..1, lastModified ISO 8601',
        { received: JSON.stringify(annotations) },
      );
    }
    probe.skip('131', 'nothing here is annotated');
  }),
  check('146', async (probe) => {
    const session = await probe.session();
    for (const [capability, method] of [
      ['tools', 'tools/list'],
      ['resources', 'resources/list'],
      ['prompts', 'prompts/list'],
    ] as const) {
      if (!probe.declares(capability)) continue;
      const reply = await session.request(method, { cursor: 'plumb-no-such-cursor' });
      // A server that does not page has no cursors to compare with, and may not look.
      const pages = (probe.catalogue.pages.get(method) ?? []).length > 1;
      if (reply.kind === 'result' && !pages) probe.skip('146', 'the lists fit on one page');
      else if (reply.kind === 'error' && reply.code === METHOD_NOT_FOUND) continue;
      else
        expectError(
          probe,
          '146',
          reply,
          [INVALID_PARAMS],
          `${method} with a cursor that the server did not issue`,
        );
    }
  }),
];

function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*$/.test(text);
}

/** Fills simple variables; other operators are left to servers that document them. */
function expand(template: string): string | undefined {
  const uri = template.replace(/\{\+?([A-Za-z0-9_,]+)\*?\}/g, 'plumb');
  return uri.includes('{') ? undefined : uri;
}

function annotationFault(annotations: JsonObject): string | undefined {
  const { audience, priority, lastModified } = annotations;
  if (
    audience !== undefined &&
    !(Array.isArray(audience) && audience.every((role) => role === 'user' || role === 'assistant'))
  )
    return 'audience';
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    return 'priority';
  if (
    lastModified !== undefined &&
    !(typeof lastModified === 'string' && !Number.isNaN(Date.parse(lastModified)))
  )
    return 'lastModified';
  return undefined;
}

/** Calls the tools that may be called and sound like changing something. */
async function provokeUpdates(
  tools: readonly JsonObject[],
  call: (params: JsonObject) => Promise<unknown>,
): Promise<void> {
  const changing = tools.filter((tool) => /write|update|set|change|touch|note/i.test(textOf(tool, 'name')));
  for (const tool of changing.slice(0, 3)) {
    const schema =
      isRecord(tool.inputSchema) && isRecord(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
    const args = Object.fromEntries(Object.keys(schema).map((name) => [name, 'changed by plumb validate']));
    await call({ name: textOf(tool, 'name'), arguments: args });
  }
}

/** Resources: lists, contents, templates, subscriptions. */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { RESOURCE_NOT_FOUND } from '../../../protocol/errors.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, check, watch } from '../../check.js';
import type { Probe } from '../../probe.js';
import { isBase64 } from '../../schemas/index.js';
import { outcomeOf } from '../../session/reply.js';
import { expectError } from '../expect.js';

const BOGUS = 'plumb-validate://no/such/resource';
const UP = '../../../../../../../../etc/passwd';
const TRAVERSALS = [
  `file:///${UP}`,
  'file:///%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  'file:///etc/passwd',
  'file://localhost/etc/passwd',
] as const;
const MAX_TRAVERSALS = 24;

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
    for (const uri of returnedUris(probe)) {
      const received = JSON.stringify(uri);
      probe.judge('130', isUri(uri), `${received} is no URI`, 'a URI as RFC 3986 has it', { received });
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
    for (const uri of missingResources(probe)) {
      const reply = await session.request('resources/read', { uri });
      const what = `The missing resource ${uri}`;
      if (probe.stateless) {
        expectError(probe, '123', reply, [INVALID_PARAMS], what);
        const empty =
          reply.kind === 'result' &&
          Array.isArray(reply.result.contents) &&
          reply.result.contents.length === 0;
        probe.judge('124', !empty, `${what} yields empty contents`, 'an error', reply);
      } else expectError(probe, '122', reply, [RESOURCE_NOT_FOUND], what);
    }
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
  check('129', async (probe) => {
    if (!probe.declares('resources')) return probe.skip('129', 'the server has no resources');
    const session = await probe.session();
    for (const uri of traversals(probe)) {
      if (probe.catalogue.resources.some((resource) => resource.uri === uri)) continue;
      const reply = await session.request('resources/read', { uri });
      const leaked = reply.kind === 'result' && /root:[^:\n]*:0:0/.test(JSON.stringify(reply.result));
      probe.judge('129', !leaked, `${uri} was read`, 'a refusal', {
        sent: reply.sent,
        received: leaked ? '(the file)' : reply.received,
      });
    }
  }),
  watch('131', (probe) => {
    for (const annotations of annotated(probe)) {
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
      ['resources', 'resources/templates/list'],
      ['prompts', 'prompts/list'],
    ] as const) {
      if (!probe.declares(capability)) continue;
      const reply = await session.request(method, { cursor: 'plumb-no-such-cursor' });
      // A server that does not page has no cursors to compare with, and may not look.
      const pages = [...probe.catalogue.pages.values()].some((list) => list.length > 1);
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

/** RFC 3986: a scheme, and only characters that a URI may have. */
function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/.test(text);
}

/** URIs of nothing: of an unknown scheme, and next to resources that exist. */
function missingResources({ catalogue }: Probe): readonly string[] {
  const uris = catalogue.resources.map((resource) => textOf(resource, 'uri')).filter(isUri);
  const near = uris.slice(0, 2).map((uri) => `${uri}${uri.endsWith('/') ? '' : '/'}plumb-no-such-resource`);
  // A template may well answer for any value, and is judged apart.
  const open = near.filter((uri) => !catalogue.templates.some((template) => fits(template, uri)));
  return [BOGUS, ...open.filter((uri) => !uris.includes(uri))];
}

function fits(template: JsonObject, uri: string): boolean {
  const [start = ''] = textOf(template, 'uriTemplate').split('{');
  return uri.startsWith(start);
}

/** Ways out of a directory: from the root, from what is listed, and through the variables of templates. */
function traversals({ catalogue }: Probe): readonly string[] {
  const listed = catalogue.resources.slice(0, 3).flatMap((resource) => {
    const uri = textOf(resource, 'uri');
    const folder = uri.slice(0, uri.lastIndexOf('/') + 1);
    return folder === '' ? [] : [`${folder}${UP}`, `${folder}${encodeURIComponent(UP)}`];
  });
  const expanded = catalogue.templates.slice(0, 3).flatMap((template) => {
    const uri = textOf(template, 'uriTemplate');
    const filled = (value: string): string => uri.replace(/\{[^}]+\}/g, () => value);
    return [filled(UP), filled(encodeURIComponent(UP)), filled('/etc/passwd')];
  });
  return [...new Set([...TRAVERSALS, ...listed, ...expanded])].slice(0, MAX_TRAVERSALS);
}

/** URIs of links and of embedded resources. */
function returnedUris({ exercise }: Probe): readonly string[] {
  return [...exercise.calls, ...exercise.gets].flatMap(({ last }) => {
    if (last.kind !== 'result') return [];
    const blocks = [
      ...records(last.result.content),
      ...records(last.result.messages).flatMap(({ content }) => (isRecord(content) ? [content] : [])),
    ];
    return blocks.flatMap(({ type, uri, resource }) => {
      const named = type === 'resource_link' ? uri : isRecord(resource) ? resource.uri : undefined;
      return typeof named === 'string' ? [named] : [];
    });
  });
}

/** Annotations of everything that is listed, read or returned. */
function annotated(probe: Probe): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const look = (item: unknown): void => {
    if (isRecord(item) && isRecord(item.annotations)) found.push(item.annotations);
  };
  for (const item of [...probe.catalogue.resources, ...probe.catalogue.templates]) look(item);
  for (const { last } of [...probe.exercise.calls, ...probe.exercise.gets, ...probe.exercise.reads]) {
    if (last.kind !== 'result') continue;
    const { content, contents, messages } = last.result;
    for (const block of [...records(content), ...records(contents)]) look(block);
    for (const message of records(messages)) look(message.content);
  }
  return found;
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
  if (lastModified !== undefined && !(typeof lastModified === 'string' && ISO_8601.test(lastModified)))
    return 'lastModified';
  return undefined;
}

const ISO_8601 = /^\d{4}(-\d{2}(-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/;

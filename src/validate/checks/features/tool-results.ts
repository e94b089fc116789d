/** What tools return. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { compileValidator } from '../../../protocol/schema/validator.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, check } from '../../check.js';
import type { Probe } from '../../probe.js';
import { isBase64 } from '../../schemas/index.js';

interface Called {
  readonly tool: JsonObject;
  readonly result: JsonObject;
  readonly received: string;
  readonly sent: string;
}

function called(probe: Probe): readonly Called[] {
  return probe.exercise.calls.flatMap(({ subject, last }) =>
    last.kind === 'result' && last.result.resultType !== 'input_required' && last.result.resultType !== 'task'
      ? [{ tool: subject, result: last.result, received: last.received, sent: last.sent }]
      : [],
  );
}

export const toolResultChecks: readonly Check[] = [
  check('106', (probe) => {
    const results = called(probe);
    if (results.length === 0) return probe.skip('106', 'no tool may be called (see --tool and --call-tools)');
    for (const { tool, result, ...evidence } of results) {
      const blocks = Array.isArray(result.content) ? result.content : undefined;
      const strange = blocks?.find(
        (block) =>
          !isRecord(block) || typeof block.type !== 'string' || !probe.revision.contentTypes.has(block.type),
      );
      const ok = blocks !== undefined && strange === undefined;
      probe.judge(
        '106',
        ok,
        `${textOf(tool, 'name')} returned content that the revision does not know`,
        `blocks of type ${[...probe.revision.contentTypes].join(', ')}`,
        evidence,
      );
    }
  }),
  check('107', (probe) => {
    for (const { tool, result, ...evidence } of called(probe)) {
      for (const block of records(result.content)) {
        if (block.type !== 'image' && block.type !== 'audio') continue;
        const ok =
          typeof block.data === 'string' &&
          isBase64(block.data) &&
          typeof block.mimeType === 'string' &&
          block.mimeType.includes('/');
        probe.judge(
          '107',
          ok,
          `${textOf(tool, 'name')} returned a ${block.type} that is no base64 with a mimeType`,
          'base64 data and a mimeType',
          evidence,
        );
      }
    }
    probe.skip('107', 'no callable tool returns images or audio');
  }),
  check('108', async (probe) => {
    for (const { tool, result, ...evidence } of called(probe)) {
      if (!isRecord(tool.outputSchema) || result.isError === true) continue;
      const name = textOf(tool, 'name');
      const issues =
        result.structuredContent === undefined
          ? 'structuredContent is missing'
          : (await compileValidator(tool.outputSchema))(result.structuredContent)
              ?.map(({ path, message }) => `${path} ${message}`)
              .join('; ');
      probe.judge(
        '108',
        issues === undefined,
        `${name} returned a result that its outputSchema refuses: ${issues}`,
        'structuredContent that fits the outputSchema',
        evidence,
      );
    }
    probe.skip('108', 'no callable tool has an outputSchema');
  }),
  check('110 111', (probe) => {
    for (const { tool, result, ...evidence } of called(probe)) {
      const { structuredContent } = result;
      if (structuredContent === undefined) continue;
      const name = textOf(tool, 'name');
      probe.judge(
        '111',
        isRecord(structuredContent),
        `${name} returned structuredContent that is no object`,
        'an object',
        evidence,
      );
      const texts = records(result.content).map((block) => textOf(block, 'text'));
      const repeated = texts.some((text) => sameJson(text, structuredContent));
      if (result.isError !== true)
        probe.judge(
          '110',
          repeated,
          `${name} does not repeat its structuredContent as text`,
          'the same JSON in a text block',
          evidence,
        );
    }
    for (const id of ['110', '111']) probe.skip(id, 'no callable tool returns structuredContent');
  }),
  check('112', (probe) => {
    const free = called(probe).filter(
      ({ tool }) => isRecord(tool.outputSchema) && tool.outputSchema.type !== 'object',
    );
    if (free.length === 0) return probe.skip('112', 'no callable tool has an outputSchema other than object');
    for (const { tool, result, ...evidence } of free) {
      const ok = 'structuredContent' in result || result.isError === true;
      probe.judge(
        '112',
        ok,
        `${textOf(tool, 'name')} lost its structuredContent`,
        'the value as it is',
        evidence,
      );
    }
  }),
  check('114', (probe) => {
    for (const tool of probe.catalogue.tools) {
      if (!isRecord(tool.execution) || tool.execution.taskSupport === undefined) continue;
      const ok = ['forbidden', 'optional', 'required'].includes(String(tool.execution.taskSupport));
      probe.judge(
        '114',
        ok,
        `${textOf(tool, 'name')} has an unknown taskSupport`,
        'forbidden, optional or required',
        { received: JSON.stringify(tool) },
      );
    }
    probe.skip('114', 'no tool speaks of tasks');
  }),
  check('137', (probe) => {
    const used = [...probe.exercise.calls, ...probe.exercise.gets];
    for (const { last } of used) {
      if (last.kind !== 'result') continue;
      const blocks = [
        ...records(last.result.content),
        ...records(last.result.messages).flatMap(({ content }) => (isRecord(content) ? [content] : [])),
      ];
      for (const { type, resource } of blocks) {
        if (type !== 'resource') continue;
        const ok =
          isRecord(resource) &&
          typeof resource.uri === 'string' &&
          typeof resource.mimeType === 'string' &&
          (typeof resource.text === 'string') !== (typeof resource.blob === 'string');
        probe.judge(
          '137',
          ok,
          'An embedded resource is not complete',
          'uri, mimeType, and text or blob',
          last,
        );
      }
    }
    probe.skip('137', 'nothing here embeds a resource');
  }),
];

function sameJson(text: string, value: unknown): boolean {
  try {
    return canonical(JSON.parse(text)) === canonical(value);
  } catch {
    // Texts that are no JSON repeat only texts.
    return text === value;
  }
}

/** JSON with sorted keys: the order of properties carries no meaning. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'undefined';
  return `{${Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`;
}

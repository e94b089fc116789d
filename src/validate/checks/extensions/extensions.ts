/** Extensions in general, user interfaces, skills, and what happens under load. */

import { createHash } from 'node:crypto';
import { INVALID_PARAMS } from '../../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { META_CLIENT_CAPABILITIES } from '../../../protocol/model/meta.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, check, loneCheck } from '../../check.js';
import { boundaryCases } from '../../generate/arguments.js';
import { outcomeOf } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { cheapMethod, expectError } from '../expect.js';

const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
const APP_TYPE = 'text/html;profile=mcp-app';
/** A slow machine is not a server that loses requests. */
const FLOOD_MS = 25_000;
const FLOOD = 200;

function uiOf(item: JsonObject): JsonObject | undefined {
  const meta = isRecord(item._meta) ? item._meta : {};
  return isRecord(meta.ui) ? meta.ui : undefined;
}

export const extensionChecks: readonly Check[] = [
  check('392', async (probe) => {
    const use = probe.goodCall;
    if (use === undefined) return probe.skip('392', 'no tool may be called');
    const session = await probe.session();
    const { extensions: _, ...core } = session.capabilities;
    const reply = await session.request(use.method, use.params, {
      meta: { [META_CLIENT_CAPABILITIES]: core },
    });
    const ok = reply.kind === 'result' || (reply.kind === 'error' && reply.code === -32021);
    probe.judge(
      '392',
      ok,
      `Without extensions: ${outcomeOf(reply)}`,
      'core behaviour, or error -32021',
      reply,
    );
  }),
  check('393', (probe) => {
    for (const { subject, last } of probe.exercise.calls) {
      if (uiOf(subject) === undefined || last.kind !== 'result') continue;
      const ok = records(last.result.content).length > 0;
      probe.judge(
        '393',
        ok,
        `${textOf(subject, 'name')} has a UI and returns no content`,
        'content for clients without a UI',
        last,
      );
    }
    probe.skip('393', 'no callable tool has a UI');
  }),
  check('394', async (probe) => {
    const session = await probe.session();
    const uris = probe.catalogue.tools.flatMap((tool) => {
      const ui = uiOf(tool);
      return ui === undefined ? [] : [textOf(ui, 'resourceUri')];
    });
    for (const uri of uris.filter((text) => text !== '')) {
      const reply = await session.request('resources/read', { uri });
      const [contents] = reply.kind === 'result' ? records(reply.result.contents) : [];
      const ok = uri.startsWith('ui://') && contents?.mimeType === APP_TYPE;
      probe.judge(
        '394',
        ok,
        `${uri} has mimeType ${JSON.stringify(contents?.mimeType)}`,
        `ui:// and ${APP_TYPE}`,
        reply,
      );
    }
    probe.skip('394', 'no tool has a UI');
  }),
  check('396 397 398 399', async (probe) => {
    const { extensions } = probe.catalogue.capabilities;
    if (!isRecord(extensions) || !(SKILLS_EXTENSION in extensions)) {
      for (const id of ['396', '397', '398', '399']) probe.skip(id, 'the server has no skills');
      return;
    }
    const session = await probe.session();
    const list = await session.request('skills/list');
    const ok = list.kind === 'result' && Array.isArray(list.result.skills) && probe.declares('resources');
    probe.judge('396', ok, `skills/list: ${outcomeOf(list)}`, 'skills, and the resources capability', list);
    expectError(
      probe,
      '399',
      await session.request('skills/get', { uri: 'skill://plumb/no/SKILL.md' }),
      [INVALID_PARAMS],
      'An unknown skill',
    );
    for (const skill of list.kind === 'result' ? records(list.result.skills).slice(0, 5) : []) {
      const got = await session.request('skills/get', { uri: skill.uri });
      probe.judge(
        '396',
        got.kind === 'result' && isRecord(got.result.skill),
        `skills/get: ${outcomeOf(got)}`,
        'the skill',
        got,
      );
      const name = isRecord(skill.frontmatter) ? textOf(skill.frontmatter, 'name') : '';
      const named =
        textOf(skill, 'uri')
          .replace(/\/SKILL\.md$/, '')
          .split('/')
          .at(-1) === name;
      probe.judge(
        '398',
        named,
        `The skill ${name} lies in another directory`,
        'a directory of that name',
        list,
      );
      for (const file of records(skill.resources).slice(0, 5)) {
        probe.judge(
          '397',
          await matches(session, file),
          `${textOf(file, 'uri')} does not match its digest`,
          'digest and size of the very bytes',
          list,
        );
      }
    }
    probe.skip('397', 'no skill lists its files');
  }),
  loneCheck('389', async (probe) => {
    const { session } = await probe.open();
    // Values at the edges of their schemas come before the flood: both are legal, and neither may end the server.
    const edges = probe.tools.flatMap((tool) =>
      boundaryCases(tool.inputSchema).map(({ args }) => ({ name: textOf(tool, 'name'), arguments: args })),
    );
    await Promise.all(
      edges.slice(0, 12).map((params) => session.request('tools/call', params, { timeoutMs: 500 })),
    );
    const started = performance.now();
    const replies = await Promise.all(
      Array.from({ length: FLOOD }, () => session.request(cheapMethod(probe), {}, { timeoutMs: FLOOD_MS })),
    );
    // Slow is not lost: a server may take its time with a flood, as long as it gets through it.
    const answered = replies.filter(({ kind }) => kind !== 'silence').length;
    const lost = replies.filter(
      ({ kind, delivery, received }) =>
        kind === 'silence' && delivery?.status !== 429 && (answered === 0 || !/within \d+ ms/.test(received)),
    );
    const after = await session.request(cheapMethod(probe), {}, { timeoutMs: FLOOD_MS });
    const ok = after.kind === 'result' && lost.length === 0;
    probe.judge(
      '389',
      ok,
      `${lost.length} of ${FLOOD} requests at once were lost; afterwards ${outcomeOf(after)}`,
      'answers or refusals, and a server that stays up',
      {
        received: `${lost[0]?.received ?? after.received} (${Math.round(performance.now() - started)} ms)`,
        timed: true,
      },
    );
  }),
];

async function matches(session: ValidatorSession, file: JsonObject): Promise<boolean> {
  const reply = await session.request('resources/read', { uri: file.uri });
  const [contents] = reply.kind === 'result' ? records(reply.result.contents) : [];
  if (contents === undefined) return false;
  const bytes =
    typeof contents.blob === 'string'
      ? Buffer.from(contents.blob, 'base64')
      : Buffer.from(textOf(contents, 'text'));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return file.digest === digest && file.size === bytes.length;
}

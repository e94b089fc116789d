/** Extensions in general, user interfaces, and what happens under load. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { META_CLIENT_CAPABILITIES } from '../../../protocol/model/meta.js';
import { records, textOf } from '../../catalogue.js';
import { type Check, check, loneCheck } from '../../check.js';
import { boundaryCases } from '../../generate/arguments.js';
import { outcomeOf } from '../../session/reply.js';
import { cheapMethod } from '../expect.js';

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
  check('394 416 417', async (probe) => {
    const session = await probe.session();
    const uris = probe.catalogue.tools.flatMap((tool) => {
      const ui = uiOf(tool);
      return ui === undefined ? [] : [textOf(ui, 'resourceUri')];
    });
    for (const tool of probe.catalogue.tools) {
      const visibility = uiOf(tool)?.visibility;
      if (visibility === undefined) continue;
      const known =
        Array.isArray(visibility) && visibility.every((name) => name === 'model' || name === 'app');
      probe.judge('417', known, `${textOf(tool, 'name')} has an unknown visibility`, 'model and app', {
        received: JSON.stringify(visibility),
      });
    }
    for (const uri of uris.filter((text) => text !== '')) {
      const reply = await session.request('resources/read', { uri });
      const [contents] = reply.kind === 'result' ? records(reply.result.contents) : [];
      const page = textOf(contents ?? {}, 'text') || textOf(contents ?? {}, 'blob');
      probe.judge('416', page !== '', `${uri} cannot be read, or is empty`, 'an HTML document', reply);
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
    probe.skip('416', 'no tool has a UI');
    probe.skip('417', 'no tool has a UI');
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
    const ok = (after.kind === 'result' || after.kind === 'error') && lost.length === 0;
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

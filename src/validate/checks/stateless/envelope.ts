/** The envelope of the stateless era: what has to be there, and what a server may not remember. */

import { INVALID_PARAMS } from '../../../jsonrpc/codes.js';
import { isRecord } from '../../../jsonrpc/message.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
} from '../../../protocol/index.js';
import { VERSION_HEADER } from '../../../protocol/mirrored-headers.js';
import { type Check, check } from '../../check.js';
import { outcomeOf, type Reply } from '../../session/reply.js';
import { expectError, expectResult, expectStatus } from '../expect.js';

const UNKNOWN_VERSION = '1999-01-01';

export const envelopeChecks: readonly Check[] = [
  check('061 062', async (probe) => {
    const session = await probe.session();
    const version = { [VERSION_HEADER]: probe.revision.version };
    const cases: [string, Promise<Reply>][] = [
      ['_meta', session.request('tools/list', {}, { bare: true, headers: version, hostile: true })],
      [
        'protocolVersion',
        session.request(
          'tools/list',
          {},
          { meta: { [META_PROTOCOL_VERSION]: undefined }, headers: version, hostile: true },
        ),
      ],
      [
        'clientCapabilities',
        session.request('tools/list', {}, { meta: { [META_CLIENT_CAPABILITIES]: undefined }, hostile: true }),
      ],
    ];
    // A server of both eras takes a request without the version for one of the handshake era, where only HTTP
    // distinguishes them.
    const dual =
      probe.spoken.some((revision) => revision.lifecycle === 'handshake') && probe.transport !== 'http';
    for (const [what, sent] of cases) {
      const reply = await sent;
      if (dual && what !== 'clientCapabilities') {
        probe.judge(
          '061',
          reply.kind !== 'result',
          `A request without ${what} was served`,
          'an error',
          reply,
        );
        continue;
      }
      expectError(probe, '061', reply, [INVALID_PARAMS], `A request without ${what}`);
      if (probe.transport === 'http') expectStatus(probe, '062', reply, [400], `A request without ${what}`);
    }
  }),
  check('063', async (probe) => {
    const session = await probe.session();
    const reply = await session.request('server/discover', {}, { meta: { [META_CLIENT_INFO]: undefined } });
    expectResult(probe, '063', reply, 'A request without clientInfo');
  }),
  check('065 066', async (probe) => {
    const session = await probe.session();
    const meta = { [META_PROTOCOL_VERSION]: UNKNOWN_VERSION };
    const refused = await session.request(
      'tools/list',
      {},
      { meta, headers: probe.transport === 'http' ? { [VERSION_HEADER]: UNKNOWN_VERSION } : {} },
    );
    const data = refused.kind === 'error' && isRecord(refused.data) ? refused.data : {};
    const complete = Array.isArray(data.supported) && data.requested === UNKNOWN_VERSION;
    const ok = refused.kind === 'error' && refused.code === UNSUPPORTED_VERSION && complete;
    probe.judge(
      '066',
      ok,
      `An unknown version: ${outcomeOf(refused)}`,
      'error -32022 with data.supported and data.requested',
      refused,
    );
    const after = await session.request('server/discover');
    expectResult(probe, '065', after, 'A request with a supported version after one without');
    const again = await session.request(
      'tools/list',
      {},
      { meta, headers: probe.transport === 'http' ? { [VERSION_HEADER]: UNKNOWN_VERSION } : {} },
    );
    probe.judge(
      '065',
      again.kind === 'error',
      'The version of an earlier request was remembered',
      'error -32022 again',
      again,
    );
  }),
  check('064 073 074 274', async (probe) => {
    const asking = probe.exercise.calls.find(
      ({ rounds }) =>
        rounds[0]?.kind === 'result' &&
        rounds[0].result.resultType === 'input_required' &&
        isRecord(rounds[0].result.inputRequests),
    );
    if (asking === undefined) {
      for (const id of ['064', '073', '074', '274']) probe.skip(id, 'no callable tool asks for input');
      return;
    }
    const session = await probe.session();
    const reply = await session.request(asking.method, asking.params, {
      meta: { [META_CLIENT_CAPABILITIES]: {} },
    });
    const asked =
      reply.kind === 'result' &&
      reply.result.resultType === 'input_required' &&
      isRecord(reply.result.inputRequests);
    const expected = 'error -32021, or a result without questions';
    probe.judge('064', !asked, 'Capabilities of an earlier request were remembered', expected, reply);
    probe.judge('274', !asked, 'Input was requested that the client cannot give', expected, reply);
    if (reply.kind !== 'error') {
      probe.skip('073', 'the tool does without input');
      return;
    }
    const data = isRecord(reply.data) ? reply.data : {};
    const named = isRecord(data.requiredCapabilities) && Object.keys(data.requiredCapabilities).length > 0;
    probe.judge(
      '073',
      reply.code === MISSING_CAPABILITY && named,
      `A missing capability: ${outcomeOf(reply)}`,
      'error -32021 with data.requiredCapabilities',
      reply,
    );
    if (probe.transport === 'http') expectStatus(probe, '074', reply, [400], 'A missing capability');
  }),
  check('079', async (probe) => {
    const session = await probe.session();
    const method = 'tools/list';
    const [first, second] = [
      await session.request(method),
      await session.request(
        method,
        {},
        { meta: { [META_CLIENT_INFO]: { name: 'claude-desktop', version: '99.0.0' } } },
      ),
    ];
    if (first.kind !== 'result' || second.kind !== 'result')
      return probe.skip('079', 'the server has no tools');
    const same = JSON.stringify(first.result.tools) === JSON.stringify(second.result.tools);
    probe.judge(
      '079',
      same,
      'The tools depend on the name of the client',
      'the same list for every client',
      second,
    );
  }),
];

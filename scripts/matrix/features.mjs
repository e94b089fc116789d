/** What is tried in each cell of the matrix. A feature that does not work throws. */
import { NOTE, PAGE_SIZE } from './fixture.mjs';

/** @typedef {import('./clients.mjs').Peer} Peer */
/** @typedef {{ elicits: boolean, countsCancelled: boolean }} Facts */

const HEARING_MS = 8_000;
const POKE_MS = 100;
const STEPS_HEARD = 3;

/** @type {Readonly<Record<string, (peer: Peer, facts: Facts) => Promise<void> | undefined>>} */
export const FEATURES = {
  tools: async (peer) => {
    const sum = textOf(await peer.call('add', { a: 2, b: 3 }));
    check(/5/.test(sum), `2 and 3 are not ${sum}`);
  },
  resources: async (peer) => {
    check(
      (await peer.resources()).some(({ uri }) => uri === NOTE),
      'the resource is not listed',
    );
    const { contents } = await peer.read(NOTE);
    check(contents[0]?.uri === NOTE, 'something else was read');
  },
  prompts: async (peer) => {
    check(
      (await peer.prompts()).some(({ name }) => name === 'review'),
      'the prompt is not listed',
    );
    const { messages } = await peer.prompt('review', { code: 'x += 1' });
    check(/x \+= 1/.test(JSON.stringify(messages)), 'the argument is not in the prompt');
  },
  completion: async (peer) => {
    const ref = { type: 'ref/prompt', name: 'review' };
    const { completion } = await peer.complete(ref, { name: 'language', value: 'ty' });
    check(completion.values.includes('typescript'), 'no suggestion');
  },
  pagination: async (peer) => {
    const names = new Set();
    let pages = 0;
    /** @type {string | undefined} */
    let cursor;
    do {
      const { tools, nextCursor } = await peer.page(cursor);
      check(tools.length <= PAGE_SIZE, `a page of ${tools.length}`);
      for (const { name } of tools) names.add(name);
      pages += 1;
      cursor = nextCursor;
    } while (cursor !== undefined && pages < 100);
    check(pages > 1 && names.has('add') && names.has('ask_roots'), `${names.size} tools on ${pages} pages`);
  },
  errors: async (peer) => {
    const tool = await failureOf(peer.call('no_such_tool'));
    check(/no_such_tool/.test(tool), `an unknown tool: ${tool}`);
    const resource = await failureOf(peer.read('demo://nowhere'));
    check(/demo:\/\/nowhere/.test(resource), `an unknown resource: ${resource}`);
  },
  progress: async (peer) => {
    /** @type {number[]} */
    const steps = [];
    const controller = new AbortController();
    const onProgress = (/** @type {{ progress: number }} */ { progress }) => {
      steps.push(progress);
      if (steps.length === STEPS_HEARD) controller.abort();
    };
    // Cancelled before its end: the official clients drop progress that they read together with the result.
    const counting = peer.call(
      'count',
      { to: 1_000, delayMs: 20 },
      { onProgress, signal: controller.signal },
    );
    const failure = await failureOf(counting);
    check(/cancel|abort/i.test(failure), `it failed otherwise: ${failure}`);
    check(steps.slice(0, STEPS_HEARD).join() === '1,2,3', `steps ${steps}`);
  },
  cancellation: async (peer, { countsCancelled }) => {
    const before = countsCancelled ? textOf(await peer.call('cancelled')) : '';
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 200);
    const failure = await failureOf(peer.call('wait', { seconds: 20 }, { signal: controller.signal }));
    clearTimeout(timer);
    check(/cancel|abort/i.test(failure), `it failed otherwise: ${failure}`);
    if (!countsCancelled) return;
    let after = before;
    await until(async () => {
      after = textOf(await peer.call('cancelled'));
      return after !== before;
    }, 'the server was not told');
  },
  logging: async (peer) => {
    let heard = 0;
    await peer.onLog(() => {
      heard += 1;
    });
    await poke(
      () => peer.call('test_tool_with_logging'),
      () => heard > 0,
    );
  },
  subscriptions: async (peer) => {
    let heard = 0;
    await peer.subscribe(NOTE, () => {
      heard += 1;
    });
    await poke(
      () => peer.call('write_note', { text: 'noted' }),
      () => heard > 0,
    );
  },
  'list changes': async (peer) => {
    let heard = 0;
    await peer.onToolsChanged(() => {
      heard += 1;
    });
    await poke(
      () => peer.call('test_trigger_tool_change'),
      () => heard > 0,
    );
  },
  elicitation: (peer, { elicits }) =>
    elicits ? asked(peer.call('test_elicitation', { message: 'Who?' }), /ada/) : undefined,
  sampling: (peer) => asked(peer.call('test_sampling', { prompt: 'The capital?' }), /Paris/),
  roots: (peer) => asked(peer.call('ask_roots'), /file:\/\/\/here/),
};

/** @param {Promise<any>} call @param {RegExp} answer */
async function asked(call, answer) {
  const text = textOf(await call);
  check(answer.test(text), `the answer did not arrive: ${text}`);
}

/** @param {Promise<any>} call */
async function failureOf(call) {
  try {
    const result = await call;
    return result.isError === true ? textOf(result) : 'it worked';
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

/**
 * A stream on which changes are told may open a moment after the client asked for it.
 *
 * @param {() => Promise<unknown>} action
 * @param {() => boolean} condition
 */
async function poke(action, condition) {
  await until(async () => {
    await action();
    if (!condition()) await new Promise((resolve) => setTimeout(resolve, POKE_MS));
    return condition();
  });
}

/** @param {() => boolean | Promise<boolean>} condition */
async function until(condition, failure = 'nothing was heard') {
  const end = performance.now() + HEARING_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(failure);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** @param {boolean} condition @param {string} what */
function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** @param {any} result */
function textOf(result) {
  return JSON.stringify(result.content ?? result);
}

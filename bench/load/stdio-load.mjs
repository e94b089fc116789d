/** Load over the standard streams of a server: so many requests in flight, or at a given pace. */
import { checkAnswer, checkRefusal } from '../wire/check-answer.mjs';
import { Lines } from '../wire/lines.mjs';
import { INITIALIZED_BODY, initializeBody, prepareLine } from '../wire/requests.mjs';
import { ECHO, WRONG_ARGUMENTS } from '../workload.mjs';
import { Latencies, sumUp } from './latencies.mjs';

/** @typedef {import('../wire/requests.mjs').Work} Work */
/** @typedef {import('./http-load.mjs').Running} Running */

/** One answer in so many is looked at. */
const SAMPLED = 1024;

export class StdioLoad {
  #input;
  /** @type {(line: Buffer) => void} */
  #onLine = () => {};
  /** @type {() => void} */
  #onChunkEnd = () => {};
  /** @type {(error: Error) => void} */
  #onError = () => {};

  /**
   * @param {import('node:stream').Writable} input
   * @param {import('node:stream').Readable} output
   */
  constructor(input, output) {
    this.#input = input;
    const lines = new Lines((line) => this.#onLine(line));
    output.on('data', (/** @type {Buffer} */ chunk) => {
      lines.push(chunk);
      this.#onChunkEnd();
    });
    output.on('end', () => this.#onError(new Error('The server ended its output')));
    input.on('error', (error) => this.#onError(error));
  }

  /**
   * The handshake, which every server speaks.
   *
   * @param {string} [version]
   */
  async open(version) {
    const answer = await this.#exchange(`${initializeBody(version)}\n`);
    if (answer.result === undefined)
      throw new Error(`initialize was answered with ${JSON.stringify(answer)}`);
    this.#input.write(`${INITIALIZED_BODY}\n`);
  }

  async checkValidation() {
    const work = { method: 'tools/call', params: { name: ECHO.name, arguments: WRONG_ARGUMENTS } };
    checkRefusal(await this.#exchange(prepareLine(work).bytes));
  }

  /**
   * @param {Buffer | string} line
   * @returns {Promise<import('../wire/check-answer.mjs').AnswerMessage>}
   */
  #exchange(line) {
    return new Promise((resolve, reject) => {
      this.#onError = reject;
      this.#onChunkEnd = () => {};
      this.#onLine = (answer) => {
        const message = JSON.parse(answer.toString('utf8'));
        // Servers may say more than they were asked.
        if (message.id !== undefined && message.method === undefined) resolve(message);
      };
      this.#input.write(line);
    });
  }

  /**
   * As many in flight as asked for, all the time.
   *
   * @param {Running} running
   * @returns {Promise<import('./latencies.mjs').LoadResult>}
   */
  run({ works, concurrency, milliseconds, most = Number.POSITIVE_INFINITY }) {
    const work = only(works);
    const prepared = prepareLine(work);
    const size = prepared.bytes.length;
    const firstId = prepared.id + 1;
    const latencies = new Latencies();
    /** When each request that is in flight was sent, by its number. */
    const sentAt = new Float64Array(concurrency * 4);
    const before = process.cpuUsage();
    const started = performance.now();
    const deadline = started + milliseconds;
    return new Promise((resolve, reject) => {
      let sent = 0;
      let open = 0;
      let due = 0;
      const send = (/** @type {number} */ count) => {
        const now = performance.now();
        const bytes = Buffer.allocUnsafe(count * size);
        for (let index = 0; index < count; index += 1) {
          prepared.next().copy(bytes, index * size);
          sentAt[sent % sentAt.length] = now;
          sent += 1;
        }
        open += count;
        this.#input.write(bytes);
      };
      this.#onError = reject;
      this.#onLine = (line) => {
        const answered = latencies.count;
        // Answers need not come in the order of the requests, but the time of a call is as good as its neighbour's.
        latencies.add(performance.now() - Number(sentAt[answered % sentAt.length]));
        open -= 1;
        due += 1;
        if (answered % SAMPLED !== 0) return;
        try {
          const message = JSON.parse(line.toString('utf8'));
          if (!(Number(message.id) >= firstId && Number(message.id) < firstId + sent)) {
            throw new Error(`${message.id} was not asked`);
          }
          checkAnswer(work, Number(message.id), message);
        } catch (error) {
          reject(error);
        }
      };
      // Whatever was answered in one piece is asked again in one.
      this.#onChunkEnd = () => {
        const goesOn = latencies.count < most && performance.now() < deadline;
        if (goesOn && due > 0) send(due);
        due = 0;
        if (open === 0) resolve(sumUp(latencies, performance.now() - started, before));
      };
      send(concurrency);
    });
  }
}

/** @param {Work[]} works */
function only(works) {
  const [work] = works;
  if (work === undefined) throw new Error('Nothing to ask');
  return work;
}

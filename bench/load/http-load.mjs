/** Load over HTTP: every connection asks again as soon as it is answered. */
import { messageIn } from '../wire/answer-reader.mjs';
import { checkAnswer, checkRefusal } from '../wire/check-answer.mjs';
import { headersFor, INITIALIZED_BODY, initializeBody, postHead, preparePost } from '../wire/requests.mjs';
import { ECHO, WRONG_ARGUMENTS } from '../workload.mjs';
import { HttpConnection } from './http-connection.mjs';
import { Latencies, sumUp } from './latencies.mjs';

/** @typedef {import('../workload.mjs').Mode} Mode */
/** @typedef {import('../wire/requests.mjs').Work} Work */

/** One answer in so many is looked at. */
const SAMPLED = 1024;

export class HttpLoad {
  /** @type {{ connection: HttpConnection, session: string | undefined }[]} */
  #lanes = [];
  #url;
  #mode;

  /** @param {string} url @param {Mode} mode */
  constructor(url, mode) {
    this.#url = new URL(url);
    this.#mode = mode;
  }

  /** @param {number} connections */
  async open(connections) {
    this.#lanes = await Promise.all(Array.from({ length: connections }, () => this.#openLane()));
  }

  async #openLane() {
    const connection = new HttpConnection(this.#url);
    if (this.#mode !== 'sessions') return { connection, session: undefined };
    return { connection, session: await this.openSession(connection) };
  }

  /** @param {HttpConnection} connection */
  async openSession(connection) {
    const hello = initializeBody();
    const opened = await connection.exchange(postHead(this.#url, {}, hello) + hello);
    const session = /\r\nmcp-session-id:\s*([^\r\n]+)/i.exec(opened.head)?.[1];
    const headers = headersFor('sessions', session, { method: 'notifications/initialized', params: {} });
    const { status } = await connection.exchange(
      postHead(this.#url, headers, INITIALIZED_BODY) + INITIALIZED_BODY,
    );
    if (status >= 300) throw new Error(`notifications/initialized was answered with ${status}`);
    return session;
  }

  /** Wrong arguments have to be refused. */
  async checkValidation() {
    const [lane] = this.#lanes;
    if (lane === undefined) throw new Error('No connection is open');
    const work = { method: 'tools/call', params: { name: ECHO.name, arguments: WRONG_ARGUMENTS } };
    const { body } = await lane.connection.exchange(this.#prepare(lane.session, work).bytes);
    checkRefusal(messageIn(body));
  }

  /** @param {string | undefined} session @param {Work} work */
  #prepare(session, work) {
    return preparePost(this.#url, this.#mode, session, work);
  }

  /**
   * @param {Work} work
   * @param {number} active  connections that take part
   * @param {number} milliseconds
   * @param {number} [most]  ends after so many calls, if that is earlier
   * @returns {Promise<import('./latencies.mjs').LoadResult>}
   */
  async run(work, active, milliseconds, most = Number.POSITIVE_INFINITY) {
    const latencies = new Latencies();
    const before = process.cpuUsage();
    const started = performance.now();
    const deadline = started + milliseconds;
    const until = () => latencies.count < most && performance.now() < deadline;
    await Promise.all(this.#lanes.slice(0, active).map((lane) => this.#drive(lane, work, latencies, until)));
    return sumUp(latencies, performance.now() - started, before);
  }

  /**
   * @param {{ connection: HttpConnection, session: string | undefined }} lane
   * @param {Work} work
   * @param {Latencies} latencies
   * @param {() => boolean} until
   * @returns {Promise<void>}
   */
  #drive({ connection, session }, work, latencies, until) {
    const prepared = this.#prepare(session, work);
    return new Promise((resolve, reject) => {
      let count = 0;
      let sent = performance.now();
      connection.onError = reject;
      connection.reader.keep = true;
      connection.onAnswer = (status, answer) => {
        const now = performance.now();
        latencies.add(now - sent);
        if (status !== 200) return reject(new Error(`Answered with status ${status} ${answer?.body ?? ''}`));
        if (answer !== undefined) {
          try {
            checkAnswer(work, prepared.id, messageIn(answer.body));
          } catch (error) {
            return reject(error);
          }
        }
        if (!until()) return resolve();
        count += 1;
        connection.reader.keep = count % SAMPLED === 0;
        sent = now;
        connection.write(prepared.next());
      };
      connection.write(prepared.bytes);
    });
  }

  close() {
    for (const { connection } of this.#lanes) connection.close();
    this.#lanes = [];
  }
}

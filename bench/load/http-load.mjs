/** Load over HTTP: every connection asks again as soon as it is answered. */
import { messageIn } from '../wire/answer-reader.mjs';
import { checkAnswer, checkRefusal } from '../wire/check-answer.mjs';
import { headersFor, INITIALIZED_BODY, initializeBody, postHead, preparePost } from '../wire/requests.mjs';
import { ECHO, WRONG_ARGUMENTS } from '../workload.mjs';
import { HttpConnection } from './http-connection.mjs';
import { Latencies, sumUp } from './latencies.mjs';

/** @typedef {import('../wire/requests.mjs').Work} Work */

/**
 * @typedef {object} HttpTarget
 * @property {string} url
 * @property {import('../workload.mjs').Mode} mode
 * @property {number} connections
 * @property {number} [sessions]  one for each connection unless given
 * @property {string} [accept]  what a client admits; what clients have to unless given
 * @property {string} [version]  of the handshake era
 */

/**
 * @typedef {object} Running
 * @property {Work[]} works  asked in turns
 * @property {number} concurrency  connections that take part
 * @property {number} milliseconds
 * @property {number} [most]  ends after so many calls, if that is earlier
 */

/** One answer in so many is looked at. */
const SAMPLED = 1024;

export class HttpLoad {
  /** @type {HttpConnection[]} */
  #connections = [];
  /** @type {(string | undefined)[]} */
  #sessions = [undefined];
  #target;
  #url;

  /** @param {HttpTarget} target */
  constructor(target) {
    this.#target = target;
    this.#url = new URL(target.url);
  }

  async open() {
    const { mode, connections, sessions = connections } = this.#target;
    this.#connections = Array.from({ length: connections }, () => new HttpConnection(this.#url));
    if (mode !== 'sessions') return;
    this.#sessions = [];
    await Promise.all(
      this.#connections.map(async (connection) => {
        while (this.#sessions.length < sessions) {
          const index = this.#sessions.push(undefined) - 1;
          this.#sessions[index] = await this.#openSession(connection);
        }
      }),
    );
  }

  /** @param {HttpConnection} connection */
  async #openSession(connection) {
    const { version } = this.#target;
    const hello = initializeBody(version);
    const opened = await connection.exchange(postHead(this.#url, {}, hello) + hello);
    if (opened.status !== 200)
      throw new Error(`initialize was answered with ${opened.status} ${opened.body}`);
    const session = /\r\nmcp-session-id:\s*([^\r\n]+)/i.exec(opened.head)?.[1];
    const notice = { method: 'notifications/initialized', params: {} };
    const headers = headersFor('sessions', session, notice, version);
    const head = postHead(this.#url, headers, INITIALIZED_BODY);
    const { status } = await connection.exchange(head + INITIALIZED_BODY);
    if (status >= 300) throw new Error(`notifications/initialized was answered with ${status}`);
    return session;
  }

  /** Wrong arguments have to be refused. */
  async checkValidation() {
    const [connection] = this.#connections;
    const work = { method: 'tools/call', params: { name: ECHO.name, arguments: WRONG_ARGUMENTS } };
    const answer = await connection?.exchange(this.#prepare(this.#sessions[0], work).bytes);
    checkRefusal(messageIn(answer?.body ?? ''));
  }

  /**
   * @param {string | undefined} session
   * @param {Work} work
   */
  #prepare(session, work) {
    const { mode, accept, version } = this.#target;
    return preparePost(this.#url, { mode, session, accept, version }, work);
  }

  /**
   * @param {Running} running
   * @returns {Promise<import('./latencies.mjs').LoadResult>}
   */
  async run(running) {
    const { concurrency, milliseconds, most = Number.POSITIVE_INFINITY } = running;
    const lanes = this.#connections.slice(0, concurrency).map((connection, lane) => ({
      connection,
      requests: this.#requests(lane, concurrency, running.works),
    }));
    await Promise.all(lanes.map(({ connection }) => connection.renew()));
    const latencies = new Latencies();
    const before = process.cpuUsage();
    const started = performance.now();
    const deadline = started + milliseconds;
    const goesOn = () => latencies.count < most && performance.now() < deadline;
    await Promise.all(lanes.map((lane) => drive(lane, latencies, goesOn)));
    for (const { connection } of lanes) connection.rest();
    return sumUp(latencies, performance.now() - started, before);
  }

  /**
   * What a lane asks in turns: its share of the sessions, and all works.
   *
   * @param {number} lane
   * @param {number} lanes
   * @param {Work[]} works
   */
  #requests(lane, lanes, works) {
    const shared = this.#sessions.length <= lanes;
    const own = shared
      ? [this.#sessions[lane % this.#sessions.length]]
      : this.#sessions.filter((_, index) => index % lanes === lane);
    return Array.from({ length: Math.max(own.length, works.length) }, (_, index) => {
      const work = /** @type {Work} */ (works[index % works.length]);
      return { work, prepared: this.#prepare(own[index % own.length], work) };
    });
  }

  close() {
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
  }
}

/**
 * @param {{ connection: HttpConnection, requests: { work: Work, prepared: import('../wire/requests.mjs').Prepared }[] }} lane
 * @param {Latencies} latencies
 * @param {() => boolean} goesOn
 * @returns {Promise<void>}
 */
function drive({ connection, requests }, latencies, goesOn) {
  return new Promise((resolve, reject) => {
    let count = 0;
    let sent = 0;
    let current = requests[0];
    const send = () => {
      current = requests[count % requests.length];
      connection.reader.keep = count % SAMPLED === 0;
      count += 1;
      sent = performance.now();
      connection.write(/** @type {NonNullable<typeof current>} */ (current).prepared.next());
    };
    connection.onError = reject;
    connection.onAnswer = (status, answer) => {
      latencies.add(performance.now() - sent);
      if (status !== 200) return reject(new Error(`Answered with status ${status} ${answer?.body ?? ''}`));
      if (answer !== undefined && current !== undefined) {
        try {
          checkAnswer(current.work, current.prepared.id, messageIn(answer.body));
        } catch (error) {
          return reject(error);
        }
      }
      if (goesOn()) send();
      else resolve();
    };
    send();
  });
}

/** A contender that answers something else is not measured. */
import { ECHO_ARGUMENTS, echo } from '../workload.mjs';

/** @typedef {ReturnType<typeof import('./answer-reader.mjs').messageIn>} AnswerMessage */

const EXPECTED = echo(ECHO_ARGUMENTS);

/**
 * @param {import('./requests.mjs').Work} work
 * @param {number} id
 * @param {AnswerMessage} message
 */
export function checkAnswer({ params, listed }, id, message) {
  const { result } = message;
  if (message.id !== id || result === undefined || result.isError === true) throw wrong(id, message);
  if (listed !== undefined) {
    const { tools } = /** @type {{ tools?: unknown[] }} */ (result);
    if (tools?.length !== listed) throw wrong(id, message);
    return;
  }
  const [content] = /** @type {{ text?: string }[]} */ (result.content ?? []);
  const { size } = /** @type {{ size?: number }} */ (params.arguments);
  const right = size === undefined ? content?.text === EXPECTED : content?.text?.length === size;
  if (!right) throw wrong(id, message);
}

/**
 * Whoever lets wrong arguments through does not validate.
 *
 * @param {AnswerMessage} message
 */
export function checkRefusal(message) {
  if (message.error === undefined && message.result?.isError !== true) {
    throw new Error(`Wrong arguments were not refused: ${JSON.stringify(message)}`);
  }
}

/**
 * @param {number} id
 * @param {AnswerMessage} message
 */
function wrong(id, message) {
  return new Error(`Request ${id} was answered with ${JSON.stringify(message).slice(0, 300)}`);
}

import { describe, expect, it } from 'vitest';
import { AnswerReader, type HttpAnswer, messageIn } from '../../../bench/wire/answer-reader.mjs';

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"id":1}';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n12\r\nevent: message\ndat\r\nb\r\na: {"id":2}\r\n2\r\n\n\n\r\n0\r\n\r\n';
const EMPTY = 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n';

function read(pieces: readonly string[]): HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  const reader = new AnswerReader((_status, answer) => {
    if (answer !== undefined) answers.push(answer);
  });
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return answers;
}

describe('the reader of the load', () => {
  it('reads answers with a length, in chunks and without a body, one after the other', () => {
    const answers = read([LENGTH + CHUNKED + EMPTY]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 202]);
    expect(messageIn(answers[0]?.body ?? '')).toEqual({ id: 1 });
    expect(messageIn(answers[1]?.body ?? '')).toEqual({ id: 2 });
  });

  it('reads the same whatever pieces the bytes come in', () => {
    const whole = LENGTH + CHUNKED + LENGTH + EMPTY;
    for (const size of [1, 2, 3, 7, 50]) {
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(read(pieces)).toEqual(read([whole]));
    }
  });

  it('refuses an answer whose end nobody can tell', () => {
    expect(() => read(['HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}'])).toThrow('without an end');
  });
});

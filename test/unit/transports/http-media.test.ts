import { describe, expect, it } from 'vitest';
import { isJsonBody, parseAccept } from '../../../src/transports/http/server/media.js';

describe('Content-Type', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    ' application/json ;x=y',
  ])('takes %j for JSON', (type) => expect(isJsonBody(type)).toBe(true));

  it.each([
    undefined,
    '',
    'text/plain',
    'text/plain; application/json',
    'application/jsonp',
    'application/json-rpc',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain, application/json',
  ])('does not take %j for JSON', (type) => expect(isJsonBody(type)).toBe(false));
});

describe('Accept', () => {
  it.each([
    [undefined, true, true],
    ['application/json, text/event-stream', true, true],
    ['text/event-stream,application/json', true, true],
    ['*/*', true, true],
    ['application/*', true, false],
    ['text/*', false, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['application/json;q=0.5, text/event-stream;q=0.9', true, true],
    ['Application/JSON; charset=utf-8, TEXT/event-stream', true, true],
    ['application/json;q=0, text/event-stream', false, true],
    ['application/json;q=0.000, text/event-stream;q=0.001', false, true],
    ['text/html', false, false],
    ['', false, false],
    [',', false, false],
    ['application/jsonx, text/event-streams', false, false],
    ['*/*;q=0', false, false],
    // The most specific range decides.
    ['application/json;q=0, */*', false, true],
    ['*/*, text/event-stream;q=0', true, false],
    ['application/*;q=0, application/json, text/event-stream', true, true],
    ['text/*;q=0, */*', true, false],
  ])('reads %j', (header, json, sse) => expect(parseAccept(header)).toEqual({ json, sse }));

  it('gives the same answer after a flood of other values', () => {
    for (let index = 0; index < 1000; index += 1) parseAccept(`text/x-${index}`);
    expect(parseAccept('application/json')).toEqual({ json: true, sse: false });
    expect(parseAccept('text/x-1')).toEqual({ json: false, sse: false });
  });
});

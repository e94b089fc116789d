import { expect, it } from 'vitest';
import { proxyFor, proxyHeaders } from '../../../src/transports/http/client/node-proxy.js';

const PROXY = 'http://proxy.example:3128';

function proxied(url: string, environment: Record<string, string>): string | undefined {
  return proxyFor(new URL(url), environment)?.host;
}

it('takes the proxy of the scheme, in upper or lower case, or the one for all', () => {
  expect(proxied('https://a.example/mcp', { HTTPS_PROXY: PROXY })).toBe('proxy.example:3128');
  expect(proxied('https://a.example/mcp', { https_proxy: 'other:80', HTTPS_PROXY: PROXY })).toBe('other');
  expect(proxied('http://a.example/mcp', { HTTPS_PROXY: PROXY })).toBeUndefined();
  expect(proxied('http://a.example/mcp', { ALL_PROXY: PROXY })).toBe('proxy.example:3128');
});

it.each([
  ['a.example', true],
  ['.example', true],
  ['*.example', true],
  ['*', true],
  ['a.example:443', true],
  ['a.example:8443', false],
  ['b.example, le', false],
])('with NO_PROXY=%s goes straight to a.example: %s', (list, direct) => {
  const environment = { HTTPS_PROXY: PROXY, NO_PROXY: list };
  expect(proxied('https://a.example/mcp', environment) === undefined).toBe(direct);
});

it('never sends what is for this machine to another one', () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', 'app.localhost'])
    expect(proxied(`http://${host}:3000/mcp`, { ALL_PROXY: PROXY })).toBeUndefined();
});

it('gives the proxy its credentials, and refuses kinds of proxies that it cannot use', () => {
  expect(proxyHeaders(new URL('http://ada:p%40ss@proxy'))).toEqual({
    'proxy-authorization': `Basic ${Buffer.from('ada:p@ss').toString('base64')}`,
  });
  expect(() => proxied('https://a.example', { ALL_PROXY: 'socks5://proxy' })).toThrow('check HTTPS_PROXY');
});

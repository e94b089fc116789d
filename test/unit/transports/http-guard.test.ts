import { describe, expect, it } from 'vitest';
import { createCors } from '../../../src/transports/http/server/cors.js';
import type { HttpRequest } from '../../../src/transports/http/server/exchange.js';
import { createGuard, originsOf } from '../../../src/transports/http/server/guard.js';

function request(headers: Record<string, string>): HttpRequest {
  return {
    method: 'POST',
    path: '/mcp',
    query: () => undefined,
    header: (name) => headers[name],
    headers: () => Object.entries(headers).flat(),
  };
}

const refusal = (guard: ReturnType<typeof createGuard>, host: string | undefined, origin?: string) =>
  guard.refusal(
    request({ ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) }),
  );

describe('the guard without options', () => {
  const guard = createGuard({});

  it.each([
    'localhost',
    'localhost:3000',
    'LOCALHOST:3000',
    '127.0.0.1',
    '127.0.0.1:80',
    '[::1]',
    '[::1]:3000',
  ])('lets the loopback host %s pass', (host) => expect(refusal(guard, host)).toBeUndefined());

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::1].evil.example',
    'evil.example#localhost',
    'localhost@evil.example',
    'localhost:3000@evil.example',
    'localhost:3000:3000',
    'localhost, evil.example',
    '::1',
    '[::ffff:1.2.3.4]:3000',
    '0.0.0.0:3000',
    '192.168.1.10:3000',
  ])('refuses the host %s', (host) => expect(refusal(guard, host)).toContain('Host'));

  it.each([
    'http://evil.example',
    'https://localhost.evil.example:3000',
    'null',
    '',
    'http://localhost:3001',
    'http://localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://localhost:3000/',
    'http://localhost:3000, http://evil.example',
    'file://localhost:3000',
    'chrome-extension://localhost:3000',
    'undefined',
  ])('refuses the origin %j at localhost:3000', (origin) =>
    expect(refusal(guard, 'localhost:3000', origin)).toContain('Origin'),
  );

  it('lets a page of the very same host pass', () => {
    expect(refusal(guard, 'localhost:3000', 'http://localhost:3000')).toBeUndefined();
    expect(refusal(guard, '[::1]:3000', 'http://[::1]:3000')).toBeUndefined();
  });

  it('judges the host first: a rebound page is of the same origin as its own host', () => {
    expect(refusal(guard, 'evil.example:3000', 'http://evil.example:3000')).toContain('Host');
  });

  it('tells what to do about a refusal, without repeating endless input', () => {
    const message = refusal(guard, 'x'.repeat(10_000)) ?? '';
    expect(message).toContain('allowedHosts');
    expect(message.length).toBeLessThan(300);
    expect(refusal(guard, 'localhost', 'http://evil.example')).toContain('allowedOrigins');
  });

  it('keeps its verdicts apart, whatever was asked before', () => {
    const fresh = createGuard({});
    expect(refusal(fresh, 'localhost:3000', 'undefined')).toContain('Origin');
    expect(refusal(fresh, 'localhost:3000')).toBeUndefined();
    expect(refusal(fresh, 'localhost:3000', '')).toContain('Origin');
    expect(refusal(fresh, 'localhost:3000 http://evil.example')).toContain('Host');
    expect(refusal(fresh, 'localhost:3000', 'http://evil.example')).toContain('Origin');
  });

  it('gives the same verdict after a flood of others', () => {
    const fresh = createGuard({});
    for (let index = 0; index < 5000; index += 1) refusal(fresh, `host${index}.example`);
    expect(refusal(fresh, 'localhost')).toBeUndefined();
    expect(refusal(fresh, 'host1.example')).toContain('Host');
  });

  it('has no origins to answer with CORS headers', () => {
    expect(originsOf({}).size).toBe(0);
  });
});

describe('the guard with allowed hosts and origins', () => {
  const options = {
    allowedHosts: ['MCP.example.com', 'other.example.com:8443'],
    allowedOrigins: ['https://app.example.com', 'https://APP2.example.com:443/'],
  };
  const guard = createGuard(options);
  const cors = createCors(originsOf(options));

  it('lets a configured host pass on any port, or on its own', () => {
    expect(refusal(guard, 'mcp.example.com')).toBeUndefined();
    expect(refusal(guard, 'mcp.example.com:9000')).toBeUndefined();
    expect(refusal(guard, 'other.example.com:8443')).toBeUndefined();
    expect(refusal(guard, 'other.example.com')).toContain('Host');
    expect(refusal(guard, 'other.example.com:9000')).toContain('Host');
    expect(refusal(guard, 'x.mcp.example.com')).toContain('Host');
  });

  it('lets a configured origin pass, written as browsers write it', () => {
    expect(refusal(guard, 'localhost', 'https://app.example.com')).toBeUndefined();
    expect(refusal(guard, 'localhost', 'https://app2.example.com')).toBeUndefined();
    expect(refusal(guard, 'localhost', 'http://app.example.com')).toContain('Origin');
    expect(refusal(guard, 'localhost', 'https://app.example.com:8443')).toContain('Origin');
    expect(refusal(guard, 'localhost', 'https://app.example.com.evil.example')).toContain('Origin');
  });

  it('names the origin that asks, never all of them', () => {
    const headers = cors.headers(request({ origin: 'https://app.example.com' }));
    expect(headers['Access-Control-Allow-Origin']).toBe('https://app.example.com');
    expect(headers['Access-Control-Expose-Headers']).toContain('Mcp-Session-Id');
    expect(headers['Access-Control-Expose-Headers']).toContain('WWW-Authenticate');
    expect(headers).not.toHaveProperty('Access-Control-Allow-Credentials');
    expect(headers.Vary).toBe('Origin');
  });

  it('says that answers depend on the origin even when it is not configured', () => {
    expect(cors.headers(request({ origin: 'http://localhost:3000' }))).toEqual({ Vary: 'Origin' });
    expect(cors.headers(request({}))).toEqual({ Vary: 'Origin' });
  });

  it('allows the headers of the protocol, and parameter headers as they are asked for', () => {
    const asked = request({
      origin: 'https://app.example.com',
      'access-control-request-headers': 'content-type, Mcp-Param-Region, x-evil, mcp-param-, mcp-param-a b',
    });
    const headers = cors.preflight(asked, 'GET, POST');
    const allowed = headers['Access-Control-Allow-Headers']?.split(', ') ?? [];
    for (const name of ['Content-Type', 'Accept', 'Authorization', 'Last-Event-ID', 'Mcp-Session-Id']) {
      expect(allowed).toContain(name);
    }
    for (const name of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Param-Region']) {
      expect(allowed).toContain(name);
    }
    expect(allowed).not.toContain('x-evil');
    expect(allowed.filter((name) => /mcp-param/i.test(name))).toEqual(['Mcp-Param-Region']);
    expect(headers['Access-Control-Allow-Methods']).toBe('GET, POST');
  });

  it.each(['*', 'app.example.com', ''])('does not accept %j as an origin', (origin) => {
    expect(() => createGuard({ allowedOrigins: [origin] })).toThrow(TypeError);
  });

  it('does not accept an origin that browsers write as null', () => {
    expect(() => createGuard({ allowedOrigins: ['data:text/html,x'] })).toThrow(TypeError);
  });
});

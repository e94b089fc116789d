import { describe, expect, it } from 'vitest';
import { classifyAddress, classifyHost } from '../../../src/auth/address.js';
import { createNetworkPolicy } from '../../../src/auth/client/network-policy.js';

describe('an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0.0.0.0', 'private'],
    ['::', 'private'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'private'],
    ['100.64.0.1', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['64:ff9b::a9fe:a9fe', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['fe80::1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['fd12:3456::1', 'private'],
    ['ff02::1', 'private'],
    ['2001:db8::1', 'private'],
    ['93.184.216.34', 'public'],
    ['2606:4700::1111', 'public'],
  ])('%s is %s', (address, expected) => {
    expect(classifyAddress(address)).toBe(expected);
  });

  it.each([
    ['localhost', 'loopback'],
    ['app.localhost', 'loopback'],
    ['LOCALHOST.', 'loopback'],
    ['[::1]', 'loopback'],
    ['10.0.0.1', 'private'],
    ['example.com', 'name'],
    ['localhost.example.com', 'name'],
  ])('host %s is %s', (host, expected) => {
    expect(classifyHost(host)).toBe(expected);
  });
});

describe('the policy', () => {
  it.each([
    ['public', { public: true, private: false, loopback: false }],
    ['private', { public: true, private: true, loopback: false }],
    ['loopback', { public: true, private: true, loopback: true }],
  ] as const)('for a server in a %s place', (home, allowed) => {
    const policy = createNetworkPolicy(home, false);
    expect({
      public: policy.permits('93.184.216.34'),
      private: policy.permits('10.0.0.1'),
      loopback: policy.permits('127.0.0.1'),
    }).toEqual(allowed);
  });

  it('trusts the private network when told to, and plain http never', () => {
    const policy = createNetworkPolicy('public', true);
    expect(policy.permits('10.0.0.1')).toBe(true);
    expect(() => policy.assertUrl(new URL('http://10.0.0.1/'), 'It')).toThrow(/https/);
    expect(() => policy.assertUrl(new URL('https://user:pw@example.com/'), 'It')).toThrow(/credentials/);
  });
});

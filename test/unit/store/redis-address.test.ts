import { describe, expect, it } from 'vitest';
import { memberUrl, parseAddress } from '../../../src/store/redis-address.js';
import { routeOf, slotOf } from '../../../src/store/redis-slots.js';

describe('the address of a store on Redis', () => {
  it('is one URL for one Redis', () => {
    expect(parseAddress('rediss://ada:pass%20word@redis.internal:6380/2')).toEqual({
      urls: ['rediss://ada:pass%20word@redis.internal:6380/2'],
      isCluster: false,
    });
  });

  it('names some members of a cluster, with the same credentials and transport', () => {
    expect(parseAddress('redis+cluster://10.0.0.1:7000,10.0.0.2:7001')).toEqual({
      urls: ['redis://10.0.0.1:7000', 'redis://10.0.0.2:7001'],
      isCluster: true,
    });
    expect(parseAddress('rediss+cluster://ada:secret@a.internal,b.internal:7000/')).toEqual({
      urls: ['rediss://ada:secret@a.internal', 'rediss://ada:secret@b.internal:7000'],
      isCluster: true,
    });
    expect(memberUrl('rediss://ada:secret@a.internal', '10.0.0.9', 7002)).toBe(
      'rediss://ada:secret@10.0.0.9:7002',
    );
    expect(memberUrl('redis://a.internal', '::1', 7002)).toBe('redis://[::1]:7002');
  });

  it.each([
    'http://127.0.0.1',
    'nonsense',
    'redis+cluster://',
    'redis+cluster://a:1/2',
    'redis+cluster://a:1,:x',
  ])('refuses %s, and gives an example', (address) => {
    expect(() => parseAddress(address)).toThrow('redis+cluster://10.0.0.1:6379');
  });
});

describe('the slot of a key', () => {
  // Those of the Redis Cluster specification, and of CLUSTER KEYSLOT.
  it.each([
    ['123456789', 12_739],
    ['foo', 12_182],
    ['{user1000}.following', 3_443],
    ['{user1000}.followers', 3_443],
    ['foo{}{bar}', 8_363],
    ['foo{{bar}}zap', 4_015],
    ['', 0],
  ])('of "%s" is %i', (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });

  it('is that of the key or channel that a command names', () => {
    expect(routeOf(['GET', 'key'])).toBe('key');
    expect(routeOf(['SPUBLISH', 'channel', 'text'])).toBe('channel');
    expect(routeOf(['EVALSHA', 'sha', '2', 'first', 'second'])).toBe('first');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  type MirroredParameter,
  mirroredParameters,
  nameOf,
  parameterHeaders,
  parameterMismatch,
} from '../../../src/protocol/mirrored-headers.js';

const sentinel = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('the value of a mirrored header', () => {
  it.each(['us-west', 'a b', 'sum', '"quoted"', 'a=?base64?b', '=?base64?', '?=', '=?BASE64?Zm9v?=', ''])(
    'sends %j as it is',
    (value) => {
      expect(encodeHeaderValue(value)).toBe(value);
      expect(decodeHeaderValue(value)).toBe(value);
    },
  );

  it.each([
    'é',
    '日本',
    '☃',
    ' lead',
    'trail ',
    '\ttab',
    'tab\t',
    'a\tb',
    'a\nb',
    'a\r\nX: y',
    '\0',
    '\x7f',
    '\ufeffx',
    ' ',
  ])('encodes %j', (value) => {
    expect(encodeHeaderValue(value)).toBe(sentinel(value));
    expect(decodeHeaderValue(sentinel(value))).toBe(value);
  });

  it('encodes a value that looks like the sentinel itself', () => {
    expect(encodeHeaderValue('=?base64?Zm9v?=')).toBe(sentinel('=?base64?Zm9v?='));
    expect(encodeHeaderValue('=?base64?not base64?=')).toBe(sentinel('=?base64?not base64?='));
    expect(encodeHeaderValue('=?base64??=')).toBe(sentinel('=?base64??='));
  });

  it.each([
    ['=?base64?Zm9v?=', 'foo'],
    ['  =?base64?Zm9v?=\t', 'foo'],
    ['=?base64??=', ''],
    [' foo ', 'foo'],
    ['\tfoo\t', 'foo'],
    ['a\tb', 'a\tb'],
    ['=?Base64?Zm9v?=', '=?Base64?Zm9v?='],
    ['=?base64?Zm9v', '=?base64?Zm9v'],
    ['Zm9v?=', 'Zm9v?='],
    // The two ends must not share a question mark.
    ['=?base64?=', '=?base64?='],
  ])('reads %j', (header, value) => expect(decodeHeaderValue(header)).toBe(value));

  it.each([
    '=?base64?Zm9?=',
    '=?base64?Zm9v=?=',
    '=?base64?Zm 9v?=',
    '=?base64?Zm9v!?=',
    '=?base64?Zm9-_w==?=',
    '=?base64?/w==?=',
    '=?base64?7aCA?=',
  ])('refuses %j: no base64, or no UTF-8 inside', (header) => {
    expect(decodeHeaderValue(header)).toBeUndefined();
  });

  it.each(['é', 'a\u00a0', '\u00a0a', 'a\u0000b', 'a\u007f', 'ÿ'])(
    'refuses %j: characters that a header value cannot carry plainly',
    (header) => expect(decodeHeaderValue(header)).toBeUndefined(),
  );

  it('comes back as it went, and travels as visible ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const header = encodeHeaderValue(value);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(header.trim()).toBe(header);
        expect(decodeHeaderValue(header)).toBe(value);
      }),
    );
  });
});

describe('Mcp-Name', () => {
  it.each([
    ['tools/call', { name: 'sum' }, 'sum'],
    ['prompts/get', { name: 'greet' }, 'greet'],
    ['resources/read', { uri: 'test://a', name: 'no' }, 'test://a'],
    ['tasks/get', { taskId: 't' }, 't'],
    ['tasks/update', { taskId: 't' }, 't'],
    ['tasks/cancel', { taskId: 't' }, 't'],
    ['tools/list', { name: 'sum' }, undefined],
    ['tools/call', { name: 7 }, undefined],
    ['tools/call', undefined, undefined],
  ])('of %s with %j is %j', (method, params, name) => expect(nameOf(method, params)).toBe(name));
});

const property = (schema: object, name = 'region') => ({ type: 'object', properties: { [name]: schema } });
const named = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });

describe('annotations of an input schema', () => {
  it.each([
    ['a string', property(named('Region')), [['mcp-param-region', 'region', 'string']]],
    ['an integer', property(named('N', 'integer')), [['mcp-param-n', 'region', 'integer']]],
    ['a boolean', property(named('Dry-Run', 'boolean')), [['mcp-param-dry-run', 'region', 'boolean']]],
    [
      'every token character',
      property(named("!#$%&'*+-.^_`|~09Az")),
      [["mcp-param-!#$%&'*+-.^_`|~09az", 'region', 'string']],
    ],
    ['the name Method', property(named('Method')), [['mcp-param-method', 'region', 'string']]],
    [
      'a nested property',
      property(property(named('Zone'), 'zone'), 'place'),
      [['mcp-param-zone', 'place.zone', 'string']],
    ],
    ['none at all', property({ type: 'string' }), []],
    ['a property that is called like the annotation', property({ type: 'string' }, 'x-mcp-header'), []],
    ['an annotation inside a constant', property({ const: named('') }), []],
    ['an annotation inside a default', property({ type: 'object', default: named('') }), []],
    ['an annotation inside examples', property({ type: 'object', examples: [named('')] }), []],
  ])('reads %s', (_case, schema, expected) => {
    const read = mirroredParameters(schema as never);
    expect(
      read.ok && read.parameters.map(({ header, path, type }) => [header, path.join('.'), type]),
    ).toEqual(expected);
  });

  it.each([
    ['an empty name', property(named(''))],
    ['a name that is no string', property(named(7))],
    ['a name with a space', property(named('My Region'))],
    ['a name with a colon', property(named('a:b'))],
    ['a name with a control character', property(named('a\nb'))],
    ['a name beyond ASCII', property(named('région'))],
    ['the same name twice', { type: 'object', properties: { a: named('Region'), b: named('Region') } }],
    [
      'the same name in another case',
      { type: 'object', properties: { a: named('Region'), b: named('REGION') } },
    ],
    [
      'the same name on different levels',
      { type: 'object', properties: { a: named('R'), b: property(named('r')) } },
    ],
    ['a number', property(named('Ratio', 'number'))],
    ['an object', property(named('Region', 'object'))],
    ['an array', property(named('Region', 'array'))],
    ['null', property(named('Region', 'null'))],
    ['several types', property(named('Region', ['string', 'null']))],
    ['no type', property({ 'x-mcp-header': 'Region' })],
    ['the root', { type: 'object', 'x-mcp-header': 'Region' }],
    ['items', property({ type: 'array', items: named('Region') })],
    ['a property of items', property({ type: 'array', items: property(named('Region')) })],
    ['prefixItems', property({ type: 'array', prefixItems: [named('Region')] })],
    ['oneOf', property({ oneOf: [named('Region')] })],
    ['anyOf', property({ anyOf: [named('Region')] })],
    ['allOf', property({ allOf: [named('Region')] })],
    ['not', property({ not: named('Region') })],
    ['if', { type: 'object', if: property(named('Region')) }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ['then', { type: 'object', then: property(named('Region')) }],
    ['else', { type: 'object', else: property(named('Region')) }],
    ['additionalProperties', { type: 'object', additionalProperties: named('Region') }],
    ['patternProperties', { type: 'object', patternProperties: { '^x': named('Region') } }],
    ['a definition', { type: 'object', $defs: { region: named('Region') } }],
    [
      'a definition behind a reference',
      { type: 'object', properties: { a: { $ref: '#/$defs/r' } }, $defs: { r: named('R') } },
    ],
  ])('refuses %s', (_case, schema) => {
    const read = mirroredParameters(schema as never);
    expect(read.ok).toBe(false);
    expect(!read.ok && read.reason).toBeTruthy();
  });
});

const PARAMETERS: readonly MirroredParameter[] = [
  { header: 'mcp-param-region', path: ['region'], type: 'string' },
  { header: 'mcp-param-count', path: ['count'], type: 'integer' },
  { header: 'mcp-param-dry', path: ['dry'], type: 'boolean' },
  { header: 'mcp-param-zone', path: ['place', 'zone'], type: 'string' },
];

describe('parameter headers', () => {
  it('repeat what is there and leave out what is null or absent', () => {
    const args = { region: 'é', count: -42, dry: false, place: { zone: '' } };
    expect(parameterHeaders(PARAMETERS, args)).toEqual({
      'mcp-param-region': sentinel('é'),
      'mcp-param-count': '-42',
      'mcp-param-dry': 'false',
      'mcp-param-zone': '',
    });
    expect(parameterHeaders(PARAMETERS, { region: null, place: {} })).toEqual({});
    expect(parameterHeaders(PARAMETERS, { place: 'not an object' })).toEqual({});
  });

  it('do not reach into prototypes', () => {
    const spy: readonly MirroredParameter[] = [
      { header: 'mcp-param-x', path: ['__proto__', 'x'], type: 'string' },
      { header: 'mcp-param-y', path: ['constructor', 'name'], type: 'string' },
    ];
    expect(parameterHeaders(spy, {})).toEqual({});
  });

  const mismatch = (args: object, headers: Record<string, string>) =>
    parameterMismatch(PARAMETERS, args as never, (name) => headers[name]);

  it.each([
    ['equal text', { region: 'us' }, { 'mcp-param-region': 'us' }],
    ['spaces around it', { region: 'us' }, { 'mcp-param-region': ' us\t' }],
    ['encoded text', { region: 'é' }, { 'mcp-param-region': sentinel('é') }],
    ['text encoded without need', { region: 'us' }, { 'mcp-param-region': sentinel('us') }],
    ['an empty value', { region: '' }, { 'mcp-param-region': '' }],
    ['an integer', { count: 42 }, { 'mcp-param-count': '42' }],
    ['a fraction, which the schema refuses later', { count: 1.5 }, { 'mcp-param-count': '1.5' }],
    ['an integer with a fraction of zero', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['a negative integer', { count: -1 }, { 'mcp-param-count': '-1' }],
    ['the largest safe integer', { count: 2 ** 53 - 1 }, { 'mcp-param-count': '9007199254740991' }],
    ['a boolean', { dry: true }, { 'mcp-param-dry': 'true' }],
    ['a nested value', { place: { zone: 'z' } }, { 'mcp-param-zone': 'z' }],
    ['null without a header', { region: null }, {}],
    ['nothing without a header', {}, {}],
    ['unknown parameter headers', {}, { 'mcp-param-foo': 'bar' }],
  ])('match with %s', (_case, args, headers) => {
    expect(mismatch(args, headers as Record<string, string>)).toBeUndefined();
  });

  it.each([
    ['another value', { region: 'us' }, { 'mcp-param-region': 'eu' }],
    ['another case', { region: 'us' }, { 'mcp-param-region': 'US' }],
    ['a missing header', { region: 'us' }, {}],
    ['a missing header for an empty value', { region: '' }, {}],
    ['bad base64', { region: 'us' }, { 'mcp-param-region': '=?base64?!?=' }],
    ['raw bytes beyond ASCII', { region: 'é' }, { 'mcp-param-region': 'é' }],
    [
      'a sentinel that is meant literally',
      { region: '=?base64?dXM=?=' },
      { 'mcp-param-region': '=?base64?dXM=?=' },
    ],
    ['another integer', { count: 42 }, { 'mcp-param-count': '43' }],
    ['an integer with a fraction', { count: 42 }, { 'mcp-param-count': '42.5' }],
    ['an integer in hexadecimal', { count: 16 }, { 'mcp-param-count': '0x10' }],
    ['an integer with an exponent', { count: 100 }, { 'mcp-param-count': '1e2' }],
    ['no digits', { count: 0 }, { 'mcp-param-count': '' }],
    ['an integer beyond the safe range', { count: 2 ** 53 }, { 'mcp-param-count': '9007199254740993' }],
    ['another boolean', { dry: true }, { 'mcp-param-dry': 'false' }],
    ['a boolean in another case', { dry: true }, { 'mcp-param-dry': 'True' }],
    ['another nested value', { place: { zone: 'z' } }, { 'mcp-param-zone': 'y' }],
  ])('do not match with %s', (_case, args, headers) => {
    expect(mismatch(args, headers as Record<string, string>)).toContain('mcp-param-');
  });

  it('of any arguments match the arguments they were made from', () => {
    fc.assert(
      fc.property(
        fc.record(
          { region: fc.string(), count: fc.maxSafeInteger(), dry: fc.boolean() },
          { requiredKeys: [] },
        ),
        (args) => {
          const headers = parameterHeaders(PARAMETERS, args);
          expect(mismatch(args, headers)).toBeUndefined();
        },
      ),
    );
  });
});

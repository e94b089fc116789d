import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ConfigEditor, Container } from '../../../../src/cli/clients/editors/editor.js';
import { jsonEditor } from '../../../../src/cli/clients/editors/json.js';
import { tomlEditor } from '../../../../src/cli/clients/editors/toml.js';
import { yamlEditor } from '../../../../src/cli/clients/editors/yaml.js';

const MAP: Container = { path: ['servers'] };
const LIST: Container = { path: ['servers'], nameField: 'name' };
const ENTRY = { command: 'run' };

function set(editor: ConfigEditor, text: string, container = MAP): string {
  return editor.set(text, container, 'new', ENTRY);
}

it.each([
  ['{}', '{\n  "servers": {\n    "new": {\n      "command": "run"\n    }\n  }\n}'],
  ['{"servers":{}}', '{"servers":{\n  "new": {\n    "command": "run"\n  }\n}}'],
  ['{"servers":{"a":{}}}', '{"servers":{"a":{},"new":{"command":"run"}}}'],
  ['{ "servers": { "a": {}, } }', '{ "servers": { "a": {}, "new": {"command":"run"}, } }'],
  [
    '{\n "servers": {\n  // none yet\n }\n}',
    '{\n "servers": {\n  // none yet\n  "new": {\n   "command": "run"\n  }\n }\n}',
  ],
  [
    '{\n  "servers": {\n    "a": {} /* one */ // two\n    // three\n  }\n}',
    '{\n  "servers": {\n    "a": {}, /* one */ // two\n    "new": {\n      "command": "run"\n    }\n    // three\n  }\n}',
  ],
  [
    '// only a comment\n',
    '// only a comment\n{\n  "servers": {\n    "new": {\n      "command": "run"\n    }\n  }\n}\n',
  ],
])('adds to the JSON %j', (before, after) => {
  expect(set(jsonEditor, before)).toBe(after);
});

it.each([
  ['{"servers": {"new": {}, "b": {}}}', '{"servers": {"b": {}}}'],
  ['{"servers": {"a": {}, "new": {}}}', '{"servers": {"a": {}}}'],
  [
    '{\n  "servers": {\n    "new": {}, // mine\n    "b": {} // its\n  }\n}',
    '{\n  "servers": {\n    "b": {} // its\n  }\n}',
  ],
  ['{\n  "servers": {\n    "a": {}\n  , "new": {}\n  }\n}', '{\n  "servers": {\n    "a": {}\n  \n  }\n}'],
  ['{\n  "servers": {\n    // kept\n    "new": {}\n  }\n}', '{\n  "servers": {\n    // kept\n  }\n}'],
])('removes from the JSON %j', (before, after) => {
  expect(jsonEditor.remove(before, MAP, 'new')).toBe(after);
});

it.each([
  ['servers:\n', 'servers:\n  new:\n    command: run\n'],
  ['servers: {} # none\nother: 1\n', 'servers: # none\n  new:\n    command: run\nother: 1\n'],
  ['servers: {a: {b: 1}}\n', 'servers: {a: {b: 1}, "new": {"command":"run"}}\n'],
  ['{"other": 1}\n', '{"other": 1, "servers": {"new": {"command":"run"}}}\n'],
  ['other: |\n  text\n  servers:\n', 'other: |\n  text\n  servers:\nservers:\n  new:\n    command: run\n'],
  [
    'servers:\n   a: # one\n      b: |\n        c\n# end\n',
    'servers:\n   a: # one\n      b: |\n        c\n   new:\n     command: run\n# end\n',
  ],
])('adds to the YAML map %j', (before, after) => {
  expect(set(yamlEditor, before)).toBe(after);
});

it.each([
  ['servers: []\n', 'servers:\n  - name: new\n    command: run\n'],
  [
    'servers:\n- name: a\n  b: 1\nother: 1\n',
    'servers:\n- name: a\n  b: 1\n- name: new\n  command: run\nother: 1\n',
  ],
  ['servers: [{name: a}]\n', 'servers: [{name: a}, {"name":"new","command":"run"}]\n'],
])('adds to the YAML list %j', (before, after) => {
  const added = set(yamlEditor, before, LIST);
  expect(added).toBe(after);
  expect(yamlEditor.parse(yamlEditor.remove(added, LIST, 'new'))).toEqual(yamlEditor.parse(before));
});

it('leaves an empty collection when the last YAML entry goes', () => {
  expect(yamlEditor.remove('servers:\n  new:\n    a: 1\nb: 2\n', MAP, 'new')).toBe('servers: {}\nb: 2\n');
  expect(yamlEditor.remove('servers:\n  - name: new\nb: 2\n', LIST, 'new')).toBe('servers: []\nb: 2\n');
});

it.each([
  ['[servers.new]\na = 1\n[servers.new.env]\nb = 2\n# about other\n[other]\n', '# about other\n[other]\n'],
  ['[servers]\nnew = { a = 1 }\nold = { a = 2 }\n', '[servers]\nold = { a = 2 }\n'],
  ['servers.new.a = [\n  1,\n]\nservers.old.a = 1\n', 'servers.old.a = 1\n'],
  ['[servers."new"] # quoted\na = """\n[other]\n"""\n\n[x]\n', '\n[x]\n'],
])('removes from the TOML %j', (before, after) => {
  expect(tomlEditor.remove(before, MAP, 'new')).toBe(after);
});

it('replaces a TOML entry where it stands', () => {
  const before = '# top\n[servers.new]\nurl = "x" # old\n\n[servers.new.env]\nA = "b"\n\n[z]\n';
  expect(set(tomlEditor, before)).toBe('# top\n[servers.new]\ncommand = "run"\n\n[z]\n');
});

it.each([
  ['an anchor that is used elsewhere', yamlEditor, 'servers:\n  new: &x\n    a: 1\n  b: *x\n'],
  ['an inline table of all entries', tomlEditor, 'servers = { new = { a = 1 }, b = { a = 1 } }\n'],
])('refuses to remove %s', (_what, editor, text) => {
  expect(() => editor.remove(text, MAP, 'new')).toThrow('edit the file by hand');
});

it.each([
  ['JSON', jsonEditor, '{\n  "a": 1\n  "b": 2\n}', 'not valid JSON at line 3: comma expected'],
  ['YAML', yamlEditor, 'a: 1\nb: [1\n', 'not valid YAML at line'],
  ['TOML', tomlEditor, 'a = 1\nb = \n', 'not valid TOML at line 2'],
])('says where %s is broken, and does not touch it', (_format, editor, text, message) => {
  expect(() => set(editor, text)).toThrow(message);
});

it.each([
  ['JSON', jsonEditor, '{"servers": []}'],
  ['JSON', jsonEditor, '[1]'],
  ['YAML', yamlEditor, 'servers: text\n'],
  ['TOML', tomlEditor, 'servers = 1\n'],
])('refuses a %s file in which something else has the place of the entries', (_format, editor, text) => {
  expect(() => set(editor, text)).toThrow('by hand');
});

it('gives back any JSON document with entries, however it is formatted', () => {
  const entries = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
    maxKeys: 4,
  });
  const indent = fc.constantFrom(undefined, 1, 2, 4, '\t');
  const eol = fc.constantFrom('\n', '\r\n');
  fc.assert(
    fc.property(entries, fc.jsonValue({ maxDepth: 2 }), indent, eol, (servers, other, space, end) => {
      fc.pre(!('new' in servers) && !('__proto__' in servers));
      const text = JSON.stringify({ before: other, servers, after: other }, null, space).replaceAll(
        '\n',
        end,
      );
      const added = set(jsonEditor, text);
      const parsed = JSON.parse(text);
      expect(JSON.parse(added)).toEqual({ ...parsed, servers: { ...parsed.servers, new: ENTRY } });
      expect(jsonEditor.remove(added, MAP, 'new')).toBe(text);
    }),
  );
});

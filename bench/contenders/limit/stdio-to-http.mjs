/** What the machine allows a proxy the other way round: a line is posted, the body of its answer becomes a line. */
import { Agent, request } from 'node:http';
import { Lines } from '../../wire/lines.mjs';

const { hostname, port, pathname: path } = new URL(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true });
const NEWLINE = Buffer.from('\n');

const lines = new Lines((line) => {
  const headers = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': line.length,
  };
  const outgoing = request({ agent, hostname, port, path, method: 'POST', headers }, (incoming) => {
    /** @type {Buffer[]} */
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      if (chunks.length > 0) process.stdout.write(Buffer.concat([...chunks, NEWLINE]));
    });
  });
  outgoing.end(line);
});
process.stdin.on('data', (chunk) => lines.push(chunk));

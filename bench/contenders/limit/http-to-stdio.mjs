/** What the machine allows a proxy: bodies become lines, lines become bodies, in order, and nobody looks inside. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { Lines } from '../../wire/lines.mjs';

const [port, program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

/** Answers come in the order of the requests. @type {import('node:http').ServerResponse[]} */
const waiting = [];

const lines = new Lines((line) => {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': line.length,
    'Mcp-Session-Id': 'one',
  };
  waiting.shift()?.writeHead(200, headers).end(line);
});
child.stdout.on('data', (chunk) => lines.push(chunk));

const NEWLINE = Buffer.from('\n');
const NOTIFICATION = '"method":"notifications/';

createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    chunks.push(NEWLINE);
    const line = Buffer.concat(chunks);
    child.stdin.write(line);
    if (line.includes(NOTIFICATION)) response.writeHead(202).end();
    else waiting.push(response);
  });
}).listen(Number(port), '127.0.0.1');

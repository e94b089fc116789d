// A gateway in code: the servers of a JSON file behind one endpoint, whose address it prints.
import { readFileSync } from 'node:fs';
import { createChain } from 'plumb-mcp/chain';

const gateway = createChain().to(JSON.parse(readFileSync(String(process.argv[2]), 'utf8')));
const { url } = await gateway.http({ port: 0 });
console.log(`The gateway listens at ${url}`);

process.once('SIGTERM', async () => {
  await gateway.close();
});

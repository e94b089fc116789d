import chain from './chain.mjs';
import client from './client.mjs';
import growth from './growth.mjs';
import http from './http.mjs';
import memory from './memory.mjs';
import page from './page.mjs';
import payload from './payload.mjs';
import start from './start.mjs';
import stdio from './stdio.mjs';
import store from './store.mjs';
import subscribers from './subscribers.mjs';

/** In the order in which they run and are reported. */
export const SUITES = [http, stdio, client, chain, start, memory, payload, growth, subscribers, store, page];

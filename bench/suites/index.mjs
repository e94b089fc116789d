import chain from './chain.mjs';
import client from './client.mjs';
import http from './http.mjs';
import stdio from './stdio.mjs';

/** In the order in which they run and are reported. */
export const SUITES = [http, stdio, client, chain];

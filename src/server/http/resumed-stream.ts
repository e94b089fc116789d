/** What serves a client that came back for a stream. Loaded with the first that does. */
export { Follower } from './follower.js';
export { LostCallWatch } from './lost-calls.js';

/** Answers to the requests of one batch, collected until the last is decided and sent as one array. */

/** Takes the encoded answer to a request, or `undefined` when it gets none. Called once for each request. */
export type SendReply = (answer: string | undefined) => void;

export function batchReply(requests: number, send: (answers: string) => void): SendReply {
  const answers: string[] = [];
  let open = requests;
  return (answer) => {
    if (answer !== undefined) answers.push(answer);
    open -= 1;
    if (open === 0 && answers.length > 0) send(`[${answers.join(',')}]`);
  };
}

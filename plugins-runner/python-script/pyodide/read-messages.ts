import type { Readable } from "node:stream";
import { SvcError } from "../../../core/contract/index.ts";
import type { WorkerMessage } from "./messages.ts";

/** Most characters of one message, which is a result; more would fill the service's memory. */
const longest = 64 * 1024 * 1024;

/** What a worker says: all messages that have come, each time the last ones have been dealt with. */
export async function* readMessages(stream: Readable): AsyncGenerator<readonly WorkerMessage[]> {
	stream.setEncoding("utf8");
	let begun: string[] = [];
	let length = 0;
	for await (const chunk of stream as AsyncIterable<string>) {
		const end = chunk.lastIndexOf("\n");
		if (end >= 0) {
			const lines = [...begun, chunk.slice(0, end)].join("").split("\n");
			begun = [];
			length = 0;
			yield joinOutput(lines.map((line) => JSON.parse(line) as WorkerMessage));
		}
		begun.push(chunk.slice(end + 1));
		length += chunk.length - end - 1;
		if (length > longest) throw new SvcError("SVC_RUNNER", `the result is longer than ${longest / 1024 / 1024} MiB of JSON`);
	}
}

/** Python writes a line and its end apart; that need not be two pieces of output. */
function joinOutput(messages: readonly WorkerMessage[]): readonly WorkerMessage[] {
	const joined: WorkerMessage[] = [];
	for (const message of messages) {
		const last = joined.at(-1);
		const goesOn = message.type === "output" && last?.type === "output" && last.channel === message.channel;
		if (goesOn) joined[joined.length - 1] = { ...message, text: last.text + message.text };
		else joined.push(message);
	}
	return joined;
}

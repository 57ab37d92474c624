import type { Readable } from "node:stream";
import { parseJson, SvcError } from "../../../core/contract/index.ts";
import type { WorkerMessage } from "./messages.ts";

/** Most characters of one message, which is a result; more would fill the service's memory. */
const longest = 64 * 1024 * 1024;

/** What a worker says, one message after the other. It is read no faster than the messages are taken. */
export async function* readMessages(stream: Readable): AsyncGenerator<WorkerMessage> {
	stream.setEncoding("utf8");
	let begun: string[] = [];
	let length = 0;
	for await (const chunk of stream as AsyncIterable<string>) {
		const end = chunk.lastIndexOf("\n");
		if (end >= 0) {
			const lines = [...begun, chunk.slice(0, end)].join("").split("\n");
			begun = [];
			length = 0;
			for (const line of lines) yield parseJson(line) as WorkerMessage;
		}
		begun.push(chunk.slice(end + 1));
		length += chunk.length - end - 1;
		if (length > longest) throw new SvcError("SVC_RUNNER", `the result is longer than ${longest / 1024 / 1024} MiB of JSON`);
	}
}

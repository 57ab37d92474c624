import { readSync, writeSync } from "node:fs";
import { parseJson, stringifyJson } from "../../../../core/contract/index.ts";
import type { WorkerMessage } from "../messages.ts";

const input = 5;
const output = 3;
const newline = 10;

/**
 * The way to the service and back. Everything waits: Python cannot go on before what it wrote has been taken, which is the
 * back-pressure, and no turn of the event loop is needed.
 */
export class Channel {
	#received: Buffer = Buffer.alloc(0);

	send(message: WorkerMessage): void {
		let rest = Buffer.from(`${stringifyJson(message)}\n`);
		while (rest.length > 0) rest = rest.subarray(writeSync(output, rest));
	}

	/** The next message; undefined when the service has gone. */
	receive(): unknown {
		const chunks: Buffer[] = [this.#received];
		let last = this.#received;
		for (;;) {
			const end = last.indexOf(newline);
			if (end >= 0) {
				chunks[chunks.length - 1] = last.subarray(0, end);
				this.#received = last.subarray(end + 1);
				return parseJson(Buffer.concat(chunks).toString());
			}
			last = readChunk();
			if (last.length === 0) return undefined;
			chunks.push(last);
		}
	}
}

function readChunk(): Buffer {
	const buffer = Buffer.allocUnsafe(65_536);
	return buffer.subarray(0, readSync(input, buffer));
}

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { OutputChunkRecord } from "../../../plugins/_shipped/client.ts";

/** Bytes and what they were. */
export interface Digest {
	readonly bytes: number;
	readonly hash: string;
}

/** A command that writes so many bytes, no two lines alike, as fast as it can. */
export function toFlood(bytes: number): string {
	return `seq 1 1000000000 | head -c ${bytes}`;
}

/** What a command writes, when nothing stands between. */
export async function digestOf(command: string): Promise<Digest> {
	const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
	return digest(child.stdout);
}

/** Bytes of an answer to a GET request, taken as they come. */
export async function digestAnswer(url: string, headers: Record<string, string>): Promise<Digest> {
	return digest(await open(url, headers));
}

/** What the chunks of an output stream say, up to its end. */
export async function digestEvents(response: IncomingMessage): Promise<Digest> {
	return digest(readChunks(response));
}

/** The answer to a GET request of which nothing has been read yet. */
export function open(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		get(url, { headers, agent: false }, (response) => {
			if (response.statusCode === 200) resolve(response);
			else reject(new Error(`${url} answered with ${response.statusCode}`));
		}).once("error", reject);
	});
}

async function digest(pieces: AsyncIterable<Buffer | string>): Promise<Digest> {
	const hash = createHash("sha256");
	let bytes = 0;
	for await (const piece of pieces) {
		hash.update(piece);
		bytes += Buffer.byteLength(piece);
	}
	return { bytes, hash: hash.digest("hex") };
}

async function* readChunks(response: IncomingMessage): AsyncGenerator<string> {
	let ended = false;
	for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
		if (line === "event: EOF") ended = true;
		else if (line.startsWith("data: ")) yield (JSON.parse(line.slice(6)) as OutputChunkRecord).data;
	}
	if (!ended) throw new Error("the output stream was closed before its end");
}

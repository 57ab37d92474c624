import { Agent, request as ask, type IncomingMessage } from "node:http";
import { toText } from "./json-tree.ts";
import type { FuzzRequest } from "./make-request.ts";

export interface Answer {
	/** Undefined when there was none. */
	readonly status: number | undefined;
	readonly type: string;
	readonly text: string;
	/** Names in lower case. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Why there was none. */
	readonly error?: string;
	readonly from: number;
	readonly to: number;
}

/** Milliseconds an event stream is listened to. */
const streamTime = 40;
const patience = 60_000;

/** Sends requests as they are, also those that no client would. */
export class Sender {
	readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

	/** Resolves also when there is no answer. */
	send(base: string, request: Pick<FuzzRequest, "method" | "path" | "headers" | "tree" | "bytes" | "isChunked">): Promise<Answer> {
		const from = Date.now();
		const { hostname, port } = new URL(base);
		return new Promise((resolve) => {
			const done = (answer: Pick<Answer, "status" | "type" | "text" | "headers" | "error">) => resolve({ ...answer, from, to: Date.now() });
			const fail = (error: unknown) => done({ status: undefined, type: "", text: "", error: String(error) });
			try {
				const body = request.bytes ?? (request.tree === undefined ? undefined : Buffer.from(toText(request.tree)));
				const length = body === undefined || request.isChunked ? [] : [["content-length", String(body.length)] as const];
				const sent = ask({
					agent: this.#agent,
					hostname,
					port,
					method: request.method,
					path: request.path,
					headers: [["host", `${hostname}:${port}`], ...request.headers, ...length].flat(),
					timeout: patience,
				});
				sent.on("response", (response) => readAnswer(response, done));
				sent.on("upgrade", (_response, socket) => void socket.destroy());
				sent.on("error", fail);
				sent.on("timeout", () => sent.destroy(new Error(`no answer in ${patience} ms`)));
				sent.end(body);
			} catch (error) {
				fail(error);
			}
		});
	}

	/** Close what is open. */
	close(): void {
		this.#agent.destroy();
	}
}

function readAnswer(response: IncomingMessage, done: (answer: Pick<Answer, "status" | "type" | "text" | "headers">) => void): void {
	const pieces: Buffer[] = [];
	const type = response.headers["content-type"] ?? "";
	const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
	const finish = () => done({ status: response.statusCode, type, headers, text: Buffer.concat(pieces).toString("utf8") });
	response.on("data", (piece: Buffer) => pieces.push(piece));
	response.on("end", finish).on("close", finish).on("error", finish);
	if (type.startsWith("text/event-stream")) setTimeout(() => response.destroy(), streamTime);
}

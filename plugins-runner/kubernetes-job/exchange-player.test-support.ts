import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";

/** A request of a recording, and its answer. */
interface Exchange {
	/** By which others wait for its end. */
	readonly name?: string;
	/** Method and path. */
	readonly ask: string;
	/** Members that the query must have, among others. A watch is answered by nothing else than what asks for one. */
	readonly query?: Readonly<Record<string, string>>;
	/** Part of the body. */
	readonly has?: unknown;
	/** Not before something of this name has ended or is marked. */
	readonly after?: string;
	/** It may be asked for never, or many times. */
	readonly often?: boolean;
	/** Default 200. */
	readonly status?: number;
	/** The whole answer as JSON, or the steps of one that goes on until the client has enough. */
	readonly answer?: unknown;
	readonly lines?: readonly Step[];
}

interface Step {
	readonly event?: unknown;
	readonly text?: string;
	readonly after?: string;
	readonly mark?: string;
	readonly cut?: true;
	readonly end?: true;
}

const { recordings } = parse(readFileSync(join(import.meta.dirname, "recordings.yaml"), "utf8"), { merge: true, maxAliasCount: -1 }) as {
	readonly recordings: Readonly<Record<string, readonly Exchange[]>>;
};

/** An API server that gives the answers of a recording to the requests of that recording, and to no others. */
export class ExchangePlayer {
	/** What was asked that the recording does not have. */
	readonly unexpected: string[] = [];
	/** Requests since the recording was loaded. */
	asked = 0;
	readonly #server: Server;
	#left: Exchange[] = [];
	#done = new Set<string>();
	#holder = "";

	constructor() {
		this.#server = createServer((request, response) => void this.#answer(request, response).catch((error) => response.destroy(error)));
	}

	static async start(): Promise<ExchangePlayer> {
		const player = new ExchangePlayer();
		player.#server.listen(0, "127.0.0.1");
		await once(player.#server, "listening");
		return player;
	}

	get url(): string {
		const address = this.#server.address();
		return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
	}

	/** What the recording has and nobody has asked for. */
	get missing(): readonly string[] {
		return this.#left.filter(({ often }) => !often).map(({ ask, query }) => `${ask}${query?.["watch"] ? "?watch" : ""}`);
	}

	/** Play another recording from its beginning. */
	load(name: string): void {
		this.#left = [...(recordings[name] ?? [])];
		this.#done = new Set();
		this.unexpected.length = 0;
		this.asked = 0;
	}

	/** For steps that wait for something that happens outside of the recording. */
	mark(name: string): void {
		this.#done.add(name);
	}

	stop(): void {
		this.#server.closeAllConnections();
		this.#server.close();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		this.asked++;
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece as Buffer);
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
		const text = Buffer.concat(pieces).toString();
		const body: unknown = text === "" ? undefined : JSON.parse(text);
		this.#holder = /"svc-automation\/holder":"([^"]*)"/.exec(text)?.[1] ?? this.#holder;
		const asked = `${request.method} ${pathname}`;
		const found = this.#left.find((exchange) => exchange.ask === asked && this.#fits(exchange, searchParams, body));
		if (found === undefined) {
			this.unexpected.push(`${asked}?${searchParams} ${text}`);
			return void response.writeHead(500).end();
		}
		if (!found.often) this.#left.splice(this.#left.indexOf(found), 1);
		response.writeHead(found.status ?? 200, { "content-type": pathname.endsWith("/log") ? "text/plain" : "application/json" });
		if (found.lines === undefined) response.end(this.#toText(found.answer));
		else await this.#play(found.lines, response);
		if (found.name !== undefined) this.#done.add(found.name);
	}

	#toText(answer: unknown): string {
		return JSON.stringify(answer).replaceAll("<holder>", this.#holder);
	}

	#fits({ query = {}, has, after }: Exchange, asked: URLSearchParams, body: unknown): boolean {
		if (asked.has("watch") !== "watch" in query) return false;
		if (after !== undefined && !this.#done.has(after)) return false;
		return Object.entries(query).every(([name, value]) => asked.get(name) === value) && isPart(has, body);
	}

	async #play(steps: readonly Step[], response: ServerResponse): Promise<void> {
		response.flushHeaders();
		for (const { event, text, after, mark, cut, end } of steps) {
			while (after !== undefined && !this.#done.has(after) && !response.destroyed) await delay(5);
			if (event !== undefined) response.write(`${this.#toText(event)}\n`);
			if (text !== undefined) await new Promise((resolve) => response.write(text, resolve));
			if (mark !== undefined) this.#done.add(mark);
			if (end) response.end();
			if (cut) response.destroy();
		}
	}
}

/** Whether all that stands in the one stands in the other, too. */
function isPart(part: unknown, whole: unknown): boolean {
	if (typeof part !== "object" || part === null) return part === undefined || isDeepStrictEqual(part, whole);
	if (typeof whole !== "object" || whole === null) return false;
	return Object.entries(part).every(([key, value]) => isPart(value, (whole as Record<string, unknown>)[key]));
}

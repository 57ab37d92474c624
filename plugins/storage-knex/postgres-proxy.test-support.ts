import { EventEmitter, once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Stands between a service and its PostgreSQL server, and does to the connection what networks do. */
export interface PostgresProxy {
	readonly url: string;
	/** Called with each statement that is to be executed, in order; it goes on to the server once that resolves. */
	onStatement: (number: number, text: string) => Promise<void> | void;
	/** Texts of statements that were prepared. */
	readonly prepared: readonly string[];
	/** How many statements have come. */
	readonly statements: number;
	/** How many statements have come that change something, each in a transaction of its own without a word. */
	readonly changesAlone: number;
	/** From here on nothing goes through in either direction, and no connection ends. */
	freeze(): void;
	/** From here on no answer goes through. */
	swallowAnswers(): void;
	thaw(): void;
	/** Answers are kept back until they are released. */
	holdAnswers(): void;
	releaseAnswers(): void;
	/** Resolves when this many more statements have come. */
	waitForStatements(count: number): Promise<void>;
	/** End every connection without a word. */
	cut(): void;
	stop(): Promise<void>;
}

export async function startProxy(serverUrl: string): Promise<PostgresProxy> {
	const target = new URL(serverUrl);
	const sockets = new Set<Socket>();
	let [isFrozen, isDeaf, statements, changesAlone] = [false, false, 0, 0];
	let held: (() => void)[] | undefined;
	const prepared: string[] = [];
	const counts = new EventEmitter();
	const proxy = createServer((client) => void relay(client).catch(() => client.destroy()));
	proxy.listen(0, "127.0.0.1");
	await once(proxy, "listening");
	const url = new URL(serverUrl);
	url.port = String((proxy.address() as { readonly port: number }).port);
	const cut = () => {
		for (const socket of sockets) socket.destroy();
		sockets.clear();
	};
	const self: PostgresProxy = {
		url: url.href,
		onStatement: () => {},
		prepared,
		get statements() {
			return statements;
		},
		get changesAlone() {
			return changesAlone;
		},
		freeze: () => void (isFrozen = true),
		swallowAnswers: () => void (isDeaf = true),
		thaw() {
			isFrozen = isDeaf = false;
			// What was swallowed is gone, so that nothing sensible can follow on these.
			cut();
		},
		cut,
		holdAnswers: () => void (held = []),
		releaseAnswers() {
			for (const release of held ?? []) release();
			held = undefined;
		},
		async waitForStatements(count) {
			const until = statements + count;
			while (statements < until) await once(counts, "statement");
		},
		async stop() {
			cut();
			proxy.close();
			await once(proxy, "close");
		},
	};
	return self;

	async function relay(client: Socket): Promise<void> {
		const server = connect(Number(target.port), target.hostname);
		for (const [socket, other] of [
			[client, server],
			[server, client],
		] as const) {
			sockets.add(socket);
			socket.setNoDelay(true);
			socket.on("error", () => {});
			socket.on("close", () => {
				sockets.delete(socket);
				other.destroy();
			});
		}
		server.on("data", (piece: Buffer) => {
			if (isFrozen || isDeaf) return;
			if (held) held.push(() => client.write(piece));
			else client.write(piece);
		});
		const isAlone = watchTransactions();
		let isStarted = false;
		let rest = Buffer.alloc(0);
		for await (const piece of client as AsyncIterable<Buffer>) {
			rest = Buffer.concat([rest, piece]);
			for (;;) {
				const start = isStarted ? 1 : 0;
				if (rest.length < start + 4) break;
				const length = start + rest.readUInt32BE(start);
				if (rest.length < length) break;
				const message = rest.subarray(0, length);
				rest = rest.subarray(length);
				const type = isStarted ? String.fromCharCode(message[0] ?? 0) : "";
				isStarted = true;
				if (type === "P") prepared.push(message.toString("latin1", 5).split("\0")[1] ?? "");
				if (isAlone(type, message)) changesAlone += 1;
				if (type === "Q" || type === "E") {
					await self.onStatement(++statements, message.toString("latin1", 5));
					counts.emit("statement");
				}
				if (!isFrozen) server.write(message);
			}
		}
	}
}

/** Says of each message of one connection whether it is a change outside of a transaction. */
function watchTransactions(): (type: string, message: Buffer) => boolean {
	const texts = new Map<string, string>();
	let [bound, isInTransaction] = ["", false];
	return (type, message) => {
		const [first = "", second = ""] = ["P", "B", "Q"].includes(type) ? message.toString("latin1", 5).split("\0") : [];
		if (type === "P") texts.set(first, second);
		if (type === "B") bound = texts.get(second) ?? "";
		if (type === "Q" && first.startsWith("begin")) isInTransaction = true;
		if (type === "Q" && /^(commit|rollback)/.test(first)) isInTransaction = false;
		return type === "E" && !isInTransaction && /\b(insert into|update "|delete from)/.test(bound);
	};
}

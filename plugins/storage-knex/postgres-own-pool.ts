import { sqlStateOf } from "../_postgres/errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { Connections } from "./postgres-connections.ts";
import type { ServerWatch } from "./server-watch.ts";

interface Waiter {
	readonly resolve: (connection: PostgresConnection) => void;
	readonly reject: (error: unknown) => void;
}

/** A connection that waits for a caller, and since when in milliseconds. */
interface Idle {
	readonly connection: PostgresConnection;
	readonly since: number;
}

interface OwnPoolOptions {
	/** Connections at most. */
	readonly size: number;
	readonly watch: ServerWatch;
	/** Milliseconds after which a connection that nobody has used is closed; one always stays. Default 30 s. */
	readonly patience?: number;
}

/** Connections that are opened as they are needed and closed when they are not any more, each lent to one caller at a time. */
export class OwnPool implements Connections {
	/** Connections at most. */
	readonly size: number;
	readonly #open: () => Promise<PostgresConnection>;
	readonly #watch: ServerWatch;
	/** The one used last is lent first, so that it is warm. */
	#idle: Idle[] = [];
	#waiting: Waiter[] = [];
	/** Open or being opened. */
	#count = 0;
	#stopped: (() => void) | undefined;
	readonly #timer: NodeJS.Timeout;

	constructor(open: () => Promise<PostgresConnection>, { size, watch, patience = 30_000 }: OwnPoolOptions) {
		this.#open = open;
		this.size = size;
		this.#watch = watch;
		this.#timer = setInterval(() => this.#closeUnused(performance.now() - patience), patience / 3).unref();
	}

	/** Lend a connection for as long as `work` takes. Rejects with the error of opening one. */
	async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		const connection = this.#takeIdle() ?? (await this.#wait());
		this.#watch.begin(connection);
		try {
			return await work(connection);
		} finally {
			this.#watch.end(connection);
			this.#giveBack(connection);
		}
	}

	/** Take over a connection that was opened elsewhere. */
	add(connection: PostgresConnection): void {
		this.#count += 1;
		this.#giveBack(connection);
	}

	/** Resolves when everybody has given back and nobody waits, all connections closed. Nothing may be asked for afterwards. */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		const idle = this.#idle.splice(0);
		this.#count -= idle.length;
		const stopped = new Promise<void>((resolve) => (this.#stopped = resolve));
		await Promise.all(idle.map(({ connection }) => connection.end()));
		if (this.#count > 0) await stopped;
	}

	#takeIdle(): PostgresConnection | undefined {
		for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
			if (!idle.connection.loss) return idle.connection;
			this.#count -= 1;
		}
		return undefined;
	}

	/** The first are those that have not been used for longest. */
	#closeUnused(before: number): void {
		const unused = this.#idle.filter(({ since }) => since <= before).length;
		for (const { connection } of this.#idle.splice(0, Math.min(unused, this.#count - 1))) void this.#close(connection);
	}

	#wait(): Promise<PostgresConnection> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ resolve, reject });
			if (this.#count < this.size) void this.#openOne();
		});
	}

	async #openOne(): Promise<void> {
		this.#count += 1;
		try {
			this.#giveBack(await this.#open());
		} catch (error) {
			this.#count -= 1;
			// A server that has no more connections to give is worked with through those there are.
			if (this.#count > 0 && sqlStateOf(error) === "53300") return;
			this.#rejectWaiting(error);
			this.#tellStopped();
		}
	}

	#giveBack(connection: PostgresConnection): void {
		if (connection.loss) {
			this.#count -= 1;
			if (connection.loss?.isCut) this.#rejectWaiting(connection.loss);
			if (this.#waiting.length > 0) void this.#openOne();
			else this.#tellStopped();
			return;
		}
		const waiter = this.#waiting.shift();
		if (waiter) waiter.resolve(connection);
		else if (this.#stopped) void this.#close(connection);
		else this.#idle.push({ connection, since: performance.now() });
	}

	/** The server does not answer: whoever waits would fare no better. */
	#rejectWaiting(error: unknown): void {
		for (const { reject } of this.#waiting.splice(0)) reject(error);
	}

	async #close(connection: PostgresConnection): Promise<void> {
		await connection.end();
		this.#count -= 1;
		this.#tellStopped();
	}

	#tellStopped(): void {
		if (this.#count === 0) this.#stopped?.();
	}
}

import { sqlStateOf } from "../_postgres/errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { ConnectionPool } from "./postgres-pool.ts";
import type { ServerWatch } from "./server-watch.ts";

/** A caller that waits for a connection. */
interface Waiter {
	readonly resolve: (connection: PostgresConnection) => void;
	readonly reject: (error: unknown) => void;
}

/** Open connection that no caller uses. */
interface IdleConnection {
	readonly connection: PostgresConnection;
	/** Time of its last use, in milliseconds of `performance`. */
	readonly since: number;
}

interface ManagedPoolOptions {
	/** Maximum number of connections. */
	readonly size: number;
	readonly watch: ServerWatch;
	/** Milliseconds after which an unused connection is closed; one connection always stays open. Default 30 s. */
	readonly idleTimeoutMs?: number;
}

/** Pool that opens connections on demand and closes unused ones. One caller at a time uses a connection. */
export class ManagedPool implements ConnectionPool {
	/** Maximum number of connections. */
	readonly size: number;
	readonly #open: () => Promise<PostgresConnection>;
	readonly #watch: ServerWatch;
	/** Idle connections, sorted by last use. The last one is taken first, because its caches are warm. */
	#idle: IdleConnection[] = [];
	#waiters: Waiter[] = [];
	/** Number of connections that are open or being opened. */
	#count = 0;
	#onStopped: (() => void) | undefined;
	readonly #timer: NodeJS.Timeout;

	constructor(open: () => Promise<PostgresConnection>, { size, watch, idleTimeoutMs = 30_000 }: ManagedPoolOptions) {
		this.#open = open;
		this.size = size;
		this.#watch = watch;
		this.#timer = setInterval(() => this.#closeUnused(performance.now() - idleTimeoutMs), idleTimeoutMs / 3).unref();
	}

	/** Calls `work` with a connection, which it may use until its promise settles. Rejects if no connection can be opened. */
	async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		const connection = this.#takeIdle() ?? (await this.#wait());
		this.#watch.begin(connection);
		try {
			return await work(connection);
		} finally {
			this.#watch.end(connection);
			this.#release(connection);
		}
	}

	/** Adds an open connection, which then belongs to the pool. */
	add(connection: PostgresConnection): void {
		this.#count += 1;
		this.#release(connection);
	}

	/** Resolves when no caller uses a connection or waits for one, and all connections are closed. `use` must not be called afterwards. */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		const idle = this.#idle.splice(0);
		this.#count -= idle.length;
		const stopped = new Promise<void>((resolve) => (this.#onStopped = resolve));
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

	/** Closes connections last used before this time. They are at the beginning of the list, which is sorted by last use. */
	#closeUnused(before: number): void {
		const unusedCount = this.#idle.filter(({ since }) => since <= before).length;
		for (const { connection } of this.#idle.splice(0, Math.min(unusedCount, this.#count - 1))) void this.#close(connection);
	}

	#wait(): Promise<PostgresConnection> {
		return new Promise((resolve, reject) => {
			this.#waiters.push({ resolve, reject });
			if (this.#count < this.size) void this.#openOne();
		});
	}

	async #openOne(): Promise<void> {
		this.#count += 1;
		try {
			this.#release(await this.#open());
		} catch (error) {
			this.#count -= 1;
			// If the server allows no more connections, the callers wait for the existing ones.
			if (this.#count > 0 && sqlStateOf(error) === "53300") return;
			this.#rejectWaiting(error);
			this.#checkStopped();
		}
	}

	#release(connection: PostgresConnection): void {
		if (connection.loss) {
			this.#count -= 1;
			if (connection.loss?.isUnresponsive) this.#rejectWaiting(connection.loss);
			if (this.#waiters.length > 0) void this.#openOne();
			else this.#checkStopped();
			return;
		}
		const waiter = this.#waiters.shift();
		if (waiter) waiter.resolve(connection);
		else if (this.#onStopped) void this.#close(connection);
		else this.#idle.push({ connection, since: performance.now() });
	}

	/** Rejects all waiting callers, because opening a connection for them would fail in the same way. */
	#rejectWaiting(error: unknown): void {
		for (const { reject } of this.#waiters.splice(0)) reject(error);
	}

	async #close(connection: PostgresConnection): Promise<void> {
		await connection.end();
		this.#count -= 1;
		this.#checkStopped();
	}

	#checkStopped(): void {
		if (this.#count === 0) this.#onStopped?.();
	}
}

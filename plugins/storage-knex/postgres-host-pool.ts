import { SvcError } from "../../core/contract/index.ts";
import { sqlStateOf } from "../_postgres/errors.ts";
import { ConnectionLostError, toConnectionLostError } from "./connection-lost.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { type HostClient, HostDriverConnection, type HostPool, toHostFailure } from "./postgres-host-connection.ts";
import type { ConnectionPool } from "./postgres-pool.ts";
import type { ServerWatch } from "./server-watch.ts";

/** Milliseconds that the host's pool may take to provide a connection. */
const borrowTimeoutMs = 10_000;

/** Pool that borrows connections from the host's pool, and returns them after every use, so that queries of the host need not wait long. */
export class HostConnectionPool implements ConnectionPool {
	readonly size: number;
	readonly #open: () => Promise<PostgresConnection>;
	readonly #watch: ServerWatch;
	readonly #waiters: (() => void)[] = [];
	#usedSlots = 0;
	#onUnused: (() => void) | undefined;

	/** @param size maximum number of connections that are borrowed at a time */
	constructor(open: () => Promise<PostgresConnection>, { size, watch }: { readonly size: number; readonly watch: ServerWatch }) {
		this.size = size;
		this.#open = open;
		this.#watch = watch;
	}

	async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		if (this.#usedSlots < this.size) this.#usedSlots += 1;
		else await new Promise<void>((resolve) => this.#waiters.push(resolve));
		try {
			return await this.#borrowAndCall(work);
		} finally {
			this.#freeSlot();
		}
	}

	/** Resolves when all connections have been returned. The host's pool stays open, because the host owns it. */
	async stop(): Promise<void> {
		if (this.#usedSlots > 0) await new Promise<void>((resolve) => (this.#onUnused = resolve));
	}

	async #borrowAndCall<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		const connection = await this.#open();
		this.#watch.begin(connection);
		try {
			return await work(connection);
		} finally {
			this.#watch.end(connection);
			await connection.end();
		}
	}

	#freeSlot(): void {
		const next = this.#waiters.shift();
		if (next) return next();
		this.#usedSlots -= 1;
		if (this.#usedSlots === 0) this.#onUnused?.();
	}
}

/**
 * Borrows a connection from the host's pool. Throws `SVC_UNAVAILABLE` if the pool provides none within 10 s.
 *
 * @param settings settings as statements for a single transaction; they run at the beginning of every transaction
 */
export async function borrow(pool: HostPool, settings: string): Promise<PostgresConnection> {
	return toConnection(await connect(pool), settings);
}

/**
 * Borrows a connection for statements that run outside of transactions. Its settings remain until it is closed, so `end` closes it instead
 * of returning it to the host's pool.
 *
 * @param settings settings as statements for the session
 */
export async function borrowDedicated(pool: HostPool, settings: string): Promise<PostgresConnection> {
	const client = await connect(pool);
	const connection = toConnection(closeOnRelease(client));
	try {
		await connection.execute(settings);
		return connection;
	} catch (error) {
		await connection.end();
		throw error;
	}
}

function toConnection(client: HostClient, settings?: string): PostgresConnection {
	const driver = new HostDriverConnection(client, (error) => connection.markLost(toConnectionLostError(error)));
	const connection = new PostgresConnection(driver, settings);
	return connection;
}

/** Wraps a client so that releasing it closes the connection. */
function closeOnRelease(client: HostClient): HostClient {
	return {
		query: (query) => client.query(query),
		release: () => client.release(true),
		on: (...listener) => client.on(...listener),
		off: () => {},
	};
}

async function connect(pool: HostPool): Promise<HostClient> {
	const connecting = pool.connect().catch((error: unknown) => {
		const failure = toHostFailure(error);
		throw sqlStateOf(failure) === undefined ? toConnectionLostError(failure) : failure;
	});
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, borrowTimeoutMs);
	});
	const client = await Promise.race([connecting, timeout]).finally(() => clearTimeout(timer));
	if (client) return client;
	// A connection that arrives after the timeout is returned unused.
	connecting.then((unused) => unused.release()).catch(() => {});
	const message = `the pool of the host had no free connection for ${borrowTimeoutMs / 1_000} s`;
	throw new SvcError("SVC_UNAVAILABLE", message, { cause: new ConnectionLostError(message, { isUnresponsive: true }) });
}

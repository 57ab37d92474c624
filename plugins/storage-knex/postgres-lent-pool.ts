import { SvcError } from "../../core/contract/index.ts";
import { sqlStateOf } from "../_postgres/errors.ts";
import { ConnectionLostError, toLoss } from "./connection-lost.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import type { Connections } from "./postgres-connections.ts";
import { type HostClient, type HostPool, LentLine, toHostFailure } from "./postgres-lent-line.ts";
import type { ServerWatch } from "./server-watch.ts";

/** How long the host's pool may take to give a connection. */
const patience = 10_000;

/** Connections of the host's pool. Each goes back after every use, so that the host waits no longer than for one of its own. */
export class LentPool implements Connections {
	readonly size: number;
	readonly #open: () => Promise<PostgresConnection>;
	readonly #watch: ServerWatch;
	readonly #waiting: (() => void)[] = [];
	#used = 0;
	#onUnused: (() => void) | undefined;

	/** @param size connections at most that are held at a time */
	constructor(open: () => Promise<PostgresConnection>, { size, watch }: { readonly size: number; readonly watch: ServerWatch }) {
		this.size = size;
		this.#open = open;
		this.#watch = watch;
	}

	async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		if (this.#used < this.size) this.#used += 1;
		else await new Promise<void>((resolve) => this.#waiting.push(resolve));
		try {
			return await this.#useOne(work);
		} finally {
			this.#leave();
		}
	}

	/** Resolves when all has been given back. The pool stays open: it is the host's. */
	async stop(): Promise<void> {
		if (this.#used > 0) await new Promise<void>((resolve) => (this.#onUnused = resolve));
	}

	async #useOne<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
		const connection = await this.#open();
		this.#watch.begin(connection);
		try {
			return await work(connection);
		} finally {
			this.#watch.end(connection);
			await connection.end();
		}
	}

	#leave(): void {
		const next = this.#waiting.shift();
		if (next) return next();
		this.#used -= 1;
		if (this.#used === 0) this.#onUnused?.();
	}
}

/**
 * Borrow a connection of the host's pool.
 *
 * @param settings statements that set what a transaction needs, for that transaction
 */
export async function borrow(pool: HostPool, settings: string): Promise<PostgresConnection> {
	return toConnection(await connect(pool), settings);
}

/**
 * Borrow one for what runs in no transaction, and close it afterwards, as it is not what it was any more.
 *
 * @param settings statements that set what it needs
 */
export async function borrowAlone(pool: HostPool, settings: string): Promise<PostgresConnection> {
	const client = await connect(pool);
	const connection = toConnection(toClosing(client));
	try {
		await connection.execute(settings);
		return connection;
	} catch (error) {
		await connection.end();
		throw error;
	}
}

function toConnection(client: HostClient, settings?: string): PostgresConnection {
	const line = new LentLine(client, (error) => connection.lose(toLoss(error)));
	const connection = new PostgresConnection(line, settings);
	return connection;
}

function toClosing(client: HostClient): HostClient {
	return {
		query: (query) => client.query(query),
		release: () => client.release(true),
		on: (...listener) => client.on(...listener),
		off: () => {},
	};
}

async function connect(pool: HostPool): Promise<HostClient> {
	const connecting = pool.connect().catch((error: unknown) => {
		const known = toHostFailure(error);
		throw sqlStateOf(known) === undefined ? toLoss(known) : known;
	});
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, patience);
	});
	const client = await Promise.race([connecting, late]).finally(() => clearTimeout(timer));
	if (client) return client;
	// It comes later, to nobody.
	connecting.then((unused) => unused.release()).catch(() => {});
	const message = `the host's pool has had no connection to give for ${patience / 1_000} s`;
	throw new SvcError("SVC_UNAVAILABLE", message, { cause: new ConnectionLostError(message, { isCut: true }) });
}

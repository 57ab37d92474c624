import { sqlStateOf } from "../_postgres/errors.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** Milliseconds for which a connection may be in use before the server is probed. */
const probeDelayMs = 2_000;

/**
 * Milliseconds after which a connection counts as lost. More than the `statement_timeout` of 30 s, after which the server itself cancels a
 * statement.
 */
const maxStatementMs = 40_000;

/** State of a connection in use. */
interface WatchedConnection {
	/** Time at which the use began, in milliseconds of `performance`. */
	readonly since: number;
	/** True if a statement may take any time as long as the server answers probes. */
	readonly unlimited: boolean;
}

/**
 * Distinguishes a slow statement from a server that no longer answers, because it is frozen or the network drops all packets. If a
 * connection is in use for long, opens another one as a probe. If the server does not respond to it, all watched connections are marked as
 * lost.
 */
export class ServerWatch {
	readonly #probe: (() => Promise<PostgresConnection>) | undefined;
	readonly #watched = new Map<PostgresConnection, WatchedConnection>();
	#timer: NodeJS.Timeout | undefined;
	#lastAliveAt = 0;
	#probing: Promise<void> | undefined;

	/** @param probe opens a connection and times out by itself; without it, the watch only marks each connection as lost after 40 s of use */
	constructor(probe?: () => Promise<PostgresConnection>) {
		this.#probe = probe;
	}

	/**
	 * Starts watching a connection.
	 *
	 * @param unlimited true if its statements may take any time as long as the server answers probes
	 */
	begin(connection: PostgresConnection, unlimited = false): void {
		this.#watched.set(connection, { since: performance.now(), unlimited });
		this.#timer ??= setInterval(() => this.#check(), probeDelayMs / 4).unref();
	}

	end(connection: PostgresConnection): void {
		this.#watched.delete(connection);
		if (this.#watched.size > 0) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	/** Resolves when a running probe has ended and its connection is closed. */
	async stop(): Promise<void> {
		await this.#probing;
	}

	#check(): void {
		const now = performance.now();
		let oldest = now;
		for (const [connection, { since, unlimited }] of this.#watched) {
			oldest = Math.min(oldest, since);
			if (!unlimited && now - since > maxStatementMs) connection.markLost(toUnresponsive("the server did not respond to a statement"));
		}
		if (this.#probe === undefined || now - Math.max(oldest, this.#lastAliveAt) <= probeDelayMs) return;
		this.#probing ??= this.#runProbe(this.#probe).finally(() => (this.#probing = undefined));
	}

	async #runProbe(probe: () => Promise<PostgresConnection>): Promise<void> {
		const watched = [...this.#watched.keys()];
		try {
			const connection = await probe();
			this.#lastAliveAt = performance.now();
			await connection.end();
		} catch (error) {
			// An error from the server also proves that it is alive.
			if (sqlStateOf(error) !== undefined) this.#lastAliveAt = performance.now();
			else for (const connection of watched) connection.markLost(toUnresponsive("the server does not respond"));
		}
	}
}

function toUnresponsive(message: string): ConnectionLostError {
	return new ConnectionLostError(message, { isUnresponsive: true });
}

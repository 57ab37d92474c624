import { sqlStateOf } from "../_postgres/errors.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** How long a statement may take before the server is asked whether it is there. */
const patience = 2_000;

/** Longer than the server lets a statement of the pool take: an answer that is not there by then got lost on the way. */
const mostPatience = 40_000;

interface Watched {
	readonly since: number;
	readonly unlimited: boolean;
}

/**
 * Tells a slow statement from a server that has stopped answering, be it frozen, or behind a network that drops everything:
 * while a statement takes long, a connection is opened beside it, and when that fails every connection is cut.
 */
export class ServerWatch {
	readonly #probe: (() => Promise<PostgresConnection>) | undefined;
	readonly #busy = new Map<PostgresConnection, Watched>();
	#timer: NodeJS.Timeout | undefined;
	#aliveAt = 0;
	#probing: Promise<void> | undefined;

	/** @param probe opens a connection, and gives up by itself; without it only single statements are given up that take far too long */
	constructor(probe?: () => Promise<PostgresConnection>) {
		this.#probe = probe;
	}

	/** @param unlimited whether it may take as long as it needs while the server answers others */
	begin(connection: PostgresConnection, unlimited = false): void {
		this.#busy.set(connection, { since: performance.now(), unlimited });
		this.#timer ??= setInterval(() => this.#look(), patience / 4).unref();
	}

	end(connection: PostgresConnection): void {
		this.#busy.delete(connection);
		if (this.#busy.size > 0) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	/** Resolves when no connection of its own is open any more. */
	async stop(): Promise<void> {
		await this.#probing;
	}

	#look(): void {
		const now = performance.now();
		let oldest = now;
		for (const [connection, { since, unlimited }] of this.#busy) {
			oldest = Math.min(oldest, since);
			if (!unlimited && now - since > mostPatience) connection.lose(toCut("the server has not answered a statement"));
		}
		if (this.#probe === undefined || now - Math.max(oldest, this.#aliveAt) <= patience) return;
		this.#probing ??= this.#ask(this.#probe).finally(() => (this.#probing = undefined));
	}

	async #ask(probe: () => Promise<PostgresConnection>): Promise<void> {
		const watched = [...this.#busy.keys()];
		try {
			const connection = await probe();
			this.#aliveAt = performance.now();
			await connection.end();
		} catch (error) {
			// Whatever the server says, it is there.
			if (sqlStateOf(error) !== undefined) this.#aliveAt = performance.now();
			else for (const connection of watched) connection.lose(toCut("the server does not answer"));
		}
	}
}

function toCut(message: string): ConnectionLostError {
	return new ConnectionLostError(message, { isCut: true });
}

import { type Logger, SvcError } from "../../core/contract/index.ts";
import { ChannelRefused, ConnectionLost } from "./connect-error.ts";
import { Connection } from "./connection.ts";
import type { HostKeys } from "./host-keys.ts";
import type { Ssh2 } from "./ssh2-package.ts";
import { type Target, toConnectionKey } from "./target.ts";

interface ConnectionPoolOptions {
	readonly ssh2: Ssh2;
	readonly hostKeys: HostKeys;
	readonly logger: Logger;
	/** Seconds before connecting fails. */
	readonly connectTimeout: number;
	/** Seconds before an idle connection is closed. */
	readonly idleTimeout: number;
}

/** A slot on a connection, held until it is released. */
export interface Lease<T> {
	readonly connection: Connection;
	/** Channel that `open` returned. */
	readonly opened: T;
	release(): void;
}

type Open<T> = (connection: Connection) => Promise<T>;

/** A channel that `open` returns; `end` closes it without effect on the host. */
interface Endable {
	end(): unknown;
}

/** Maximum number of connections to one host as one user. */
const maxConnections = 8;

/** The open connections of a node. Runs share a connection if all fields of their targets except the name are equal. */
export class ConnectionPool {
	readonly #options: ConnectionPoolOptions;
	readonly #connections = new Map<string, Connection[]>();
	readonly #idle = new Map<Connection, NodeJS.Timeout>();
	/** Callbacks called when a slot may be free. */
	readonly #waiting = new Set<() => void>();
	#stopped = false;

	constructor(options: ConnectionPoolOptions) {
		this.#options = options;
	}

	/**
	 * Acquires a slot on a connection and opens the first channel. `open` must have no effect on the host. It is called again if the
	 * connection is dead or allows fewer channels.
	 */
	async acquire<T extends Endable>(target: Target, signal: AbortSignal, open: Open<T>): Promise<Lease<T>> {
		const key = toConnectionKey(target);
		let lost = 0;
		for (;;) {
			const connection = await this.#findPlace(key, target, signal);
			const { used } = connection;
			connection.channels++;
			this.#use(connection);
			let released = false;
			const release = () => {
				if (released) return;
				released = true;
				connection.channels--;
				this.#leave(connection);
			};
			try {
				await raceAbort(connection.ready, signal);
				return { connection, opened: await openUnlessAborted(open(connection), signal), release };
			} catch (error) {
				release();
				if (error instanceof ChannelRefused && connection.channels > 0) connection.limit = connection.channels;
				else if (!(error instanceof ConnectionLost && used && lost++ < maxConnections)) throw error;
			}
		}
	}

	/** Closes all connections and rejects waiting and later calls. */
	stop(): void {
		this.#stopped = true;
		for (const connection of [...this.#connections.values()].flat()) connection.close();
		this.#wake();
	}

	async #findPlace(key: string, target: Target, signal: AbortSignal): Promise<Connection> {
		for (;;) {
			signal.throwIfAborted();
			if (this.#stopped) throw new SvcError("SVC_RUNNER", "the service is stopping");
			const connections = this.#connections.get(key) ?? [];
			const free = connections.find(({ channels, limit }) => channels < limit);
			if (free !== undefined) return free;
			if (connections.length < maxConnections) return this.#connect(key, target);
			let onFree: () => void = () => {};
			const freed = new Promise<void>((resolve) => {
				onFree = resolve;
				this.#waiting.add(resolve);
			});
			await raceAbort(freed, signal).finally(() => this.#waiting.delete(onFree));
		}
	}

	#connect(key: string, target: Target): Connection {
		const { ssh2, hostKeys, connectTimeout, logger } = this.#options;
		const connection = new Connection({
			...{ ssh2, hostKeys, connectTimeout, target },
			openWay: () => this.#openWay(target),
			onClosed: () => this.#forget(key, connection),
		});
		this.#connections.set(key, [...(this.#connections.get(key) ?? []), connection]);
		connection.ready.then(
			() => logger.debug("connected to remote host", { host: target.name, user: target.username }),
			() => {},
		);
		return connection;
	}

	/** Opens a stream through the jump host. Unlike channels of runs, such streams are not limited in number. */
	async #openWay({ via, address, port }: Target) {
		if (via === undefined) return undefined;
		const key = toConnectionKey(via);
		for (;;) {
			const connection = this.#connections.get(key)?.[0] ?? this.#connect(key, via);
			const { used } = connection;
			this.#use(connection);
			try {
				await connection.ready;
				return { stream: await connection.forward(address, port), release: () => this.#leave(connection) };
			} catch (error) {
				this.#leave(connection);
				if (!(error instanceof ConnectionLost && used && connection.closed)) throw error;
			}
		}
	}

	#use(connection: Connection): void {
		connection.users++;
		clearTimeout(this.#idle.get(connection));
		this.#idle.delete(connection);
	}

	#leave(connection: Connection): void {
		connection.users--;
		this.#wake();
		if (connection.users > 0 || connection.closed) return;
		const { idleTimeout } = this.#options;
		// A connection that never became usable is not kept for later runs.
		if (idleTimeout === 0 || !connection.used) return connection.close();
		this.#idle.set(
			connection,
			setTimeout(() => connection.close(), idleTimeout * 1_000),
		);
	}

	#forget(key: string, connection: Connection): void {
		clearTimeout(this.#idle.get(connection));
		this.#idle.delete(connection);
		const others = (this.#connections.get(key) ?? []).filter((other) => other !== connection);
		if (others.length > 0) this.#connections.set(key, others);
		else this.#connections.delete(key);
		this.#wake();
	}

	#wake(): void {
		for (const wake of this.#waiting) wake();
	}
}

async function openUnlessAborted<T extends Endable>(opening: Promise<T>, signal: AbortSignal): Promise<T> {
	try {
		return await raceAbort(opening, signal);
	} catch (error) {
		// If the channel is opened after the abort, no caller uses it: end it.
		opening.then(
			(opened) => opened.end(),
			() => {},
		);
		throw error;
	}
}

/** Returns the result of `work`, or rejects with the signal's reason as soon as it aborts. `work` itself continues. */
async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	// If the signal aborts first, a later rejection of `work` must not count as unhandled.
	work.catch(() => {});
	signal.throwIfAborted();
	let onAbort: () => void = () => {};
	const aborted = new Promise<never>((_, reject) => {
		onAbort = () => reject(signal.reason as Error);
		signal.addEventListener("abort", onAbort, { once: true });
	});
	try {
		return await Promise.race([work, aborted]);
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

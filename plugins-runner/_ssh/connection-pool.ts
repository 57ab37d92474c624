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
	/** Seconds. */
	readonly connectTimeout: number;
	/** Seconds. */
	readonly idleTimeout: number;
}

/** A place on a connection, until it is released. */
export interface Lease<T> {
	readonly connection: Connection;
	/** What was opened first. */
	readonly opened: T;
	release(): void;
}

type Open<T> = (connection: Connection) => Promise<T>;

/** What `open` gives: ending it leaves nothing behind. */
interface Endable {
	end(): unknown;
}

/** Most connections to one host as one user. */
const mostConnections = 8;

/** The open connections of a node. Runs share them where everything that decides about the identity is the same. */
export class ConnectionPool {
	readonly #options: ConnectionPoolOptions;
	readonly #connections = new Map<string, Connection[]>();
	readonly #idle = new Map<Connection, NodeJS.Timeout>();
	/** Called when a place may have become free. */
	readonly #waiting = new Set<() => void>();
	#stopped = false;

	constructor(options: ConnectionPoolOptions) {
		this.#options = options;
	}

	/**
	 * Take a place on a connection and open the first channel. `open` must not have an effect on the host: it is called again
	 * where the connection turns out to be dead, or to allow fewer channels.
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
				else if (!(error instanceof ConnectionLost && used && lost++ < mostConnections)) throw error;
			}
		}
	}

	/** Close every connection. */
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
			if (connections.length < mostConnections) return this.#connect(key, target);
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

	/** A connection that others go through is open to any number of them. */
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
		// One that nobody waits for any more and that has never worked is of no use to the next.
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
		// It may still be opened, when nobody waits for it any more.
		opening.then(
			(opened) => opened.end(),
			() => {},
		);
		throw error;
	}
}

/** What `work` gives, or a rejection with the signal's reason as soon as it aborts. `work` itself goes on. */
async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	// Whoever asks is told once; the other end of the race must not count as unhandled.
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

import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { sqlStateOf } from "../_postgres/errors.ts";
import type { PostgresTarget } from "../_postgres/options.ts";
import { connectSocket } from "../_postgres/socket.ts";
import { ConnectionLostError, toConnectionLostError } from "./connection-lost.ts";
import { importPackage } from "./import-package.ts";
import { PostgresConnection, type PostgresDriverConnection, type PostgresResult } from "./postgres-connection.ts";
import type { Binding } from "./values.ts";

/** Result of the package `postgres`. */
interface DriverRows<T> extends ReadonlyArray<T> {
	readonly count: number | null;
	readonly command: string;
}

interface DriverQuery<T> extends Promise<DriverRows<T>> {
	values(): DriverQuery<readonly Binding[]>;
	/** Passes each row to a function instead of collecting the rows in a list. */
	forEach(onRow: (row: T) => void): DriverQuery<T>;
}

/** Members of the package `postgres` that are used here. */
interface PostgresSql {
	unsafe<T>(sql: string, bindings: readonly unknown[], options: { readonly prepare: boolean; readonly simple: boolean }): DriverQuery<T>;
	end(options: { readonly timeout: number }): Promise<void>;
}

export type PostgresPackage = (options: Readonly<Record<string, unknown>>) => PostgresSql;

export interface PostgresServer {
	readonly postgres: PostgresPackage;
	readonly target: PostgresTarget;
	readonly tls: ConnectionOptions | undefined;
	/** Settings as statements, which run first on every connection. */
	readonly setup: string;
}

const noRows: (readonly Binding[])[] = [];

/** Maximum milliseconds for opening a connection, from the first packet to the result of the first statement. */
const connectTimeoutMs = 4_000;

// Read a bigint as a number, because all stored integers are safe integers.
const types = { integer: { to: 20, from: [20], serialize: String, parse: Number } };

export async function importPostgres(): Promise<PostgresPackage> {
	return (await importPackage("postgres")) as PostgresPackage;
}

/** Opens a connection. Rejects with the error of the server, or with a `ConnectionLostError` if the server did not send one. */
export async function openConnection(server: PostgresServer): Promise<PostgresConnection> {
	const controller = new AbortController();
	const timer = setTimeout(
		() => controller.abort(new ConnectionLostError("the server does not respond", { isUnresponsive: true })),
		connectTimeoutMs,
	);
	let connection: PostgresConnection | undefined;
	let socket: Socket | undefined;
	const openSocket = async () => {
		if (socket) throw new ConnectionLostError("the connection was closed by the server");
		socket = await connectSocket(server.target, server.tls, controller.signal);
		controller.signal.addEventListener("abort", () => socket?.destroy());
		return socket;
	};
	const sql = server.postgres(
		toDriverOptions(server.target, {
			socket: openSocket,
			onclose: () => connection?.markLost(new ConnectionLostError("the connection was lost")),
		}),
	);
	try {
		connection = new PostgresConnection(new ManagedDriverConnection(sql, () => socket));
		await connection.execute(server.setup);
		return connection;
	} catch (error) {
		connection?.markLost(new ConnectionLostError("the connection was not opened"));
		if (controller.signal.aborted) throw controller.signal.reason;
		throw sqlStateOf(error) === undefined ? toConnectionLostError(error) : error;
	} finally {
		clearTimeout(timer);
	}
}

/** The only connection of a driver instance: each connection has its own instance. */
class ManagedDriverConnection implements PostgresDriverConnection {
	readonly #sql: PostgresSql;
	readonly #socket: () => Socket | undefined;

	constructor(sql: PostgresSql, socket: () => Socket | undefined) {
		this.#sql = sql;
		this.#socket = socket;
	}

	execute(sql: string): PromiseLike<unknown> {
		return this.#sql.unsafe(sql, [], { prepare: false, simple: true });
	}

	query(sql: string, bindings: readonly unknown[], prepare: boolean): ReturnType<PostgresDriverConnection["query"]> {
		// Collect the rows in a separate list. V8 frees the list of the driver only in a full garbage collection, because closures of the
		// driver's promises refer to it.
		let rows: (readonly Binding[])[] = [];
		const answer = this.#sql.unsafe(sql, bindings, { prepare, simple: false }).values();
		return answer
			.forEach((row) => void rows.push(row))
			.then(({ count }) => {
				const allRows = rows;
				rows = noRows;
				return { rows: allRows, count: count ?? 0 };
			});
	}

	queryByName(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresResult> {
		const answer = this.#sql.unsafe<object>(sql, bindings, { prepare: false, simple: false });
		return answer.then((rows) => ({ rows: [...rows], count: rows.count, command: rows.command }));
	}

	async end(): Promise<void> {
		await this.#sql.end({ timeout: 1 });
		this.#socket()?.destroy();
	}

	destroy(): void {
		// Releases the memory of the driver, and prevents it from opening another connection.
		void this.#sql.end({ timeout: 0 }).catch(() => {});
		this.#socket()?.destroy();
	}
}

function toDriverOptions(target: PostgresTarget, callbacks: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	const { host, port, user, password, database, applicationName } = target;
	return {
		...callbacks,
		host,
		port,
		user,
		password,
		database,
		max: 1,
		ssl: false,
		idle_timeout: 0,
		max_lifetime: 0,
		connect_timeout: connectTimeoutMs / 1_000,
		keep_alive: 0,
		fetch_types: false,
		connection: { application_name: applicationName },
		onnotice: () => {},
		types,
	};
}

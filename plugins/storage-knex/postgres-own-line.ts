import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { sqlStateOf } from "../_postgres/errors.ts";
import type { PostgresTarget } from "../_postgres/options.ts";
import { connectSocket } from "../_postgres/socket.ts";
import { ConnectionLostError, toLoss } from "./connection-lost.ts";
import { importPackage } from "./import-package.ts";
import { PostgresConnection, type PostgresLine, type PostgresResult } from "./postgres-connection.ts";
import type { Binding } from "./values.ts";

interface DriverRows<T> extends ReadonlyArray<T> {
	readonly count: number | null;
	readonly command: string;
}

interface DriverQuery<T> extends Promise<DriverRows<T>> {
	values(): DriverQuery<readonly Binding[]>;
	/** Instead of a list of them. */
	forEach(take: (row: T) => void): DriverQuery<T>;
}

/** The parts of the package that are used. */
interface PostgresSql {
	unsafe<T>(sql: string, bindings: readonly unknown[], options: { readonly prepare: boolean; readonly simple: boolean }): DriverQuery<T>;
	end(options: { readonly timeout: number }): Promise<void>;
}

export type PostgresPackage = (options: Readonly<Record<string, unknown>>) => PostgresSql;

export interface PostgresServer {
	readonly postgres: PostgresPackage;
	readonly target: PostgresTarget;
	readonly tls: ConnectionOptions | undefined;
	/** Statements that every connection begins with. */
	readonly setup: string;
}

const none: (readonly Binding[])[] = [];

/** How long a connection may take from the first packet to the answer of its first statement. */
const connectPatience = 4_000;

// Integers are within what a number holds.
const types = { integer: { to: 20, from: [20], serialize: String, parse: Number } };

export async function importPostgres(): Promise<PostgresPackage> {
	return (await importPackage("postgres")) as PostgresPackage;
}

/** Open a connection. Rejects with the error of the server, or a `ConnectionLostError` that says why there is none. */
export async function openConnection(server: PostgresServer): Promise<PostgresConnection> {
	const controller = new AbortController();
	const timer = setTimeout(() => controller.abort(new ConnectionLostError("the server does not answer", { isCut: true })), connectPatience);
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
			onclose: () => connection?.lose(new ConnectionLostError("the connection was lost")),
		}),
	);
	try {
		connection = new PostgresConnection(new OwnLine(sql, () => socket));
		await connection.execute(server.setup);
		return connection;
	} catch (error) {
		connection?.lose(new ConnectionLostError("the connection was not opened"));
		if (controller.signal.aborted) throw controller.signal.reason;
		throw sqlStateOf(error) === undefined ? toLoss(error) : error;
	} finally {
		clearTimeout(timer);
	}
}

/** A driver of its own, with one connection. */
class OwnLine implements PostgresLine {
	readonly #sql: PostgresSql;
	readonly #socket: () => Socket | undefined;

	constructor(sql: PostgresSql, socket: () => Socket | undefined) {
		this.#sql = sql;
		this.#socket = socket;
	}

	execute(sql: string): PromiseLike<unknown> {
		return this.#sql.unsafe(sql, [], { prepare: false, simple: true });
	}

	ask(sql: string, bindings: readonly unknown[], prepare: boolean): ReturnType<PostgresLine["ask"]> {
		// The driver's own list of rows would last until the whole heap is collected, as its promises have functions for members that do; this one does not.
		let rows: (readonly Binding[])[] = [];
		const answer = this.#sql.unsafe(sql, bindings, { prepare, simple: false }).values();
		return answer
			.forEach((row) => void rows.push(row))
			.then(({ count }) => {
				const all = rows;
				rows = none;
				return { rows: all, count: count ?? 0 };
			});
	}

	askByName(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresResult> {
		const answer = this.#sql.unsafe<object>(sql, bindings, { prepare: false, simple: false });
		return answer.then((rows) => ({ rows: [...rows], count: rows.count, command: rows.command }));
	}

	async end(): Promise<void> {
		await this.#sql.end({ timeout: 1 });
		this.#socket()?.destroy();
	}

	drop(): void {
		// Frees what the driver holds, and keeps it from opening another connection.
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
		connect_timeout: connectPatience / 1_000,
		keep_alive: 0,
		fetch_types: false,
		connection: { application_name: applicationName },
		onnotice: () => {},
		types,
	};
}

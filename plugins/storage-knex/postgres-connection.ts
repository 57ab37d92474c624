import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { sqlStateOf } from "../_postgres/errors.ts";
import type { PostgresTarget } from "../_postgres/options.ts";
import { connectSocket } from "../_postgres/socket.ts";
import { ConnectionLostError, toLoss } from "./connection-lost.ts";
import { type Answer, type Step, StepError } from "./database-client.ts";
import { importPackage } from "./import-package.ts";
import { toStepFailure } from "./postgres-failure.ts";
import type { Binding } from "./values.ts";

/** What a statement answers, rows as `T`. */
export interface PostgresResult<T> extends ReadonlyArray<T> {
	/** Rows changed or answered. */
	readonly count: number | null;
	readonly command: string;
}

interface PostgresQuery<T> extends Promise<PostgresResult<T>> {
	values(): PostgresQuery<readonly Binding[]>;
}

/** The parts of the package that are used. */
interface PostgresSql {
	unsafe<T>(sql: string, bindings: readonly unknown[], options: { readonly prepare: boolean; readonly simple: boolean }): PostgresQuery<T>;
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

/** How long a connection may take from the first packet to the answer of its first statement. */
const connectPatience = 4_000;

/** Shapes of statements that a connection prepares at most: the server keeps each of them in memory. */
const mostPrepared = 500;

const textTypes = {
	// Numbers and booleans go in and come out as bindings; integers are within what a number holds.
	integer: { to: 20, from: [20], serialize: String, parse: Number },
	boolean: {
		to: 16,
		from: [16],
		serialize: (value: unknown) => (value === 1 || value === true ? "t" : "f"),
		parse: (text: string) => (text === "t" ? 1 : 0),
	},
};

export async function importPostgres(): Promise<PostgresPackage> {
	return (await importPackage("postgres")) as PostgresPackage;
}

/**
 * One connection, with one user at a time. Once lost it stays lost: the driver would open another one in its place, and
 * what was begun on the first would go on there.
 */
export class PostgresConnection {
	readonly #sql: PostgresSql;
	readonly #socket: () => Socket | undefined;
	readonly #prepared = new Set<string>();
	readonly #rejections = new Set<(error: ConnectionLostError) => void>();
	#lost: ConnectionLostError | undefined;

	/** Rejects with the error of the server, or a `ConnectionLostError` that says why there is none. */
	static async open(server: PostgresServer): Promise<PostgresConnection> {
		const controller = new AbortController();
		const timer = setTimeout(
			() => controller.abort(new ConnectionLostError("the server does not answer", { isCut: true })),
			connectPatience,
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
				onclose: () => connection?.lose(new ConnectionLostError("the connection was lost")),
			}),
		);
		try {
			connection = new PostgresConnection(sql, () => socket);
			await connection.execute(server.setup);
			return connection;
		} catch (error) {
			connection?.destroy(new ConnectionLostError("the connection was not opened"));
			if (controller.signal.aborted) throw controller.signal.reason;
			throw sqlStateOf(error) === undefined ? toLoss(error) : error;
		} finally {
			clearTimeout(timer);
		}
	}

	private constructor(sql: PostgresSql, socket: () => Socket | undefined) {
		this.#sql = sql;
		this.#socket = socket;
	}

	/** Why it is of no use any more; undefined while it is. */
	get loss(): ConnectionLostError | undefined {
		return this.#lost;
	}

	/** Statements without bindings, several of them separated by semicolons. */
	async execute(sql: string): Promise<void> {
		await this.#guard(() => this.#sql.unsafe(sql, [], { prepare: false, simple: true }));
	}

	/** For knex: rows by column name. */
	query(sql: string, bindings: readonly unknown[]): Promise<PostgresResult<object>> {
		return this.#guard(() => this.#sql.unsafe<object>(sql, bindings, { prepare: false, simple: false }));
	}

	async run(step: Step): Promise<Answer> {
		try {
			return await this.#send(step);
		} catch (error) {
			throw new StepError(step, error);
		}
	}

	/** One behind the other, without waiting for answers in between. Throws the `StepError` of the first that fails. */
	runAll(steps: readonly Step[]): Promise<Answer[]> {
		return settleInOrder(steps.map((step) => this.run(step)));
	}

	/**
	 * The same in a transaction, in one round trip: statements behind one that has failed are refused by the server, and the
	 * commit then takes back those before it.
	 *
	 * @param begin statements that begin it
	 */
	async runTransaction(steps: readonly Step[], begin: string): Promise<Answer[]> {
		const began = this.execute(begin);
		const answers = this.runAll(steps);
		const committed = this.execute("commit");
		const [first, second, third] = await Promise.allSettled([began, answers, committed]);
		for (const outcome of [first, second, third]) if (outcome.status === "rejected") throw outcome.reason;
		return answers;
	}

	/** Close it when the server has answered what was asked; a server that does not is not waited for. */
	async end(): Promise<void> {
		this.#lost ??= new ConnectionLostError("the connection is closed");
		await this.#sql.end({ timeout: 1 });
		this.#socket()?.destroy();
	}

	/** Cut it at once: everything under way rejects. */
	destroy(reason: ConnectionLostError): void {
		this.lose(reason);
		this.#socket()?.destroy();
	}

	/** It is of no use any more: everything under way rejects. */
	lose(reason: ConnectionLostError): ConnectionLostError {
		if (this.#lost) return this.#lost;
		this.#lost = reason;
		for (const reject of this.#rejections) reject(reason);
		this.#rejections.clear();
		// Frees what the driver holds, and keeps it from opening another connection.
		void this.#sql.end({ timeout: 0 }).catch(() => {});
		return reason;
	}

	async #send({ statement: { sql, answer }, bindings }: Step): Promise<Answer> {
		const prepare = this.#prepared.size < mostPrepared || this.#prepared.has(sql);
		if (prepare) this.#prepared.add(sql);
		try {
			const result = await this.#guard(() => this.#sql.unsafe(sql, bindings, { prepare, simple: false }).values());
			if (answer === "row" || answer === "rows") return { rows: result, changes: 0 };
			return { rows: [], changes: result.count ?? 0 };
		} catch (error) {
			// A standby: another server has taken its place, and new connections may lead there.
			if (sqlStateOf(error) === "25006") this.destroy(new ConnectionLostError("the server takes no writes"));
			throw toStepFailure(error, answer);
		}
	}

	/** The driver leaves some promises open when a connection goes; here each one settles, with what the server said or the loss. */
	#guard<T>(ask: () => PromiseLike<T>): Promise<T> {
		if (this.#lost) return Promise.reject(this.#lost);
		return new Promise((resolve, reject) => {
			this.#rejections.add(reject);
			const done = () => this.#rejections.delete(reject);
			ask().then(
				(value) => {
					done();
					resolve(value);
				},
				(error: unknown) => {
					done();
					reject(sqlStateOf(error) === undefined ? this.lose(toLoss(error)) : error);
				},
			);
		});
	}
}

async function settleInOrder(answers: readonly Promise<Answer>[]): Promise<Answer[]> {
	const outcomes = await Promise.allSettled(answers);
	return outcomes.map((outcome) => {
		if (outcome.status === "rejected") throw outcome.reason;
		return outcome.value;
	});
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
		types: textTypes,
	};
}

import { SvcError } from "../../core/contract/index.ts";
import { fromPostgresError, PostgresFailure, sqlStateOf } from "../_postgres/errors.ts";
import { ConnectionLostError, toConnectionLostError } from "./connection-lost.ts";
import { KeyTakenError, NothingChangedError, type Statement, type StatementResult, type Step, StepError } from "./database-client.ts";
import type { Binding } from "./values.ts";

/** Connection of a driver. Statements are sent at once, and their results arrive in the same order. */
export interface PostgresDriverConnection {
	/** Runs one or more statements without bindings, separated by semicolons. */
	execute(sql: string): PromiseLike<unknown>;
	/** Runs a statement. Resolves with the rows as lists, and the number of rows that were changed or returned. */
	query(sql: string, bindings: readonly unknown[], prepare: boolean): PromiseLike<PostgresRows>;
	/** Runs a statement. Resolves with the rows as objects, by column name. */
	queryByName(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresResult>;
	/** Closes or returns the connection once all statements have been answered. */
	end(): Promise<void>;
	/** Closes the connection at once. */
	destroy(): void;
}

export interface PostgresRows {
	readonly rows: readonly (readonly Binding[])[];
	readonly count: number;
}

export interface PostgresResult {
	readonly rows: readonly object[];
	readonly count: number | null;
	readonly command: string;
}

/** Maximum number of statements that a connection prepares. The server keeps each of them in memory. */
const maxPreparedStatements = 500;

/**
 * Connection that one caller uses at a time. A lost connection is never used again. Otherwise the driver would open a new one, and continue
 * there a transaction that began on the lost one.
 */
export class PostgresConnection {
	readonly #driver: PostgresDriverConnection;
	readonly #transactionSettings: string | undefined;
	readonly #preparedStatements = new Set<string>();
	readonly #pendingRejections = new Set<(error: ConnectionLostError) => void>();
	#loss: ConnectionLostError | undefined;

	/** @param settings settings of a transaction, as statements; if given, all statements run in transactions that begin with them */
	constructor(driver: PostgresDriverConnection, settings?: string) {
		this.#driver = driver;
		this.#transactionSettings = settings;
	}

	/** Reason why the connection can no longer be used; undefined while it is usable. */
	get loss(): ConnectionLostError | undefined {
		return this.#loss;
	}

	/** Runs one or more statements without bindings, separated by semicolons. */
	async execute(sql: string): Promise<void> {
		await this.#guard(() => this.#driver.execute(sql));
	}

	/** Runs a statement for knex. Resolves with the rows as objects, by column name. */
	query(sql: string, bindings: readonly unknown[]): Promise<PostgresResult> {
		return this.#guard(() => this.#driver.queryByName(sql, bindings));
	}

	/** Runs one statement. Throws a `StepError`. */
	async run(step: Step): Promise<StatementResult> {
		const [answer] = await this.runAll([step]);
		if (!answer) throw new Error("a statement has no result");
		return answer;
	}

	/** Sends the statements one after another without waiting for their results. Throws the `StepError` of the first that fails. */
	runAll(steps: readonly Step[]): Promise<StatementResult[]> {
		return this.#transactionSettings === undefined ? this.#sendAll(steps) : this.runTransaction(steps, "begin");
	}

	/**
	 * Runs the statements in a transaction, in one round trip. If a statement fails, the server rejects the statements after it, and the
	 * commit becomes a rollback. Throws the `StepError` of the first that fails.
	 *
	 * @param begin statements that begin the transaction
	 */
	async runTransaction(steps: readonly Step[], begin: string): Promise<StatementResult[]> {
		const beginning = this.execute(this.#transactionSettings === undefined ? begin : `${begin}; ${this.#transactionSettings}`);
		const answers = this.#sendAll(steps);
		const committing = this.execute("commit");
		const [first, second, third] = await Promise.allSettled([beginning, answers, committing]);
		for (const outcome of [first, second, third]) if (outcome.status === "rejected") throw outcome.reason;
		return answers;
	}

	/** Closes the connection once the server has answered all statements. Does not wait long for a server that does not respond. */
	async end(): Promise<void> {
		if (this.#loss) return;
		this.#loss = new ConnectionLostError("the connection is closed");
		await this.#driver.end();
	}

	/** Marks the connection as lost, rejects all pending statements and closes it at once. Returns the first reason that was given. */
	markLost(reason: ConnectionLostError): ConnectionLostError {
		if (this.#loss) return this.#loss;
		this.#loss = reason;
		for (const reject of this.#pendingRejections) reject(reason);
		this.#pendingRejections.clear();
		this.#driver.destroy();
		return reason;
	}

	#sendAll(steps: readonly Step[]): Promise<StatementResult[]> {
		return settleInOrder(
			steps.map((step) =>
				this.#send(step).catch((error: unknown) => {
					throw new StepError(step, error);
				}),
			),
		);
	}

	async #send({ statement: { sql, resultKind }, bindings }: Step): Promise<StatementResult> {
		const prepare = this.#preparedStatements.size < maxPreparedStatements || this.#preparedStatements.has(sql);
		if (prepare) this.#preparedStatements.add(sql);
		try {
			const { rows, count } = await this.#guard(() => this.#driver.query(sql, bindings, prepare));
			return resultKind === "row" || resultKind === "rows" ? { rows, changes: 0 } : { rows: [], changes: count };
		} catch (error) {
			// The server is now a standby. A new connection may reach the server that has become the primary.
			if (sqlStateOf(error) === "25006") this.markLost(new ConnectionLostError("the server is read-only"));
			throw toStepFailure(error, resultKind);
		}
	}

	/** Runs a request of the driver. Rejects it if the connection is lost, because the driver leaves some promises pending then. */
	#guard<T>(send: () => PromiseLike<T>): Promise<T> {
		if (this.#loss) return Promise.reject(this.#loss);
		return new Promise((resolve, reject) => {
			this.#pendingRejections.add(reject);
			const forget = () => this.#pendingRejections.delete(reject);
			send().then(
				(value) => {
					forget();
					resolve(value);
				},
				(error: unknown) => {
					forget();
					reject(sqlStateOf(error) === undefined ? this.markLost(toConnectionLostError(error)) : error);
				},
			);
		});
	}
}

async function settleInOrder(answers: readonly Promise<StatementResult>[]): Promise<StatementResult[]> {
	const outcomes = await Promise.allSettled(answers);
	return outcomes.map((outcome) => {
		if (outcome.status === "rejected") throw outcome.reason;
		return outcome.value;
	});
}

const sqlStates = { keyTaken: "23505", divisionByZero: "22012", tooLong: "54000" } as const;

/** Converts the error of a statement to the error that the storage expects. */
function toStepFailure(error: unknown, answer: Statement["resultKind"]): unknown {
	const failure = fromPostgresError(error);
	if (!(failure instanceof PostgresFailure)) return failure;
	if (failure.code === sqlStates.keyTaken) return new KeyTakenError(failure.message, { cause: failure });
	// The dialect makes a statement with the result `change` divide by zero if it changes no row.
	if (failure.code === sqlStates.divisionByZero && answer === "change") return new NothingChangedError("no row matched the change");
	if (failure.code === sqlStates.tooLong)
		return new SvcError("SVC_TOO_LARGE", `a value is too long for the database: ${failure.message}`, { cause: failure });
	if (failure.code.startsWith("22")) return new TypeError(`a value does not fit its field: ${failure.message}`, { cause: failure });
	return failure;
}

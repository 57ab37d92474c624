import { SvcError } from "../../core/contract/index.ts";
import { fromPostgresError, PostgresFailure, sqlStateOf } from "../_postgres/errors.ts";
import { ConnectionLostError, toLoss } from "./connection-lost.ts";
import { type Answer, KeyTakenError, NothingChangedError, type Statement, type Step, StepError } from "./database-client.ts";
import type { Binding } from "./values.ts";

/** What the driver is asked for on one connection. Statements are sent at once, and answered in their order. */
export interface PostgresLine {
	/** Statements without bindings, several of them separated by semicolons. */
	execute(sql: string): PromiseLike<unknown>;
	/** Rows as lists, and how many rows were changed or answered. */
	ask(sql: string, bindings: readonly unknown[], prepare: boolean): PromiseLike<PostgresRows>;
	/** Rows by column name. */
	askByName(sql: string, bindings: readonly unknown[]): PromiseLike<PostgresResult>;
	/** Give it up once what was asked is answered. */
	end(): Promise<void>;
	/** Give it up at once. */
	drop(): void;
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

/** Shapes of statements that a connection prepares at most: the server keeps each of them in memory. */
const mostPrepared = 500;

/**
 * One connection, with one user at a time. Once lost it stays lost: the driver would open another one in its place, and
 * what was begun on the first would go on there.
 */
export class PostgresConnection {
	readonly #line: PostgresLine;
	readonly #settings: string | undefined;
	readonly #prepared = new Set<string>();
	readonly #rejections = new Set<(error: ConnectionLostError) => void>();
	#lost: ConnectionLostError | undefined;

	/** @param settings statements that set what the connection has not, for one transaction: everything is run in one then */
	constructor(line: PostgresLine, settings?: string) {
		this.#line = line;
		this.#settings = settings;
	}

	/** Why it is of no use any more; undefined while it is. */
	get loss(): ConnectionLostError | undefined {
		return this.#lost;
	}

	/** Statements without bindings, several of them separated by semicolons. */
	async execute(sql: string): Promise<void> {
		await this.#guard(() => this.#line.execute(sql));
	}

	/** For knex: rows by column name. */
	query(sql: string, bindings: readonly unknown[]): Promise<PostgresResult> {
		return this.#guard(() => this.#line.askByName(sql, bindings));
	}

	async run(step: Step): Promise<Answer> {
		const [answer] = await this.runAll([step]);
		if (!answer) throw new Error("a step has no answer");
		return answer;
	}

	/** One behind the other, without waiting for answers in between. Throws the `StepError` of the first that fails. */
	runAll(steps: readonly Step[]): Promise<Answer[]> {
		return this.#settings === undefined ? this.#sendAll(steps) : this.runTransaction(steps, "begin");
	}

	/**
	 * The same in a transaction, in one round trip: statements behind one that has failed are refused by the server, and the
	 * commit then takes back those before it.
	 *
	 * @param begin statements that begin it
	 */
	async runTransaction(steps: readonly Step[], begin: string): Promise<Answer[]> {
		const began = this.execute(this.#settings === undefined ? begin : `${begin}; ${this.#settings}`);
		const answers = this.#sendAll(steps);
		const committed = this.execute("commit");
		const [first, second, third] = await Promise.allSettled([began, answers, committed]);
		for (const outcome of [first, second, third]) if (outcome.status === "rejected") throw outcome.reason;
		return answers;
	}

	/** Close it when the server has answered what was asked; a server that does not is not waited for. */
	async end(): Promise<void> {
		if (this.#lost) return;
		this.#lost = new ConnectionLostError("the connection is closed");
		await this.#line.end();
	}

	/** It is of no use any more: everything under way rejects, at once. */
	lose(reason: ConnectionLostError): ConnectionLostError {
		if (this.#lost) return this.#lost;
		this.#lost = reason;
		for (const reject of this.#rejections) reject(reason);
		this.#rejections.clear();
		this.#line.drop();
		return reason;
	}

	#sendAll(steps: readonly Step[]): Promise<Answer[]> {
		return settleInOrder(
			steps.map((step) =>
				this.#send(step).catch((error: unknown) => {
					throw new StepError(step, error);
				}),
			),
		);
	}

	async #send({ statement: { sql, answer }, bindings }: Step): Promise<Answer> {
		const prepare = this.#prepared.size < mostPrepared || this.#prepared.has(sql);
		if (prepare) this.#prepared.add(sql);
		try {
			const { rows, count } = await this.#guard(() => this.#line.ask(sql, bindings, prepare));
			return answer === "row" || answer === "rows" ? { rows, changes: 0 } : { rows: [], changes: count };
		} catch (error) {
			// A standby: another server has taken its place, and new connections may lead there.
			if (sqlStateOf(error) === "25006") this.lose(new ConnectionLostError("the server takes no writes"));
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

const codes = { keyTaken: "23505", divisionByZero: "22012", tooLong: "54000" } as const;

/** What a statement's error means to the storage. */
function toStepFailure(error: unknown, answer: Statement["answer"]): unknown {
	const known = fromPostgresError(error);
	if (!(known instanceof PostgresFailure)) return known;
	if (known.code === codes.keyTaken) return new KeyTakenError(known.message, { cause: known });
	// See `toChange` of the dialect.
	if (known.code === codes.divisionByZero && answer === "change") return new NothingChangedError("nothing was there to be changed");
	if (known.code === codes.tooLong)
		return new SvcError("SVC_TOO_LARGE", `a value is too long for the database: ${known.message}`, { cause: known });
	if (known.code.startsWith("22")) return new TypeError(`a value does not fit its field: ${known.message}`, { cause: known });
	return known;
}

import { type Answer, NothingChangedError, type Statement, type Step } from "./database-client.ts";
import type { GroupConnection } from "./group-commit.ts";
import type { LargeTexts } from "./large-texts.ts";
import type { LibsqlDatabase, LibsqlStatement } from "./libsql.ts";
import { fromSqliteError } from "./sqlite-errors.ts";
import type { BoundedLog, PlannedWrite } from "./sqlite-log.ts";
import type { Binding } from "./values.ts";

/** Prepared statements held at most; the shapes in use are far fewer. */
const mostPrepared = 500;

/** A connection to the file: one writes, another one reads, so that reads need not wait for commits. */
export class SqliteConnection implements GroupConnection {
	readonly #database: LibsqlDatabase;
	/** On the disk with each commit that waits for it. */
	readonly #largeTexts: Pick<LargeTexts, "sync"> | undefined;
	readonly #log: BoundedLog | undefined;
	readonly #prepared = new Map<string, LibsqlStatement>();
	#durable: boolean | undefined;

	/** @param writing what a connection that writes needs besides */
	constructor(database: LibsqlDatabase, writing: { readonly largeTexts?: Pick<LargeTexts, "sync">; readonly log?: BoundedLog } = {}) {
		this.#database = database;
		this.#largeTexts = writing.largeTexts;
		this.#log = writing.log;
	}

	get inTransaction(): boolean {
		return this.#database.inTransaction;
	}

	exec(sql: string): void {
		this.#database.exec(sql);
	}

	commit(): Promise<void> {
		return this.#commitBy("COMMIT");
	}

	transact(text: string): Promise<void> {
		return this.#commitBy(`BEGIN IMMEDIATE;${text}COMMIT`);
	}

	run({ statement, bindings: given }: Step): Answer {
		const prepared = this.#prepare(statement);
		// libsql ends the process when it is given a boolean.
		const bindings = given.some(isBoolean) ? given.map((binding) => (isBoolean(binding) ? Number(binding) : binding)) : given;
		switch (statement.answer) {
			case "changes":
				return { rows: [], changes: prepared.run(bindings).changes };
			case "change": {
				const { changes } = prepared.run(bindings);
				if (changes === 0) throw new NothingChangedError("nothing was there to be changed");
				return { rows: [], changes };
			}
			case "rows":
				return { rows: prepared.all(bindings), changes: 0 };
			case "row": {
				const row = prepared.get(bindings);
				return { rows: row ? [row] : [], changes: 0 };
			}
		}
	}

	read(step: Step): Answer {
		try {
			return this.run(step);
		} catch (error) {
			throw fromSqliteError(error);
		}
	}

	setDurable(durable: boolean): void {
		if (this.#durable === durable) return;
		this.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
		this.#durable = durable;
	}

	assertRoom(planned: PlannedWrite): void {
		this.#log?.prepare(planned);
	}

	/** Bring the write-ahead log into the file, so that one file is all there is, and let go of the statements. */
	tidy(): void {
		try {
			this.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		} catch {
			// Somebody reads, or the disk is full: the log is used up at the next opening.
		}
		this.#prepared.clear();
	}

	/** What rows refer to is on the disk before they are. */
	async #commitBy(sql: string): Promise<void> {
		const syncing = this.#durable ? this.#largeTexts?.sync() : undefined;
		if (syncing !== undefined) await syncing;
		await this.#database.execAsync(sql);
	}

	#prepare({ sql, answer }: Statement): LibsqlStatement {
		const known = this.#prepared.get(sql);
		if (known) return known;
		const prepared = this.#database.prepare(sql);
		// libsql throws where a statement has no rows to give.
		if (answer !== "changes" && answer !== "change") prepared.raw();
		if (this.#prepared.size >= mostPrepared) this.#prepared.clear();
		this.#prepared.set(sql, prepared);
		return prepared;
	}
}

function isBoolean(binding: Binding): binding is boolean {
	return typeof binding === "boolean";
}

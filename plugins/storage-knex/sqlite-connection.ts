import { NothingChangedError, type Statement, type StatementResult, type Step } from "./database-client.ts";
import type { LargeTexts } from "./large-texts.ts";
import type { LibsqlDatabase, LibsqlStatement } from "./libsql.ts";
import { fromSqliteError } from "./sqlite-errors.ts";
import type { GroupConnection } from "./sqlite-group-commit.ts";
import type { Binding } from "./values.ts";
import type { PlannedWrite, WalLimiter } from "./wal-limit.ts";

/** Maximum number of prepared statements in memory. A service normally uses far fewer. */
const maxPreparedStatements = 500;

/** Connection to the database file. A service has one that writes and one that reads, so that reads need not wait for commits. */
export class SqliteConnection implements GroupConnection {
	readonly #database: LibsqlDatabase;
	/** Large texts, which must be synced before each commit that waits for the disk. */
	readonly #largeTexts: Pick<LargeTexts, "sync"> | undefined;
	readonly #log: WalLimiter | undefined;
	readonly #preparedStatements = new Map<string, LibsqlStatement>();
	#durable: boolean | undefined;

	/** @param writing dependencies that only a connection that writes needs */
	constructor(database: LibsqlDatabase, writing: { readonly largeTexts?: Pick<LargeTexts, "sync">; readonly log?: WalLimiter } = {}) {
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

	runTransaction(text: string): Promise<void> {
		return this.#commitBy(`BEGIN IMMEDIATE;${text}COMMIT`);
	}

	run({ statement, bindings: stepBindings }: Step): StatementResult {
		const prepared = this.#prepare(statement);
		// libsql ends the process if a binding is a boolean.
		const bindings = stepBindings.some(isBoolean)
			? stepBindings.map((binding) => (isBoolean(binding) ? Number(binding) : binding))
			: stepBindings;
		switch (statement.resultKind) {
			case "changes":
				return { rows: [], changes: prepared.run(bindings).changes };
			case "change": {
				const { changes } = prepared.run(bindings);
				if (changes === 0) throw new NothingChangedError("no row matched the change");
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

	read(step: Step): StatementResult {
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

	assertSpace(planned: PlannedWrite): void {
		this.#log?.prepareTransaction(planned);
	}

	/** Copies the write-ahead log into the file, so that the database is a single file, and releases the prepared statements. */
	checkpointAndRelease(): void {
		try {
			this.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		} catch {
			// Another program is reading, or the disk is full. The log is copied at the next start.
		}
		this.#preparedStatements.clear();
	}

	/**
	 * Runs statements that commit. First syncs the large texts to the disk. Otherwise a power failure could destroy texts to which committed
	 * rows refer.
	 */
	async #commitBy(sql: string): Promise<void> {
		const syncing = this.#durable ? this.#largeTexts?.sync() : undefined;
		if (syncing !== undefined) await syncing;
		await this.#database.execAsync(sql);
	}

	#prepare({ sql, resultKind }: Statement): LibsqlStatement {
		const cached = this.#preparedStatements.get(sql);
		if (cached) return cached;
		const prepared = this.#database.prepare(sql);
		// libsql throws if `raw` is called on a statement that returns no rows.
		if (resultKind !== "changes" && resultKind !== "change") prepared.raw();
		if (this.#preparedStatements.size >= maxPreparedStatements) this.#preparedStatements.clear();
		this.#preparedStatements.set(sql, prepared);
		return prepared;
	}
}

function isBoolean(binding: Binding): binding is boolean {
	return typeof binding === "boolean";
}

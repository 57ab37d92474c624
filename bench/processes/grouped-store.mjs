import Waiting from "libsql";
import Libsql from "libsql/promise";

/** SQLite as the service uses it: what is asked for in one turn of the event loop is committed together, and on the disk when it resolves. */
export class GroupedStore {
	#database;
	#queue = [];
	#isWriting = false;

	constructor(file, tables) {
		this.#database = new Waiting(file);
		this.#database.exec("PRAGMA journal_mode = WAL");
		this.#database.exec("PRAGMA synchronous = FULL");
		for (const sql of tables) this.#database.exec(sql);
	}

	prepare(sql) {
		return this.#database.prepare(sql);
	}

	/** Resolves once all of it is on the disk. `steps` are statements with their values. */
	write(steps) {
		return new Promise((resolve, reject) => {
			this.#queue.push({ steps, resolve, reject });
			if (!this.#isWriting) this.#start();
		});
	}

	#start() {
		this.#isWriting = true;
		setImmediate(() => void this.#flush());
	}

	async #flush() {
		const group = this.#queue.splice(0);
		try {
			this.#database.exec("BEGIN IMMEDIATE");
			for (const { steps } of group) for (const [statement, values] of steps) statement.run(values);
			await Libsql.prototype.exec.call(this.#database, "COMMIT");
			for (const { resolve } of group) resolve();
		} catch (error) {
			for (const { reject } of group) reject(error);
		}
		this.#isWriting = false;
		if (this.#queue.length > 0) this.#start();
	}

	/** Resolves when nothing waits to be written. */
	async written() {
		while (this.#isWriting) await new Promise((resolve) => setImmediate(resolve));
	}

	stop() {
		this.#database.close();
	}
}

import { type FileHandle, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { SvcError } from "svc-automation/contract";

/** Append-only file of lines. A line is on disk when the promise of `append` resolves. */
export class Journal {
	readonly #file: FileHandle;
	#lines: string[] = [];
	#written = Promise.resolve();
	#next: Promise<void> | undefined;

	/** Replaces a journal by a new one with these lines. After a crash, either the old one or the new one is complete. */
	static async create(path: string, lines: readonly string[]): Promise<Journal> {
		const file = await open(`${path}.new`, "w", 0o600);
		const journal = new Journal(file);
		await journal.#write(lines);
		await rename(`${path}.new`, path);
		const directory = await open(dirname(path));
		await directory.sync().finally(() => directory.close());
		return journal;
	}

	/** Returns the lines of a journal. Text after the last newline was never acknowledged. */
	static async read(path: string): Promise<string[]> {
		const text = await readFile(path, "utf8").catch((error) => {
			if (error.code === "ENOENT") return "";
			throw error;
		});
		return text.split("\n").slice(0, -1);
	}

	private constructor(file: FileHandle) {
		this.#file = file;
	}

	/** Appends a line. Lines that arrive during a write are written together. */
	append(line: string): Promise<void> {
		this.#lines.push(line);
		this.#next ??= this.#written.then(() => {
			this.#written = this.#next ?? this.#written;
			this.#next = undefined;
			return this.#write(this.#lines.splice(0));
		});
		return this.#next;
	}

	async close(): Promise<void> {
		await (this.#next ?? this.#written).catch(() => {});
		await this.#file.close();
	}

	async #write(lines: readonly string[]): Promise<void> {
		try {
			await this.#file.appendFile(lines.map((line) => `${line}\n`).join(""));
			await this.#file.datasync();
		} catch (cause) {
			// The state on disk is unknown now, so all later calls fail with this error.
			throw new SvcError("SVC_UNAVAILABLE", "the journal cannot be written", { cause });
		}
	}
}

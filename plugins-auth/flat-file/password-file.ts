import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Logger, SvcError } from "../../core/contract/index.ts";
import { isSupported } from "./verify.ts";

export interface PasswordEntries {
	/** User name to stored password, in a scheme that is supported. */
	readonly users: ReadonlyMap<string, string>;
	/** Whether there is no line but comments: a line that cannot be read still shows that somebody has set up users. */
	readonly isEmpty: boolean;
}

const noEntries: PasswordEntries = { users: new Map(), isEmpty: true };

/** A htpasswd file, read again when it has changed. */
export class PasswordFile {
	readonly #path: string;
	readonly #logger: Logger;
	#version: string | undefined;
	#entries = noEntries;

	constructor(path: string, logger: Logger) {
		this.#path = path;
		this.#logger = logger;
	}

	/** A missing file has no users. `SVC_UNAVAILABLE` when there is one that cannot be read. */
	async read(): Promise<PasswordEntries> {
		try {
			const file = await open(this.#path);
			try {
				// The version is taken before the text: a change in between is noticed next time.
				const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
				const version = [dev, ino, size, mtimeNs, ctimeNs].join(":");
				if (version !== this.#version) this.#entries = this.#parse(await file.readFile("utf8"));
				this.#version = version;
				return this.#entries;
			} finally {
				await file.close();
			}
		} catch (error) {
			if (isMissing(error)) return noEntries;
			throw new SvcError("SVC_UNAVAILABLE", "the password file cannot be read", { cause: error });
		}
	}

	/** Add a line. Whoever reads meanwhile sees the file before or after, and a crash leaves one of the two. */
	async append(username: string, stored: string): Promise<void> {
		const before = await this.#readText();
		const separator = before === "" || before.endsWith("\n") ? "" : "\n";
		await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
		const temporary = `${this.#path}.${randomUUID()}`;
		try {
			const file = await open(temporary, "wx", 0o600);
			try {
				await file.writeFile(`${before}${separator}${username}:${stored}\n`);
				await file.sync();
			} finally {
				await file.close();
			}
			await rename(temporary, this.#path);
		} catch (error) {
			await rm(temporary, { force: true });
			throw error;
		}
	}

	async #readText(): Promise<string> {
		try {
			return await readFile(this.#path, "utf8");
		} catch (error) {
			if (isMissing(error)) return "";
			throw error;
		}
	}

	#parse(text: string): PasswordEntries {
		const users = new Map<string, string>();
		let isEmpty = true;
		for (const [index, raw] of text
			.replace(/^\ufeff/, "")
			.split("\n")
			.entries()) {
			const line = raw.trim();
			if (line === "" || line.startsWith("#")) continue;
			isEmpty = false;
			const colon = line.indexOf(":");
			const stored = line.slice(colon + 1);
			if (colon < 1) this.#report(index, "it is not of the form name:hash");
			else if (isSupported(stored)) users.set(line.slice(0, colon), stored);
			else {
				// Of two lines of a user the later counts, also when it lets nobody in.
				users.delete(line.slice(0, colon));
				this.#report(index, "its password is not a bcrypt hash; other schemes are not supported in this version");
			}
		}
		return { users, isEmpty };
	}

	/** By number only: the text may hold a password. */
	#report(index: number, reason: string): void {
		this.#logger.warn("line of the password file skipped", { file: this.#path, line: index + 1, reason });
	}
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

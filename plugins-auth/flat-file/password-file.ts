import { open } from "node:fs/promises";
import { type Logger, SvcError } from "../../core/contract/index.ts";
import { findScheme, type Scheme } from "./schemes.ts";

export interface PasswordEntries {
	/** User name to stored password, in a scheme that can be verified. */
	readonly users: ReadonlyMap<string, string>;
	/** Whether there is no line but comments: a line that cannot be read still shows that somebody has set up users. */
	readonly isEmpty: boolean;
}

const noEntries: PasswordEntries = { users: new Map(), isEmpty: true };

export interface PasswordFileOptions {
	readonly logger: Logger;
	/** Whether a stored password of an optional scheme can be verified on this machine. */
	canVerify(stored: string): Promise<boolean>;
}

/** A htpasswd file, read again when it has changed. */
export class PasswordFile {
	readonly path: string;
	readonly #options: PasswordFileOptions;
	/** What begins a stored password of an optional scheme that works here. */
	readonly #workingPrefixes = new Set<string>();
	#version: string | undefined;
	#entries = Promise.resolve(noEntries);
	/** Lines with a warning, so that an edit elsewhere in the file does not repeat it. */
	#reported: ReadonlySet<string> = new Set();

	constructor(path: string, options: PasswordFileOptions) {
		this.path = path;
		this.#options = options;
	}

	/** A missing file has no users. `SVC_UNAVAILABLE` when there is one that cannot be read. */
	async read(): Promise<PasswordEntries> {
		try {
			const file = await open(this.path);
			try {
				// The version is taken before the text: a change in between is noticed next time.
				const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
				const version = [dev, ino, size, mtimeNs, ctimeNs].join(":");
				if (version !== this.#version) {
					this.#version = version;
					// Kept at once, so that attempts side by side do not each read it and tell of its lines.
					this.#entries = file.readFile("utf8").then((text) => this.#parse(text));
				}
				return await this.#entries;
			} finally {
				await file.close();
			}
		} catch (error) {
			if (isMissing(error)) return noEntries;
			this.#version = undefined;
			throw new SvcError("SVC_UNAVAILABLE", "the password file cannot be read", { cause: error });
		}
	}

	async #parse(text: string): Promise<PasswordEntries> {
		const users = new Map<string, string>();
		const reported = new Set<string>();
		let isEmpty = true;
		for (const [index, raw] of text
			.replace(/^\ufeff/, "")
			.split("\n")
			.entries()) {
			const line = raw.trim();
			if (line === "" || line.startsWith("#")) continue;
			isEmpty = false;
			const colon = line.indexOf(":");
			const [username, stored] = [line.slice(0, Math.max(0, colon)), line.slice(colon + 1)];
			const scheme = findScheme(stored);
			const problem = username === "" ? "it is not of the form name:hash" : await this.#findProblem(stored, scheme);
			// Of two lines of a user the later counts, also when it lets nobody in.
			if (problem === undefined) users.set(username, stored);
			else users.delete(username);

			const reason = problem ?? scheme?.weakness;
			if (reason === undefined) continue;
			reported.add(line);
			if (this.#reported.has(line)) continue;
			// By number only: the text may hold a password.
			const message = problem === undefined ? "line of the password file has a weak scheme" : "line of the password file skipped";
			this.#options.logger.warn(message, { file: this.path, line: index + 1, reason, ...(scheme && { scheme: scheme.name }) });
		}
		this.#reported = reported;
		return { users, isEmpty };
	}

	async #findProblem(stored: string, scheme: Scheme | undefined): Promise<string | undefined> {
		if (scheme === undefined) return "its password is not in a scheme that is supported; plain text never is";
		if (scheme.isOptional === undefined) return undefined;
		const [prefix = ""] = /^(\$\w+|_)/.exec(stored) ?? [];
		// One comparison of each kind tells; with many users more would take long.
		if (!this.#workingPrefixes.has(prefix)) {
			if (!(await this.#options.canVerify(stored))) return "its scheme needs the package koffi and a libcrypt that knows it";
			this.#workingPrefixes.add(prefix);
		}
		return undefined;
	}
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

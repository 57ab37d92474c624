import { open } from "node:fs/promises";
import { type Logger, SvcError } from "../../core/contract/index.ts";
import { findScheme, type Scheme } from "./password-schemes.ts";

export interface PasswordEntries {
	/** Password hashes by username. Entries that cannot be verified are left out. */
	readonly users: ReadonlyMap<string, string>;
	/** True if the file contains no lines except comments. Even a malformed line shows that an administrator has set up users. */
	readonly isEmpty: boolean;
}

const noEntries: PasswordEntries = { users: new Map(), isEmpty: true };

export interface PasswordFileOptions {
	readonly logger: Logger;
	/** Returns true if a stored password of an optional scheme can be verified on this machine. */
	canVerify(stored: string): Promise<boolean>;
}

/** An htpasswd file that is read again after each change. */
export class PasswordFile {
	readonly path: string;
	readonly #options: PasswordFileOptions;
	/** Prefixes of password hashes in optional schemes that this machine can verify. */
	readonly #workingPrefixes = new Set<string>();
	#version: string | undefined;
	#entries = Promise.resolve(noEntries);
	/** Lines that already caused a warning, so that an edit elsewhere in the file does not repeat it. */
	#reported: ReadonlySet<string> = new Set();

	constructor(path: string, options: PasswordFileOptions) {
		this.path = path;
		this.#options = options;
	}

	/** Returns the entries of the file; a missing file has no users. Throws `SVC_UNAVAILABLE` if the file exists but cannot be read. */
	async read(): Promise<PasswordEntries> {
		try {
			const file = await open(this.path);
			try {
				// Determine the version before reading the text, so that the next read detects a change in between.
				const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
				const version = [dev, ino, size, mtimeNs, ctimeNs].join(":");
				if (version !== this.#version) {
					this.#version = version;
					// Cache the promise at once, so that concurrent sign-ins neither read the file again nor repeat its warnings.
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
			const problem = username === "" ? "it must have the form name:hash" : await this.#findProblem(stored, scheme);
			// The last line of a user is effective, even if it does not allow a sign-in.
			if (problem === undefined) users.set(username, stored);
			else users.delete(username);

			const reason = problem ?? scheme?.weakness;
			if (reason === undefined) continue;
			reported.add(line);
			if (this.#reported.has(line)) continue;
			// Log only the line number, because the text may contain a password.
			const message = problem === undefined ? "line of the password file has a weak scheme" : "line of the password file skipped";
			this.#options.logger.warn(message, { file: this.path, line: index + 1, reason, ...(scheme && { scheme: scheme.name }) });
		}
		this.#reported = reported;
		return { users, isEmpty };
	}

	async #findProblem(stored: string, scheme: Scheme | undefined): Promise<string | undefined> {
		if (scheme === undefined) return "its hash scheme is not supported; plain-text passwords are never supported";
		if (scheme.isOptional === undefined) return undefined;
		const [prefix = ""] = /^(\$\w+|_)/.exec(stored) ?? [];
		// Test each prefix only once; testing every user would take too long.
		if (!this.#workingPrefixes.has(prefix)) {
			if (!(await this.#options.canVerify(stored))) return "its scheme requires the package koffi and a libcrypt that supports it";
			this.#workingPrefixes.add(prefix);
		}
		return undefined;
	}
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

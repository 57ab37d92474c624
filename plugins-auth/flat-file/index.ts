import { createHash, randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import {
	type AuthBackend,
	type Credentials,
	defineAuthBackend,
	type Identity,
	type PluginContext,
	SvcError,
} from "../../core/contract/index.ts";
import { BcryptThread } from "./bcrypt-thread.ts";
import { PasswordFile } from "./password-file.ts";
import { createDummy, findPasswordProblem, hashPassword, verify } from "./verify.ts";

export interface FlatFileOptions {
	/** Path of the file, relative to the working directory. Default: `htpasswd` in the data directory. */
	readonly file?: string;
}

/** Users of a file as `htpasswd -B` writes it. Edits take effect at once. */
export const flatFile = defineAuthBackend("flat-file", ({ file }: FlatFileOptions) => new FlatFile(file));

class FlatFile implements AuthBackend {
	readonly #path: string | undefined;
	readonly #bcrypt = new BcryptThread();
	// Makes the choice of a dummy unpredictable.
	readonly #key = randomBytes(16);
	#file: PasswordFile | undefined;

	constructor(path: string | undefined) {
		this.#path = path;
	}

	async start({ dataDirectory, logger }: PluginContext): Promise<void> {
		this.#file = new PasswordFile(this.#path === undefined ? join(dataDirectory, "htpasswd") : resolve(this.#path), logger);
	}

	async stop(): Promise<void> {
		await this.#bcrypt.stop();
	}

	async authenticate({ username, password }: Credentials, { signal }: { readonly signal: AbortSignal }): Promise<Identity | undefined> {
		signal.throwIfAborted();
		const { users } = await this.#opened.read();
		if (findPasswordProblem(password) !== undefined) return undefined;
		const stored = users.get(username);
		const matches = await verify(password, stored ?? this.#pickDummy(username, users), { bcrypt: this.#bcrypt, signal });
		return matches && stored !== undefined ? { username } : undefined;
	}

	async isEmpty(): Promise<boolean> {
		return (await this.#opened.read()).isEmpty;
	}

	async addUser({ username, password }: Credentials): Promise<void> {
		const problem = findPasswordProblem(password);
		if (problem !== undefined) throw new SvcError("SVC_INVALID", `password: ${problem}`);
		if (!/^[^\s:#\p{C}]([^:\p{C}]*[^\s:\p{C}])?$/u.test(username)) {
			throw new SvcError("SVC_INVALID", 'username: a colon, control characters, outer white space and a leading "#" are not allowed');
		}
		if ((await this.#opened.read()).users.has(username)) throw new SvcError("SVC_CONFLICT", `user "${username}" exists already`);
		await this.#opened.append(username, await hashPassword(password));
	}

	get #opened(): PasswordFile {
		if (this.#file === undefined) throw new SvcError("SVC_UNAVAILABLE", "the auth backend has not been started");
		return this.#file;
	}

	/**
	 * Unknown users must take as long as known ones. Where costs differ within the file, each name is given the cost of one of
	 * the users, always the same, so that unknown names are spread over the times just as known ones are.
	 */
	#pickDummy(username: string, users: ReadonlyMap<string, string>): string {
		const stored = [...users.values()];
		const number = createHash("sha256").update(this.#key).update(username).digest().readUInt32BE();
		return createDummy(stored[number % Math.max(1, stored.length)]);
	}
}

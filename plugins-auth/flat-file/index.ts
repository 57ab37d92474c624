import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
	type AuthBackend,
	type Credentials,
	defineAuthBackend,
	type Identity,
	type PluginContext,
	SvcError,
	warnIfMissing,
} from "../../core/contract/index.ts";
import { OptionReader } from "../_options/option-reader.ts";
import { hashPassword, maximumBcryptBytes } from "./bcrypt.ts";
import { HashThread } from "./hash-thread.ts";
import { PasswordFile } from "./password-file.ts";
import { hasLine, withLine, withoutLine } from "./password-lines.ts";
import { replaceFile } from "./replace-file.ts";
import { createStandIn } from "./stand-in.ts";

export interface FlatFileOptions {
	/** Path of the file, relative to the working directory. Default: `htpasswd` in the data directory. */
	readonly file?: string;
}

/** As much as crypt(3) takes; longer ones would only cost time. */
const maximumBytes = 511;

/** What only the system's own crypt(3) knows. */
const unknownSchemes = "passwords hashed with yescrypt and other schemes of the system";

/** Users of a file as `htpasswd` and `mkpasswd` write it. Edits take effect at once. */
export const flatFile = defineAuthBackend("flat-file", (options: FlatFileOptions) => new FlatFile(options));

class FlatFile implements AuthBackend {
	readonly #options: unknown;
	readonly #thread = new HashThread();
	readonly #standIn = createStandIn();
	#file: PasswordFile | undefined;

	constructor(options: unknown) {
		this.#options = options;
	}

	async check(): Promise<void> {
		const file = readFileOption(this.#options);
		if (file !== undefined) await assertReadable(resolve(file));
	}

	async start({ dataDirectory, logger }: PluginContext): Promise<void> {
		warnIfMissing({ name: "koffi", off: unknownSchemes, resolve: () => import.meta.resolve("koffi") }, logger);
		const file = readFileOption(this.#options);
		const path = file === undefined ? join(dataDirectory, "htpasswd") : resolve(file);
		const canVerify = async (stored: string) =>
			(await this.#thread.compare({ password: "", stored }, new AbortController().signal)) !== undefined;
		this.#file = new PasswordFile(path, { logger, canVerify });
	}

	async stop(): Promise<void> {
		await this.#thread.stop();
	}

	async authenticate({ username, password }: Credentials, { signal }: { readonly signal: AbortSignal }): Promise<Identity | undefined> {
		signal.throwIfAborted();
		const { users } = await this.#opened.read();
		// With a NUL, different passwords become the same key in most schemes.
		if (password === "" || password.includes("\0") || Buffer.byteLength(password) > maximumBytes) return undefined;
		const stored = users.get(username);
		const matches = await this.#thread.compare({ password, stored: stored ?? this.#standIn(username, users) }, signal);
		return matches === true && stored !== undefined ? { username } : undefined;
	}

	async isEmpty(): Promise<boolean> {
		return (await this.#opened.read()).isEmpty;
	}

	async addUser(credentials: Credentials): Promise<void> {
		await this.setPassword(credentials, { isNew: true });
	}

	async listUsers(): Promise<readonly string[]> {
		return [...(await this.#opened.read()).users.keys()];
	}

	async setPassword({ username, password }: Credentials, { isNew }: { readonly isNew: boolean }): Promise<void> {
		const problem = findPasswordProblem(password);
		if (problem !== undefined) throw new SvcError("SVC_INVALID", `password: ${problem}`);
		if (!/^[^\s:#\p{C}]([^:\p{C}]*[^\s:\p{C}])?$/u.test(username)) {
			throw new SvcError("SVC_INVALID", 'username: a colon, control characters, outer white space and a leading "#" are not allowed');
		}
		// Before the file is locked, as it takes a while.
		const stored = await hashPassword(password);
		await replaceFile(this.#opened.path, (text) => {
			if (isNew && hasLine(text, username)) throw new SvcError("SVC_CONFLICT", `user "${username}" exists already`);
			if (!isNew && !hasLine(text, username)) throw unknown(username);
			return withLine(text, username, stored);
		});
	}

	async removeUser(username: string): Promise<void> {
		await replaceFile(this.#opened.path, (text) => {
			if (!hasLine(text, username)) throw unknown(username);
			return withoutLine(text, username);
		});
	}

	get #opened(): PasswordFile {
		if (this.#file === undefined) throw new SvcError("SVC_UNAVAILABLE", "the auth backend has not been started");
		return this.#file;
	}
}

function readFileOption(options: unknown): string | undefined {
	const reader = new OptionReader(options);
	const file = reader.text("file");
	reader.finish("flat-file");
	return file;
}

/** One that is not there has no users yet. */
async function assertReadable(path: string): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found === undefined) return;
	if (!found.isFile()) throw new SvcError("SVC_CONFIG", `file: "${path}" is no file`);
	await access(path, constants.R_OK).catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", `file: "${path}" cannot be read`, { cause });
	});
}

function unknown(username: string): SvcError {
	return new SvcError("SVC_NOT_FOUND", `there is no user "${username}"`);
}

/** Of a new user's password, which is stored with bcrypt. */
function findPasswordProblem(password: string): string | undefined {
	if (password === "") return "empty";
	if (password.includes("\0")) return "holds a NUL character";
	if (Buffer.byteLength(password) <= maximumBcryptBytes) return undefined;
	return `longer than ${maximumBcryptBytes} bytes, which is as much as bcrypt takes`;
}

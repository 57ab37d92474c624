import { createHash, randomBytes, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
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
import { hashPassword, maximumBcryptBytes, unknownPassword } from "./bcrypt.ts";
import { withFileLock } from "./file-lock.ts";
import { HashThread } from "./hash-thread.ts";
import { PasswordFile } from "./password-file.ts";

export interface FlatFileOptions {
	/** Path of the file, relative to the working directory. Default: `htpasswd` in the data directory. */
	readonly file?: string;
}

/** Maximum password bytes, the limit of crypt(3). A longer password is refused without hashing it. */
const maximumBytes = 511;

/** Passwords, for a warning, that only the system's crypt(3) can verify. */
const unknownSchemes = "passwords hashed with yescrypt and other crypt schemes of the system";

/** Users from a file in the format of `htpasswd` and `mkpasswd`. Edits take effect at once. */
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
		// In most schemes a NUL ends the password, so that different passwords would have the same hash.
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
			throw new SvcError(
				"SVC_INVALID",
				'username: a colon, control characters, leading or trailing spaces and a leading "#" are not allowed',
			);
		}
		// Hash before locking the file, because hashing is slow.
		const stored = await hashPassword(password);
		await replaceFile(this.#opened.path, (text) => {
			if (isNew && hasLine(text, username)) throw new SvcError("SVC_CONFLICT", `user "${username}" already exists`);
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

/** Asserts that the file is readable. A missing file is allowed: it has no users yet. */
async function assertReadable(path: string): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found === undefined) return;
	if (!found.isFile()) throw new SvcError("SVC_CONFIG", `file: "${path}" is not a regular file`);
	await access(path, constants.R_OK).catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", `file: "${path}" cannot be read`, { cause });
	});
}

function unknown(username: string): SvcError {
	return new SvcError("SVC_NOT_FOUND", `user "${username}" does not exist`);
}

/** Returns the problem of a new user's password, or undefined if bcrypt can store it. */
function findPasswordProblem(password: string): string | undefined {
	if (password === "") return "empty";
	if (password.includes("\0")) return "holds a NUL character";
	if (Buffer.byteLength(password) <= maximumBcryptBytes) return undefined;
	return `longer than ${maximumBcryptBytes} bytes, the limit of bcrypt`;
}

/**
 * Returns the text of a password file with a new line for the user. It replaces the user's last line, which is the effective one, or is
 * appended.
 */
function withLine(text: string, username: string, stored: string): string {
	const lines = toLines(text);
	const added = `${username}:${stored}`;
	const last = lines.findLastIndex((line) => nameOf(line) === username);
	if (last === -1) return toText([...lines, added]);
	return toText(lines.map((line, index) => (index === last ? added : line)).filter((line) => line === added || nameOf(line) !== username));
}

/** Returns the text of a password file without the lines of a user. */
function withoutLine(text: string, username: string): string {
	return toText(toLines(text).filter((line) => nameOf(line) !== username));
}

/** Returns true if a user has a line, even one that does not allow a sign-in. */
function hasLine(text: string, username: string): boolean {
	return toLines(text).some((line) => nameOf(line) === username);
}

/** Returns the user of a line, or undefined for comments and malformed lines. */
function nameOf(raw: string): string | undefined {
	const line = raw.trim();
	const colon = line.indexOf(":");
	return line.startsWith("#") || colon < 1 ? undefined : line.slice(0, colon);
}

function toLines(text: string): readonly string[] {
	const lines = text.replace(/^\ufeff/, "").split("\n");
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function toText(lines: readonly string[]): string {
	return lines.map((line) => `${line}\n`).join("");
}

/**
 * Replaces the contents of a file; concurrent replacements run one at a time. A concurrent reader, or a start after a crash, sees either
 * the old or the new file. `change` gets an empty string if there is no file.
 */
async function replaceFile(path: string, change: (text: string) => string): Promise<void> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	// Keep a symbolic link and replace its target.
	const target = await realpath(path).catch(() => path);
	await withFileLock(target, async () => {
		const text = change(await readFile(target, "utf8").catch(toNothing));
		const temporary = `${target}.${randomUUID()}`;
		try {
			await write(temporary, text, await findOwner(target));
			await rename(temporary, target);
		} finally {
			await rm(temporary, { force: true });
		}
	});
}

interface Owner {
	readonly mode: number;
	readonly uid: number;
	readonly gid: number;
}

/**
 * Returns the mode and owner of the file, without permissions for other users. A new file gets the owner of its directory, because root may
 * create it for a service.
 */
async function findOwner(path: string): Promise<Owner> {
	const { mode, uid, gid } = await stat(path).catch(async () => ({ ...(await stat(dirname(path))), mode: 0o600 }));
	return { mode: mode & 0o770, uid, gid };
}

async function write(path: string, text: string, { mode, uid, gid }: Owner): Promise<void> {
	const file = await open(path, "wx", 0o600);
	try {
		await file.writeFile(text);
		// Only root can change the owner. Otherwise the file already belongs to the current user.
		if (process.getuid?.() === 0) await file.chown(uid, gid);
		await file.chmod(mode);
		await file.sync();
	} finally {
		await file.close();
	}
}

function toNothing(error: unknown): string {
	if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
	throw error;
}

/** Returns the stored hash that is compared with the password if the username is unknown. */
type StandIn = (username: string, users: ReadonlyMap<string, string>) => string;

/**
 * Creates a function that makes refusing an unknown username take as long as refusing a wrong password. Schemes and costs may differ within
 * the file. So each unknown name is always assigned the hash of the same user, and the durations of unknown names are distributed like
 * those of known names.
 */
export function createStandIn(): StandIn {
	// A random key, so that clients cannot predict the assignment.
	const key = randomBytes(16);
	return (username, users) => {
		const stored = [...users.values()];
		const number = createHash("sha256").update(key).update(username).digest().readUInt32BE();
		return stored[number % Math.max(1, stored.length)] ?? unknownPassword;
	};
}

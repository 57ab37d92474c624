import { randomBytes } from "node:crypto";
import {
	closeSync,
	fsyncSync,
	linkSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	type Stats,
	statSync,
	unlinkSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { SvcError, toErrorMessage } from "../../contract/index.ts";

/** Keys of a key file. New secrets are encrypted with `current`; the other keys only decrypt. */
export interface StoredKeys {
	/** Id of the current key. */
	readonly current: string;
	/** Keys of 32 bytes in base64url, by their ids. */
	readonly keys: Readonly<Record<string, string>>;
}

/** Milliseconds after which a lock counts as abandoned. A change of the file takes only milliseconds. */
const staleLockMs = 10_000;

/** Reads a key file. Returns undefined if it does not exist. Throws `SVC_CONFIG` if it cannot be read or is damaged. */
export function readKeyFile(path: string): StoredKeys | undefined {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw new SvcError("SVC_CONFIG", `key file "${path}" cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
	const stored = parse(text);
	if (stored === undefined)
		throw new SvcError("SVC_CONFIG", `key file "${path}"is damaged: it must hold keys of 32 bytes and name the current one`);
	return stored;
}

/** Creates a key file with one key. Returns false if the file exists; an existing file is never replaced. */
export function createKeyFile(path: string): boolean {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const temporary = writeTemporary(path, addKey({ current: "", keys: {} }));
	try {
		linkSync(temporary, path);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	} finally {
		unlinkSync(temporary);
	}
}

/**
 * Replaces the contents of a key file. A lock file prevents two processes from losing each other's keys.
 *
 * Throws `SVC_CONFIG` if the file does not exist, and `SVC_CONFLICT` if another process is changing it.
 */
export function changeKeyFile(path: string, change: (stored: StoredKeys) => StoredKeys): StoredKeys {
	const lock = `${path}.lock`;
	acquireLock(lock);
	try {
		const stored = readKeyFile(path);
		if (stored === undefined) throw new SvcError("SVC_CONFIG", `key file "${path}" does not exist`);
		const changed = change(stored);
		renameSync(writeTemporary(path, changed), path);
		return changed;
	} finally {
		unlinkSync(lock);
	}
}

/** Returns the keys with a new key, which becomes the current one. */
export function addKey({ keys }: StoredKeys): StoredKeys {
	const current = randomBytes(4).toString("hex");
	return { current, keys: { ...keys, [current]: randomBytes(32).toString("base64url") } };
}

function parse(text: string): StoredKeys | undefined {
	try {
		const { current, keys } = JSON.parse(text) as Partial<StoredKeys>;
		if (typeof current !== "string" || typeof keys !== "object" || keys === null || !Object.hasOwn(keys, current)) return undefined;
		const isKey = ([id, key]: [string, unknown]) =>
			/^[0-9a-f]{8}$/.test(id) && typeof key === "string" && Buffer.from(key, "base64url").length === 32;
		return Object.entries(keys).every(isKey) ? { current, keys } : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Writes keys to a temporary file and syncs it to disk, before the caller replaces the key file with it. Losing a key would lose all
 * secrets that are encrypted with it.
 */
function writeTemporary(path: string, stored: StoredKeys): string {
	const temporary = `${path}.${randomBytes(4).toString("hex")}`;
	const file = openSync(temporary, "wx", 0o600);
	try {
		writeSync(file, `${JSON.stringify(stored, undefined, "\t")}\n`);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
	return temporary;
}

function acquireLock(path: string): void {
	for (let attempt = 0; attempt < 2; attempt += 1) {
		try {
			closeSync(openSync(path, "wx", 0o600));
			return;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
			const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
			if (Date.now() - mtimeMs < staleLockMs) break;
			unlinkSync(path);
		}
	}
	throw new SvcError("SVC_CONFLICT", "the key file is being changed by another process; try again");
}

/**
 * Returns the problem if other users can read the key file, from the view of the user that runs the service. Otherwise returns
 * undefined.
 *
 * A file of root may be readable by its group. Kubernetes mounts secrets in this way, and the service could not read them otherwise.
 */
export function findKeyExposure(path: string, { mode, uid }: Pick<Stats, "mode" | "uid">, serviceUid: number): string | undefined {
	const isSharedByGroup = uid === 0 && serviceUid !== 0;
	if ((mode & (isSharedByGroup ? 0o037 : 0o077)) === 0) return undefined;
	const [readers, command] = isSharedByGroup ? ["others than its group", "chmod 440"] : ["other users", "chmod 600"];
	return `key file "${path}" can be read by ${readers} (mode ${(mode & 0o777).toString(8)}); ${command} it`;
}

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

/** The keys of a key file. New secrets are encrypted with `current`; the others can still be read. */
export interface StoredKeys {
	readonly current: string;
	/** 32 bytes in base64url, by key id. */
	readonly keys: Readonly<Record<string, string>>;
}

/** A lock older than this was left behind: what it guards takes milliseconds. */
const staleLock = 10_000;

/** The keys in the file; undefined when there is no file. `SVC_CONFIG` when it cannot be read or holds something else. */
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
		throw new SvcError("SVC_CONFIG", `key file "${path}" is damaged: keys of 32 bytes and a current one are needed`);
	return stored;
}

/** Make a key file; false when there is one, which is never replaced. */
export function createKeyFile(path: string): boolean {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const temporary = writeBeside(path, addKey({ current: "", keys: {} }));
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

/** Change a key file as a whole. Two processes that do so at once never lose each other's keys. */
export function changeKeyFile(path: string, change: (stored: StoredKeys) => StoredKeys): StoredKeys {
	const lock = `${path}.lock`;
	takeLock(lock);
	try {
		const stored = readKeyFile(path);
		if (stored === undefined) throw new SvcError("SVC_CONFIG", `key file "${path}" does not exist`);
		const changed = change(stored);
		renameSync(writeBeside(path, changed), path);
		return changed;
	} finally {
		unlinkSync(lock);
	}
}

/** The keys with a new one, which becomes the current one. */
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

/** On disk before it takes the place of the old file: a key that is lost takes every secret with it. */
function writeBeside(path: string, stored: StoredKeys): string {
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

function takeLock(path: string): void {
	for (let attempt = 0; attempt < 2; attempt += 1) {
		try {
			closeSync(openSync(path, "wx", 0o600));
			return;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
			const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
			if (Date.now() - mtimeMs < staleLock) break;
			unlinkSync(path);
		}
	}
	throw new SvcError("SVC_CONFLICT", "the key file is being changed by another process; try again");
}

/**
 * What is wrong with who may read the key file, seen by the user the service runs as; undefined where nobody else may. A file of root that is lent
 * to the service by its group, as Kubernetes mounts secrets, may be read by that group, as the service could not read it otherwise.
 */
export function findKeyExposure(path: string, { mode, uid }: Pick<Stats, "mode" | "uid">, self: number): string | undefined {
	const isLent = uid === 0 && self !== 0;
	if ((mode & (isLent ? 0o037 : 0o077)) === 0) return undefined;
	const [who, command] = isLent ? ["others than its group", "chmod 440"] : ["other users", "chmod 600"];
	return `key file "${path}" can be read by ${who} (mode ${(mode & 0o777).toString(8)}); ${command} it`;
}

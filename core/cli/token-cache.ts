import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliExit } from "./context.ts";

/** Seconds before its expiry at which a token counts as expired, so that it does not expire during a request. */
const margin = 15;

/** Returns the cached token of a user, or undefined if there is no valid one. */
export function readCachedToken(directory: string, username: string): string | undefined {
	const file = fileOf(directory, username);
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
	try {
		const { token, expire_timestamp } = JSON.parse(text) as { token: string; expire_timestamp: number };
		return expire_timestamp - margin > Date.now() / 1000 ? token : undefined;
	} catch (cause) {
		throw new CliExit(1, `token cache "${file}" cannot be read: ${String(cause)}; remove it and sign in again`);
	}
}

/** Stores a token for later commands. Only its owner can read the file. */
export function writeCachedToken(directory: string, username: string, token: string, expiry: string): void {
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	const file = fileOf(directory, username);
	const text = JSON.stringify({ token, expire_timestamp: Math.floor(Date.parse(expiry) / 1000) });
	// Write a temporary file and rename it: the file has mode 0600 from the first byte, and is never incomplete.
	writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
	renameSync(`${file}.${process.pid}`, file);
}

function fileOf(directory: string, username: string): string {
	return join(directory, `token-${encodeURIComponent(username)}`);
}

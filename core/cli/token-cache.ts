import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliExit } from "./context.ts";

/** Regarded as expired a little early, so that a request does not run into the moment. */
const margin = 15;

/** The cached token of a user, or undefined when there is none that is still valid. */
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
		throw new CliExit(1, `the token cache ${file} cannot be read (${String(cause)}): remove it and sign in again`);
	}
}

/** Keep a token for the next commands, readable by its owner only. */
export function writeCachedToken(directory: string, username: string, token: string, expiry: string): void {
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	const file = fileOf(directory, username);
	const text = JSON.stringify({ token, expire_timestamp: Math.floor(Date.parse(expiry) / 1000) });
	// Written aside and renamed: mode 0600 from the first byte, and never half a file.
	writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
	renameSync(`${file}.${process.pid}`, file);
}

function fileOf(directory: string, username: string): string {
	return join(directory, `token-${encodeURIComponent(username)}`);
}

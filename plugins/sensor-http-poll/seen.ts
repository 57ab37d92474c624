import { randomBytes } from "node:crypto";
import type { Answer } from "./ask.ts";

/** What is kept of an answer. */
export interface Seen {
	/** Random: with it an event names the answer that it follows. */
	readonly id: string;
	/** The address that was asked: answers of another are not compared. */
	readonly url: string;
	readonly status_code: number;
	readonly body_hash: string;
	readonly etag: string | null;
	readonly last_modified: string | null;
}

export function toSeen(url: URL, { status_code, body_hash, headers }: Answer): Seen {
	const { etag = null, "last-modified": last_modified = null } = headers;
	return { id: randomBytes(8).toString("hex"), url: url.href, status_code, body_hash, etag, last_modified };
}

/** Headers that ask for an answer only when it is another one. */
export function toConditions({ etag, last_modified, status_code }: Seen): Readonly<Record<string, string>> {
	// Only what was there can be unchanged.
	if (status_code !== 200) return {};
	return {
		...(etag !== null && { "if-none-match": etag }),
		...(last_modified !== null && { "if-modified-since": last_modified }),
	};
}

export type ChangedMember = "status_code" | "body";

export function findChanges(before: Seen, after: Seen): readonly ChangedMember[] {
	const changes: ChangedMember[] = [];
	if (before.status_code !== after.status_code) changes.push("status_code");
	if (before.body_hash !== after.body_hash) changes.push("body");
	return changes;
}

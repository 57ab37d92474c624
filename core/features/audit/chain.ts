import { createHash } from "node:crypto";
import { type AuditEntryEntity, stringifyJson } from "../../contract/index.ts";

/** What stands for the hash of an entry before the first one. */
export const genesis = "0".repeat(64);

/** An entry as it leaves the service: its id is the storage's own. */
export type AuditEntry = Omit<AuditEntryEntity, "id">;

/** An entry without its place in the chain. */
export type AuditDraft = Omit<AuditEntry, "number" | "previous_hash" | "hash">;

/** The end of a chain. */
export interface Head {
	readonly number: number;
	readonly hash: string;
}

export const emptyHead: Head = { number: 0, hash: genesis };

/** Members in the order in which the hash is made of them. The first word names the form, so that another one can follow. */
const members = [
	...["number", "timestamp", "user", "credential", "address", "node", "request_id", "request", "verb"],
	...["record_kind", "record_id", "ref", "outcome", "fields", "detail", "previous_hash"],
] as readonly (keyof AuditEntry)[];
const form = "svc-audit-1";

/** SHA-256 of the canonical form: a JSON array of the members, in order. */
export function toEntryHash(entry: Omit<AuditEntry, "hash">): string {
	const values = members.map((member) => (entry as AuditEntry)[member] ?? null);
	return createHash("sha256")
		.update(stringifyJson([form, ...values]))
		.digest("hex");
}

/** Put drafts behind the end of a chain. */
export function chain(drafts: readonly AuditDraft[], head: Head): readonly AuditEntry[] {
	let { number, hash } = head;
	return drafts.map((draft) => {
		number += 1;
		const linked = { ...draft, number, previous_hash: hash };
		hash = toEntryHash(linked);
		return { ...linked, hash };
	});
}

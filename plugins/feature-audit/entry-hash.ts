import { createHash } from "node:crypto";
import { stringifyJson } from "../../core/contract/index.ts";
import type { AuditEntryEntity } from "./entities.ts";

/** Value of `previous_hash` in the first entry. */
export const genesis = "0".repeat(64);

/** Entry as the API returns it, without the id of the storage. */
export type AuditEntry = Omit<AuditEntryEntity, "id">;

/** Entry before it is appended to the chain. */
export type AuditDraft = Omit<AuditEntry, "number" | "previous_hash" | "hash">;

/** Number and hash of the last entry of a chain. */
export interface ChainHead {
	readonly number: number;
	readonly hash: string;
}

export const emptyChainHead: ChainHead = { number: 0, hash: genesis };

/**
 * Members of an entry in the order in which they are hashed. The hashed list begins with the name of the format, so that the format can
 * change.
 */
const members = [
	...["number", "timestamp", "user", "credential", "address", "node", "request_id", "request", "verb"],
	...["record_kind", "record_id", "ref", "outcome", "fields", "detail", "previous_hash"],
] as readonly (keyof AuditEntry)[];
const form = "svc-audit-1";

/** Returns the SHA-256 of the canonical form: a JSON array of the format name and the members, in order. */
export function toEntryHash(entry: Omit<AuditEntry, "hash">): string {
	const values = members.map((member) => (entry as AuditEntry)[member] ?? null);
	return createHash("sha256")
		.update(stringifyJson([form, ...values]))
		.digest("hex");
}

/** Returns the entries that append the drafts to a chain. */
export function chain(drafts: readonly AuditDraft[], head: ChainHead): readonly AuditEntry[] {
	let { number, hash } = head;
	return drafts.map((draft) => {
		number += 1;
		const linked = { ...draft, number, previous_hash: hash };
		hash = toEntryHash(linked);
		return { ...linked, hash };
	});
}

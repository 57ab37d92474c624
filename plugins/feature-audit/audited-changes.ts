import { isDeepStrictEqual } from "node:util";
import type { EntityKind, Storage, WriteOperation } from "../../core/contract/index.ts";
import { kindOfOperation } from "../../core/feature.ts";
import { auditedKind } from "./audited-kinds.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Change of one record. */
export interface ChangedRecord {
	readonly verb: string;
	readonly record_kind: EntityKind;
	readonly record_id: string;
	readonly ref: string | null;
	/** User who owns the record; an empty string if no user does. */
	readonly owner: string;
	readonly fields: readonly string[];
	/** Further details; null if there are none. */
	readonly detail: string | null;
}

/** Returns the changes of audited kinds that the operations make. */
export async function findAuditedChanges(storage: Storage, operations: readonly WriteOperation[]): Promise<readonly ChangedRecord[]> {
	const changes: ChangedRecord[] = [];
	for (const operation of operations) {
		const kind = kindOfOperation(operation);
		if (auditedKind(kind) === undefined) continue;
		if ("insert" in operation) {
			const entities = operation.entities as unknown as readonly Fields[];
			changes.push(...entities.map((entity) => toChange("create", kind, { after: entity })));
		} else if ("remove" in operation) {
			const removed = await storage.find(kind, { where: operation.where as object });
			changes.push(...removed.map((entity) => toChange("delete", kind, { before: entity as unknown as Fields })));
		} else changes.push(...(await findUpdate(storage, kind, operation.id, operation.patch as Fields)));
	}
	return changes;
}

async function findUpdate(storage: Storage, kind: EntityKind, id: string, patch: Fields): Promise<readonly ChangedRecord[]> {
	const names = Object.keys(patch);
	if (names.length === 0) return [];
	const before = (await storage.get(kind, id)) as Fields | undefined;
	// The record does not exist, so that the write will not change it.
	if (before === undefined) return [];
	const own: readonly string[] = auditedKind(kind)?.own ?? [];
	const fields = names.filter((name) => !own.includes(name) && !isDeepStrictEqual(before[name], patch[name]));
	// A write may change nothing, and only assert that a record has not changed.
	if (fields.length === 0) return [];
	return [{ ...toChange("update", kind, { before: { ...before, id }, after: { ...before, ...patch, id } }), fields: fields.sort() }];
}

/** Verbs for changes with a special meaning, instead of create and delete. */
const verbs: Readonly<Record<string, string>> = { "create token": "sign_in", "delete token": "sign_out" };

interface Change {
	/** State before the change; undefined for a new record. */
	readonly before?: Fields;
	/** State after the change; undefined for a deleted record. */
	readonly after?: Fields;
}

function toChange(verb: string, kind: EntityKind, { before, after }: Change): ChangedRecord {
	const entity = before ?? after ?? {};
	const audited = auditedKind(kind);
	return {
		verb: verbs[`${verb} ${kind}`] ?? verb,
		record_kind: kind,
		record_id: String(entity["id"]),
		ref: audited?.ref(entity) ?? null,
		owner: audited?.owner?.(entity) ?? "",
		fields: [],
		detail: audited?.detail?.(before, after) ?? null,
	};
}

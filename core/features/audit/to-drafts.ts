import { isDeepStrictEqual } from "node:util";
import type { EntityKind, Storage, WriteOperation } from "../../contract/index.ts";
import { kindOfOperation } from "../../kernel/plugins/audited-storage.ts";
import { auditedKind } from "./audited-kinds.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What has become of one record. */
export interface ChangedRecord {
	readonly verb: string;
	readonly record_kind: EntityKind;
	readonly record_id: string;
	readonly ref: string | null;
	readonly fields: readonly string[];
	/** What more there is to say; null where nothing is. */
	readonly detail: string | null;
}

/** Each record that some operations change, as far as its kind is audited. */
export async function findChanges(storage: Storage, operations: readonly WriteOperation[]): Promise<readonly ChangedRecord[]> {
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
	// It will not be changed then.
	if (before === undefined) return [];
	const own: readonly string[] = auditedKind(kind)?.own ?? [];
	const fields = names.filter((name) => !own.includes(name) && !isDeepStrictEqual(before[name], patch[name]));
	// A write may change nothing, and only ask whether a record is as it was.
	if (fields.length === 0) return [];
	return [{ ...toChange("update", kind, { before: { ...before, id }, after: { ...before, ...patch, id } }), fields: fields.sort() }];
}

/** Names of words that say more than that a record of some kind has come or gone. */
const verbs: Readonly<Record<string, string>> = { "create token": "sign_in", "delete token": "sign_out" };

interface Change {
	/** Absent: it is new. */
	readonly before?: Fields;
	/** Absent: it is gone. */
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
		fields: [],
		detail: audited?.detail?.(before, after) ?? null,
	};
}

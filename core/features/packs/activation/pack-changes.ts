import { isDeepStrictEqual } from "node:util";
import type { EntityKind, EntityMap, Storage, WriteOperation } from "../../../contract/index.ts";
import { insertIfAbsent } from "../../../kernel/basics/insert-if-absent.ts";
import { EventLoopYield } from "../../../lib/event-loop.ts";
import { isDefinedKind } from "../named-actions-exports.ts";
import { draftedKinds, type PackDraft } from "./registration-dry-run.ts";

/** Changes to the records of one kind. */
interface KindChanges {
	readonly kind: EntityKind;
	readonly added: readonly object[];
	readonly changed: readonly Changed[];
	/** Ids of removed records. */
	readonly gone: readonly string[];
}

interface Changed {
	readonly id: string;
	readonly before: object;
	readonly after: object;
}

/**
 * Returns the changes of a draft as operations of one write. The write fails if another write has changed the records that the draft
 * depends on.
 *
 * @param packs refs of packs whose records may change; records of other packs stay, except triggers, which all packs share
 */
export async function toOperations(draft: PackDraft, packs: readonly string[], storage: Storage): Promise<readonly WriteOperation[]> {
	const changes: KindChanges[] = [];
	for (const kind of draftedKinds) if (isDefinedKind(kind)) changes.push(await compare(draft, kind, packs));
	const turns = await readTurns(storage, changes);
	const guards = changes.flatMap((one) => [...toPackGuards(draft, one), ...toTriggerGuards(draft, one)]);
	const updates = changes.flatMap(({ kind, changed }) => (isReplaced(kind) ? [] : changed.map((one) => toUpdate(kind, one, turns))));
	const removals = changes.flatMap(toRemovals);
	const insertions = changes.flatMap(toInsertions);
	// Update the pack first: a concurrent switch of the same pack waits for its row, and then finds a changed `registration`.
	return [
		...updates.filter(({ update }) => update === "pack"),
		...guards,
		...removals,
		...updates.filter(({ update }) => update !== "pack"),
		...insertions,
	];
}

/** Restores triggers that the draft removed as unused, if a rule that was stored concurrently uses them. */
export async function returnTriggers(draft: PackDraft, storage: Storage): Promise<void> {
	for (const trigger of draft.allBefore("trigger")) {
		if ((await draft.storage.count("trigger", { id: trigger.id })) > 0 || trigger.ref === trigger.type) continue;
		if ((await storage.count("rule", { trigger: trigger.ref })) > 0) await insertIfAbsent(() => storage.insert("trigger", [trigger]));
	}
}

/**
 * Returns true if records are removed and inserted instead of updated. A new version changes every action of a pack, possibly thousands.
 */
function isReplaced(kind: EntityKind): boolean {
	return kind === "action";
}

async function compare<K extends EntityKind>(draft: PackDraft, kind: K, packs: readonly string[]): Promise<KindChanges> {
	const isOwn = (entity: object) => isOf(kind, entity, packs);
	const breath = new EventLoopYield();
	const added: object[] = [];
	const changed: Changed[] = [];
	const left = new Set<string>();
	for (const after of draft.storage.all(kind).filter(isOwn)) {
		left.add(after.id);
		const before = draft.before(kind, after.id);
		if (before === undefined) added.push(after);
		else if (!isDeepStrictEqual(before, after)) changed.push({ id: after.id, before, after });
		await breath.yieldIfDue();
	}
	const gone = draft.allBefore(kind).filter((entity) => isOwn(entity) && !left.has(entity.id));
	return { kind, added, changed, gone: gone.map(({ id }) => id) };
}

function isOf(kind: EntityKind, entity: object, packs: readonly string[]): boolean {
	if (kind === "trigger") return true;
	const { pack, ref } = entity as { readonly pack?: string; readonly ref: string };
	return packs.includes(kind === "pack" ? ref : (pack ?? ""));
}

type Update = Extract<WriteOperation, { readonly update: EntityKind }>;

function toUpdate(kind: EntityKind, { id, before, after }: Changed, turns: ReadonlyMap<string, number>): Update {
	const old = before as Readonly<Record<string, unknown>>;
	const changes = Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(value, old[field]));
	const patch: Record<string, unknown> = Object.fromEntries(changes);
	const turn = turns.get(id);
	// Incrementing the turn makes concurrent counts under the previous policy fail and repeat.
	if (kind === "policy" && turn !== undefined) patch["turn"] = turn + 1;
	return { update: kind, id, patch, expected: toExpected(kind, old, turn) } as Update;
}

function toExpected(kind: EntityKind, before: Readonly<Record<string, unknown>>, turn: number | undefined): object {
	if (kind === "pack") return { registration: before["registration"] ?? null };
	if (kind === "rule") return { revision: before["revision"] };
	if (kind === "policy" && turn !== undefined) return { turn };
	return { ref: before["ref"] };
}

/** Reads the turns of changed policies just before the write. Executions advance them often, so a turn from the draft would be stale. */
async function readTurns(storage: Storage, changes: readonly KindChanges[]): Promise<ReadonlyMap<string, number>> {
	const ids = changes.flatMap(({ kind, changed }) => (kind === "policy" ? changed.map(({ id }) => id) : []));
	const found = ids.length === 0 ? [] : await storage.find("policy", { where: { id: { in: ids } }, fields: ["turn"] });
	return new Map(found.map(({ id, turn }) => [id, turn]));
}

/** Returns operations that make the write fail if a pack that the draft removes has been registered or removed since. */
function toPackGuards(draft: PackDraft, { kind, gone }: KindChanges): WriteOperation[] {
	if (kind !== "pack") return [];
	return gone.map((id) => ({ update: "pack", id, patch: {}, expected: { registration: draft.before("pack", id)?.registration ?? null } }));
}

/**
 * Returns operations that lock the existing triggers of new or changed rules. Otherwise a concurrent write could remove these triggers as
 * unused.
 */
function toTriggerGuards(draft: PackDraft, { kind, added, changed }: KindChanges): WriteOperation[] {
	if (kind !== "rule") return [];
	const needed = new Set([...added, ...changed.map(({ after }) => after)].map((rule) => (rule as EntityMap["rule"]).trigger));
	const known = draft.allBefore("trigger").filter(({ ref }) => needed.has(ref));
	return known.map(({ id, ref, type }) => ({ update: "trigger", id, patch: { type }, expected: { ref } }));
}

function toRemovals({ kind, gone, changed }: KindChanges): WriteOperation[] {
	const ids = [...gone, ...(isReplaced(kind) ? changed.map(({ id }) => id) : [])];
	return ids.length === 0 ? [] : [{ remove: kind, where: { id: { in: ids } } } as WriteOperation];
}

function toInsertions({ kind, added, changed }: KindChanges): WriteOperation[] {
	const entities = [...added, ...(isReplaced(kind) ? changed.map(({ after }) => after) : [])];
	return entities.length === 0 ? [] : [{ insert: kind, entities } as WriteOperation];
}

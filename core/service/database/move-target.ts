import { type DutyEntity, type EntityKind, type Storage, SvcError } from "../../contract/index.ts";
import { createSystemClock, toTimestamp } from "../../kernel/basics/clock.ts";
import { insertOnce } from "../../kernel/basics/insert-if-absent.ts";
import { targetDuty } from "../../kernel/nodes/database-move.ts";

/** `SVC_CONFLICT` when a node works on the database. One that a single process can use is locked by its storage. */
export async function assertUnused(storage: Storage, role: "source" | "target"): Promise<void> {
	const where = { expires_at: { gt: toTimestamp(createSystemClock().now()) } };
	const [node] = await storage.find("node", { where, limit: 1 });
	if (node === undefined) return;
	const message = `the ${role} is in use by node "${node.name}" (${node.hostname}, pid ${node.pid}); stop the service on every node first`;
	throw new SvcError("SVC_CONFLICT", message);
}

/**
 * The record that the database is the target of this move: it is empty, or an earlier attempt of the same move has begun to fill it.
 * `SVC_CONFLICT` for any other.
 */
export async function claimTarget(target: Storage, id: string, kinds: readonly EntityKind[]): Promise<DutyEntity> {
	const known = await read(target);
	if (known === undefined) {
		await assertEmpty(target, kinds);
		const fresh = { id, name: targetDuty, owner: null, fence: null, lease_expires_at: null, done_at: null };
		// Of two moves that begin at the same moment one is told below that it is not its target.
		await insertOnce(() => target.insert("duty", [fresh]));
	}
	const claimed = known ?? (await read(target));
	if (claimed?.id !== id) throw new SvcError("SVC_CONFLICT", "another database is being moved to the target; use an empty one");
	if (claimed.done_at !== null) {
		throw new SvcError("SVC_CONFLICT", `the database was moved to the target at ${claimed.done_at} already; nothing was copied`);
	}
	return claimed;
}

/** Everything is there: services may use it. */
export async function finishTarget(target: Storage, { id }: DutyEntity, timestamp: string): Promise<void> {
	await target.update("duty", id, { done_at: timestamp });
}

async function read(target: Storage): Promise<DutyEntity | undefined> {
	const [record] = await target.find("duty", { where: { name: targetDuty }, limit: 1 });
	return record;
}

async function assertEmpty(target: Storage, kinds: readonly EntityKind[]): Promise<void> {
	const held: string[] = [];
	for (const kind of kinds) {
		const count = await target.count(kind, {});
		if (count > 0) held.push(`${kind} ${count}`);
	}
	if (held.length > 0) throw new SvcError("SVC_CONFLICT", `the target is not empty, use one that is; it holds ${held.join(", ")}`);
}

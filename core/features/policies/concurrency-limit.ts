import type { ExecutionEntity, PolicyEntity, Storage } from "../../contract/index.ts";
import { heldStatuses } from "../../kernel/executions/status.ts";
import type { AttributeKeys } from "./attribute-keys.ts";

/** How many more executions of an action its policies let start. */
export interface Room {
	/** Get ready to be asked about these executions. */
	prepare(ids: readonly string[]): Promise<void>;
	/** The policies in the way of this one. */
	inTheWay(id: string): readonly PolicyEntity[];
	/** It counts as started from here on. */
	take(id: string): void;
	/** Whether no execution at all may start, whichever it is. */
	isClosed(): boolean;
}

/** The room that one policy leaves. */
interface Limit {
	readonly policy: PolicyEntity;
	/** Names of parameters; undefined: all executions of the action count together. */
	readonly attributes: readonly string[] | undefined;
	/** Active executions by key. */
	readonly active: Map<string, number>;
	readonly keys: Map<string, string>;
}

const together = "";

/** Count what is active. `policies` are the concurrency policies of the action, read before: whoever starts one meanwhile moves their turn. */
export async function measureRoom(
	parts: { readonly storage: Storage; readonly attributeKeys: AttributeKeys },
	actionRef: string,
	policies: readonly PolicyEntity[],
): Promise<Room> {
	const limits = policies.map(toLimit);
	const active = await readActive(parts.storage, actionRef);
	await prepare(active);
	for (const limit of limits) for (const id of active) add(limit, id);

	async function prepare(ids: readonly string[]): Promise<void> {
		for (const { attributes, keys } of limits) {
			if (attributes === undefined) continue;
			for (const [id, key] of await parts.attributeKeys.keysOf(ids, attributes)) keys.set(id, key);
		}
	}

	return {
		prepare,
		inTheWay: (id) => limits.filter((limit) => countOf(limit, keyOf(limit, id)) >= thresholdOf(limit)).map(({ policy }) => policy),
		take(id) {
			for (const limit of limits) add(limit, id);
		},
		isClosed: () =>
			limits.some(
				(limit) => thresholdOf(limit) === 0 || (limit.attributes === undefined && countOf(limit, together) >= thresholdOf(limit)),
			),
	};
}

/**
 * Ids of the executions of the action that somebody holds. All that are held are looked at: they are few, and found by their
 * leases, while the executions of an action may be millions.
 */
async function readActive(storage: Storage, actionRef: string): Promise<string[]> {
	const where = { status: { in: heldStatuses }, lease_expires_at: { gt: "" } };
	const held: Pick<ExecutionEntity, "id" | "action_ref">[] = await storage.find("execution", { where, fields: ["action_ref"] });
	return held.filter(({ action_ref }) => action_ref === actionRef).map(({ id }) => id);
}

function toLimit(policy: PolicyEntity): Limit {
	const { attributes } = policy.parameters as { readonly attributes?: readonly string[] };
	return { policy, attributes, active: new Map(), keys: new Map() };
}

function thresholdOf({ policy }: Limit): number {
	return Number(policy.parameters["threshold"]);
}

function keyOf({ attributes, keys }: Limit, id: string): string {
	return attributes === undefined ? together : (keys.get(id) ?? together);
}

function countOf({ active }: Limit, key: string): number {
	return active.get(key) ?? 0;
}

function add(limit: Limit, id: string): void {
	const key = keyOf(limit, id);
	limit.active.set(key, countOf(limit, key) + 1);
}

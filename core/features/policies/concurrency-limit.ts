import type { ExecutionEntity, PolicyEntity, Storage } from "../../contract/index.ts";
import { heldStatuses } from "../../kernel/executions/status.ts";
import type { AttributeKeys } from "./attribute-keys.ts";

/** Remaining capacity: the executions of an action that its policies still allow to start. */
export interface RemainingCapacity {
	/** Reads the attribute keys of these executions. Call it before `inTheWay` and `take`. */
	prepare(ids: readonly string[]): Promise<void>;
	/** Returns the policies that prevent the execution from starting. */
	inTheWay(id: string): readonly PolicyEntity[];
	/** Counts the execution as started from now on. */
	take(id: string): void;
	/** Returns true if no execution may start, regardless of its parameters. */
	isClosed(): boolean;
}

/** Remaining capacity of one policy. */
interface Limit {
	readonly policy: PolicyEntity;
	/** Names of the compared parameters; undefined if all executions of the action are counted together. */
	readonly attributes: readonly string[] | undefined;
	/** Number of active executions by key. */
	readonly active: Map<string, number>;
	readonly keys: Map<string, string>;
}

const together = "";

/**
 * Counts the active executions and returns the remaining capacity. `policies` are the concurrency policies of the action. Read them before
 * this call: a node that starts an execution in the meantime increments their `turn`, so that the caller's own start fails.
 */
export async function measureRemainingCapacity(
	parts: { readonly storage: Storage; readonly attributeKeys: AttributeKeys },
	actionRef: string,
	policies: readonly PolicyEntity[],
): Promise<RemainingCapacity> {
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
 * Returns the ids of the executions of the action that have a lease. Reads all executions with a lease: they are few and have an index,
 * while an action may have millions of executions.
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

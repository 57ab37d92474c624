import type { ExecutionEntity, JsonObject, Storage } from "../../contract/index.ts";
import type { Outcome } from "./outcome.ts";

/** Most changes of state in a row while no execution below starts or ends. */
export const maxIdleStateChanges = 500;

/**
 * True if the last `maxIdleStateChanges` changes of state brought no progress: no execution below, at any depth, has started or ended since.
 * Nothing is read before an execution has changed its state that often.
 */
export async function isStalled(storage: Pick<Storage, "find">, { id, log }: Pick<ExecutionEntity, "id" | "log">): Promise<boolean> {
	const since = log.length > maxIdleStateChanges ? log.at(-maxIdleStateChanges)?.timestamp : undefined;
	return since !== undefined && !(await hasProgressBelow(storage, id, since));
}

/** Returns the outcome of a run that has stalled. */
export function toStalled({ result }: { readonly result: JsonObject }): Outcome {
	const error =
		`the execution was stopped: it has changed its state ${maxIdleStateChanges} times without any progress of its run, ` +
		"as no execution below it has started or ended meanwhile";
	return { status: "failed", result: { ...result, failed: true, succeeded: false, error } };
}

async function hasProgressBelow(storage: Pick<Storage, "find">, id: string, since: string): Promise<boolean> {
	for (const field of ["start_timestamp", "end_timestamp"] as const) {
		const [child] = await storage.find("execution", { where: { parent_id: id, [field]: { gte: since } }, limit: 1, fields: ["id"] });
		if (child !== undefined) return true;
	}
	const open = await storage.find("execution", { where: { parent_id: id, end_timestamp: null }, fields: ["id"] });
	for (const child of open) if (await hasProgressBelow(storage, child.id, since)) return true;
	return false;
}

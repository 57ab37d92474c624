import type { OutputChunkEntity } from "../../contract/index.ts";
import { isCompleted } from "../../kernel/executions/status.ts";
import { type RemovalPass, type RemovalRange, removeExpired } from "../../kernel/expiry/removal.ts";

/** Removes stored output of executions that ended before the limit, and of executions that were removed. The executions stay. */
export function removeOutput(removal: RemovalPass, range: RemovalRange): Promise<string | undefined> {
	const { storage, pace } = removal;

	/** Returns the ids of those executions that keep their output. */
	async function findKept(chunks: readonly OutputChunkEntity[]): Promise<ReadonlySet<string>> {
		const ids = [...new Set(chunks.map(({ execution_id }) => execution_id))];
		const executions = await pace.run(() =>
			storage.find("execution", { where: { id: { in: ids } }, fields: ["id", "status", "end_timestamp"] }),
		);
		const kept = executions.filter(({ status, end_timestamp: end }) => !isCompleted(status) || end === null || end >= range.before);
		return new Set(kept.map(({ id }) => id));
	}

	return removeExpired(removal, { kind: "output_chunk", timeField: "timestamp", fields: ["execution_id"], ...range }, async (page) => {
		const kept = await findKept(page);
		return page.filter(({ execution_id }) => !kept.has(execution_id));
	});
}

import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { client, session } from "../kit/service.ts";

/** Executions per request. The service accepts at most 100 ids. */
const batchSize = 50;

/** Reads attributes of executions by their ids. Returns an empty map if the user may not list executions. */
export async function readExecutions(
	ids: readonly string[],
	attributes: string,
	signal: AbortSignal,
): Promise<ReadonlyMap<string, ExecutionRecord>> {
	const runs = new Map<string, ExecutionRecord>();
	if (!session.may("execution_list")) return runs;
	const limit = session.toLimit(batchSize);
	for (let first = 0; first < ids.length; first += limit) {
		const id = ids.slice(first, first + limit).join();
		const { items } = await client.executions.list({ id, limit, include_attributes: attributes }, { signal });
		for (const run of items) runs.set(run.id, run);
	}
	return runs;
}

import type { RerunRequest } from "../../../_shipped/client.ts";
import { attempt } from "../kit/notices.ts";
import { client } from "../kit/service.ts";
import { toRunHref } from "../runs/run-address.ts";

/** Runs an execution again with these changes and opens a view of the new execution. Returns true on success. */
export async function runAgain(id: string, request: RerunRequest = {}, view?: string): Promise<boolean> {
	return attempt(async () => {
		const run = await client.executions.rerun(id, request);
		location.hash = toRunHref(run.id, view);
		return run;
	}, "It runs again");
}

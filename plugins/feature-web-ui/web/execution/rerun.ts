import type { RerunRequest } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { attempt } from "../kit/notices.ts";
import { client } from "../kit/service.ts";
import * as texts from "../texts/execution.ts";

/** Runs an execution again with these changes and opens a view of the new execution. Returns true on success. */
export async function rerun(id: string, request: RerunRequest = {}, view?: string): Promise<boolean> {
	return attempt(async () => {
		const run = await client.executions.rerun(id, request);
		location.hash = toExecutionHref(run.id, view);
		return run;
	}, texts.startedAgain);
}

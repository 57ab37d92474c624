import type { RerunRequest } from "../../features/clients.ts";
import { attempt } from "../kit/notices.ts";
import { client } from "../kit/service.ts";
import { toRunHref } from "../runs/run-address.ts";

/** Start it anew with these changes, and go there, to a view of it. */
export async function runAgain(id: string, request: RerunRequest = {}, view?: string): Promise<boolean> {
	return attempt(async () => {
		const run = await client.executions.rerun(id, request);
		location.hash = toRunHref(run.id, view);
		return run;
	}, "It runs again");
}

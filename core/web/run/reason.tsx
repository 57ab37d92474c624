import { toSeenLines } from "../../contract/unseen-text.ts";
import type { ExecutionRecord } from "../../features/clients.ts";

/** What the runner says of a failure. */
export function Reason({ run }: { readonly run: ExecutionRecord }) {
	const error = run.result?.["error"];
	if (typeof error !== "string" || error === "") return null;
	return <p class="bad-text reason">{toSeenLines(error.slice(0, 1_000))}</p>;
}

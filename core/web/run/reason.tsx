import { escapeControlCharactersInLines } from "../../contract/control-characters.ts";
import type { ExecutionRecord } from "../../features/clients.ts";

/** Shows the error message with which the runner explains a failure. */
export function RunError({ run }: { readonly run: ExecutionRecord }) {
	const error = run.result?.["error"];
	if (typeof error !== "string" || error === "") return null;
	return <p class="bad-text reason">{escapeControlCharactersInLines(error.slice(0, 1_000))}</p>;
}

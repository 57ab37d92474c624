import { type ExecutionRecord, escapeControlCharactersInLines } from "../../../_shipped/client.ts";

/** Shows the error message with which the runner explains a failure. */
export function ExecutionError({ run }: { readonly run: ExecutionRecord }) {
	const error = run.result?.["error"];
	if (typeof error !== "string" || error === "") return null;
	return <p class="bad-text reason">{escapeControlCharactersInLines(error.slice(0, 1_000))}</p>;
}

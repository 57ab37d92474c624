import { isSvcError, SvcError } from "../../core/contract/index.ts";

/** What went wrong with a request, in words that name its host and hold nothing else of it. */
export function toRequestFailure(error: unknown, url: URL): SvcError {
	const cause = innermost(error);
	if (isSvcError(cause)) return cause;
	return new SvcError("SVC_RUNNER", `request to ${url.protocol}//${url.host} failed: ${describe(cause)}`, { cause: error });
}

/** A name with several addresses fails with an error for each, and no text of its own. */
function innermost(error: unknown): unknown {
	if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
	if (error instanceof Error && isSvcError(error.cause)) return error.cause;
	return error;
}

function describe(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const code = "code" in error && typeof error.code === "string" && !error.message.includes(error.code) ? ` (${error.code})` : "";
	return `${error.message || error.name}${code}`;
}

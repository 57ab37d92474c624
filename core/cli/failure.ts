import { isSvcError, type SvcErrorCode, toErrorMessage } from "../contract/index.ts";
import { CliExit } from "./context.ts";

/**
 * Exit code and text for whatever ended the command. The text says what to do next where that is known. `words` are those of
 * the command, such as `rule` and `create`.
 */
export function toFailure(error: unknown, words: readonly string[] = []): { readonly exitCode: number; readonly text: string } {
	if (error instanceof CliExit) return { exitCode: error.exitCode, text: error.message === "" ? "" : `ERROR: ${error.message}\n` };
	const hint = hintFor(error);
	return { exitCode: isRefusedChange(error, words) ? 2 : 1, text: `ERROR: ${toErrorMessage(error)}\n${hint === "" ? "" : `${hint}\n`}` };
}

/** What the service says no to, rather than not being able to. */
const refusals: readonly SvcErrorCode[] = [
	"SVC_INVALID",
	"SVC_FORBIDDEN",
	"SVC_NOT_FOUND",
	"SVC_CONFLICT",
	"SVC_TOO_LARGE",
	"SVC_UNSUPPORTED",
];

/** Whether the service has refused to make or change a record, or something about packs or API keys. */
function isRefusedChange(error: unknown, words: readonly string[]): boolean {
	const isChange = words.some((word) => ["create", "update", "delete", "pack", "apikey"].includes(word));
	return isChange && refusals.some((code) => isSvcError(error, code));
}

function hintFor(error: unknown): string {
	if (isSvcError(error, "SVC_UNAVAILABLE") && "address" in error.facts) {
		return "Is the service running? Start it with `svc serve`, or say where it is with --api-url or SVC_API_URL.";
	}
	if (isSvcError(error, "SVC_UNAUTHORIZED")) return "Sign in with `svc login <user>`, or give --token or SVC_AUTH_TOKEN.";
	if (isSvcError(error, "SVC_TOO_MANY")) return `Try again in ${String(error.facts["retry_after"] ?? "a few")} seconds.`;
	return "";
}

/** Turn "not found" of one record into exit code 2 with the way to find the right name. */
export async function orNotFound<T>(promise: Promise<T>, kind: string, name: string, listCommand: string): Promise<T> {
	try {
		return await promise;
	} catch (error) {
		if (isSvcError(error, "SVC_NOT_FOUND")) throw new CliExit(2, `${kind} "${name}" is not found; \`${listCommand}\` shows what there is`);
		throw error;
	}
}

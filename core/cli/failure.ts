import { isSvcError, type SvcErrorCode, toErrorMessage } from "../contract/index.ts";
import { type CommandFeature, isMissingRoute } from "./commands/command-feature.ts";
import { CliExit } from "./context.ts";

/** The command that failed. */
export interface FailedCommand {
	/** Words of the command, such as `rule` and `create`. */
	readonly words?: readonly string[];
	/** Feature whose routes the command calls. Undefined: those that every service has. */
	readonly feature?: CommandFeature | undefined;
}

/**
 * Returns the exit code and the message for an error that ended the command. The message begins with `error:`, as that of a usage error, and
 * names the next step if there is one.
 */
export function toFailure(
	error: unknown,
	{ words = [], feature }: FailedCommand = {},
): { readonly exitCode: number; readonly text: string } {
	if (feature !== undefined && isMissingRoute(error))
		return { exitCode: 2, text: `error: ${toMissingFeature(feature)} (${error.message})\n` };
	if (error instanceof CliExit) return { exitCode: error.exitCode, text: error.message === "" ? "" : `error: ${error.message}\n` };
	const hint = hintFor(error);
	return { exitCode: isRefusedChange(error, words) ? 2 : 1, text: `error: ${toReason(error)}\n${hint === "" ? "" : `${hint}\n`}` };
}

function toMissingFeature({ name, add }: CommandFeature): string {
	return `this service does not have the feature "${name}"; add ${add} to "features" in its configuration`;
}

/** Returns the message of an error, without the word with which the service begins the message of each status 401. */
export function toReason(error: unknown): string {
	return toErrorMessage(error).replace(/^Unauthorized - /, "");
}

/** Returns the message for a sign-in that the service refused. */
export function toRefusedSignIn(username: string, error: unknown): string {
	const reason = toReason(error);
	return `cannot sign in "${username}": ${reason === "invalid or missing credentials" ? "the user name or the password is wrong" : reason}`;
}

/** Codes of requests that the service refuses, as opposed to those that it cannot answer. */
const refusals: readonly SvcErrorCode[] = [
	"SVC_INVALID",
	"SVC_FORBIDDEN",
	"SVC_NOT_FOUND",
	"SVC_CONFLICT",
	"SVC_TOO_LARGE",
	"SVC_UNSUPPORTED",
];

/** Returns true if the service refused to create or change a record, or a request about packs or API keys. */
function isRefusedChange(error: unknown, words: readonly string[]): boolean {
	const isChange = words.some((word) => ["create", "update", "delete", "pack", "apikey"].includes(word));
	return isChange && refusals.some((code) => isSvcError(error, code));
}

function hintFor(error: unknown): string {
	if (isSvcError(error, "SVC_UNAVAILABLE") && "address" in error.facts) {
		const problem = findTlsProblem(error);
		if (problem !== undefined) return problem;
		return "Is the service running? Start it with `svc serve`, or set its address with --api-url or SVC_API_URL.";
	}
	if (isSvcError(error, "SVC_UNAUTHORIZED")) return "Sign in with `svc login <user>`, or set --token or SVC_AUTH_TOKEN.";
	if (isSvcError(error, "SVC_TOO_MANY")) return `Try again in ${String(error.facts["retry_after"] ?? "a few")} seconds.`;
	return "";
}

const untrusted = "If the certificate is signed by your own authority, name its file with --ca or SVC_CACERT.";

/** Remedies for failures of TLS, by the codes of OpenSSL and Node.js. */
const tlsProblems: ReadonlyMap<unknown, string> = new Map([
	["SELF_SIGNED_CERT_IN_CHAIN", untrusted],
	["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted],
	["UNABLE_TO_GET_ISSUER_CERT", untrusted],
	["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", untrusted],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted],
	["CERT_HAS_EXPIRED", "The certificate of the service has expired: renew it."],
	["ERR_TLS_CERT_ALTNAME_INVALID", "The certificate is for another name: use an address whose name it contains."],
	["ERR_SSL_WRONG_VERSION_NUMBER", "The service does not use HTTPS at this address: begin it with http://."],
	["ERR_SSL_PACKET_LENGTH_TOO_LONG", "The service does not use HTTPS at this address: begin it with http://."],
]);

/** Returns the remedy for a failure of TLS among the causes of an error. Returns undefined if there is none. */
function findTlsProblem(error: unknown): string | undefined {
	if (!(error instanceof Error)) return undefined;
	const problem = tlsProblems.get("code" in error ? error.code : undefined);
	return problem ?? findTlsProblem(error instanceof AggregateError ? error.errors[0] : error.cause);
}

/** Turns `SVC_NOT_FOUND` into exit code 2 and a message that names the command to list the records. */
export async function orNotFound<T>(promise: Promise<T>, noun: string, name: string, listCommand: string): Promise<T> {
	try {
		return await promise;
	} catch (error) {
		if (isSvcError(error, "SVC_NOT_FOUND") && !isMissingRoute(error))
			throw new CliExit(2, `${noun} "${name}" is not found; \`${listCommand}\` lists the existing ones`);
		throw error;
	}
}

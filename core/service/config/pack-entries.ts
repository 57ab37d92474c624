import { type GitPack, type JsonObject, toErrorMessage } from "../../contract/index.ts";
import { toSourceText } from "../../features/packs/followed-source-exports.ts";
import { findUrlProblem, hookParametersSchema } from "../../features/webhooks/hook-parameters-exports.ts";
import { assertMatchesSchema } from "../../kernel/events/payload-schema.ts";
import { describeKind, describeValue, isRecord } from "./describe-value.ts";

const members = ["git", "revision", "subdirectory", "interval", "webhook"];
const expected = `a directory, or { ${members.join(", ")} } with an interval of at least 5 seconds`;

/** Returns the problems in `packs` of a configuration, a list of directories and of git repositories to follow. */
export function findPacksProblems(packs: unknown): readonly string[] {
	if (packs === undefined) return [];
	if (!Array.isArray(packs)) return [`packs: expected an array of directories, got ${describeValue(packs)}`];
	const seen = new Map<string, number>();
	return packs.flatMap((pack: unknown, index) => {
		const place = `packs[${index}]`;
		if (isPath(pack)) return [];
		// Only the type is shown: an address may contain a password.
		if (!isGitPack(pack)) return [`${place}: expected ${expected}, got ${describeKind(pack)}`];
		const problem = findWebhookProblem(pack);
		if (problem !== undefined) return [`${place}.${problem}`];
		const { revision: _, ...where } = pack;
		const first = seen.get(toSourceText(where));
		if (first !== undefined) return [`${place}: same directory and repository as packs[${first}]`];
		seen.set(toSourceText(where), index);
		return [];
	});
}

/** Returns true if the value is a string that may be a path. */
export function isPath(value: unknown): value is string {
	return typeof value === "string" && value !== "" && !value.includes("\0");
}

function isGitPack(value: unknown): value is GitPack {
	if (!isRecord(value)) return false;
	const { git, revision, subdirectory, interval, webhook } = value;
	const isText = (text: unknown) => text === undefined || isPath(text);
	const isInterval = interval === undefined || (typeof interval === "number" && interval >= 5 && interval <= 86_400);
	const isKnown = Object.keys(value).every((name) => members.includes(name));
	return isPath(git) && isText(revision) && isText(subdirectory) && isInterval && isKnown && (webhook === undefined || isRecord(webhook));
}

/**
 * Returns the problem of a webhook, or undefined. The rules for webhook triggers apply, and a signature is required. Without one, any
 * client that can post to the webhook could make the service poll the repository.
 */
function findWebhookProblem({ webhook }: GitPack): string | undefined {
	if (webhook === undefined) return undefined;
	if (webhook.signature === undefined)
		return 'webhook: a signature is required; hint: webhook: { url: "…", signature: { scheme: "github", secret_keys: ["…"] } }';
	try {
		assertMatchesSchema(hookParametersSchema, webhook as unknown as JsonObject, "webhook");
		const problem = findUrlProblem(String(webhook.url));
		return problem === undefined ? undefined : `webhook.url: ${problem}`;
	} catch (error) {
		return toErrorMessage(error);
	}
}

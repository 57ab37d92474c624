import { mayNot } from "./callers.ts";
import { DeclaredJudge } from "./declared.ts";
import type { FuzzRequest } from "./make-request.ts";
import type { Answer } from "./send.ts";

export type ProblemKind =
	| "error"
	| "unanswered"
	| "not-json"
	| "inside"
	| "secret"
	| "undeclared"
	| "open-door"
	| "stall"
	| "crash"
	| "hang"
	| "log"
	| "restart"
	| "handles"
	| "stray";

/** What must not be. */
export interface Problem {
	readonly kind: ProblemKind;
	readonly detail: string;
}

const declared = new DeclaredJudge();

/** Paths whose answers are texts, files or events. */
const plain = /\/(?:output|result|stream|docs|views\/entry_point\/[^/]*)\/?(?:\?|$)/;

/** What is wrong with an answer, by itself. */
export function judge(request: FuzzRequest, answer: Answer, secrets: readonly string[]): Problem | undefined {
	const { status, text, error } = answer;
	if (status === undefined) {
		// A connection that is closed while a body is on its way is how a body that is too long is refused.
		return /no answer in/.test(error ?? "") ? { kind: "unanswered", detail: error ?? "" } : undefined;
	}
	const shown = `${status} ${text.slice(0, 400)}`;
	if (status >= 500 && !(status === 503 && request.path.includes("/health/ready"))) return { kind: "error", detail: shown };
	if (status < 400 && status >= 200 && mayNot(request)) return { kind: "open-door", detail: shown };
	const secret = showsSecrets(request) ? undefined : secrets.find((word) => text.includes(word));
	if (secret !== undefined) return { kind: "secret", detail: `${status}: the answer holds ${secret}` };
	return judgeText(request, answer) ?? declared.judge(request, answer);
}

function judgeText({ path, method }: FuzzRequest, { status = 0, type, text }: Answer): Problem | undefined {
	if (method === "HEAD" || method === "OPTIONS" || text === "") return undefined;
	const shown = `${status} ${type}: ${text.slice(0, 400)}`;
	const value = parse(text);
	if (status >= 400) {
		const fault = (value as { readonly faultstring?: unknown } | undefined)?.faultstring;
		if (typeof fault !== "string" || fault === "") return { kind: "not-json", detail: shown };
		if (/native code|\bat .*\.[jt]s:\d|node_modules/.test(fault)) return { kind: "inside", detail: shown };
		return undefined;
	}
	return value === undefined && !plain.test(path) ? { kind: "not-json", detail: shown } : undefined;
}

/** An administrator who asks for secrets gets them. */
function showsSecrets({ caller, path }: FuzzRequest): boolean {
	return caller === "admin" && /show_secrets|decrypt/.test(path);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

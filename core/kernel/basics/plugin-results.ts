import {
	type BusEvent,
	type EndedSignIn,
	type Identity,
	type OutputType,
	type RunResult,
	SvcError,
	stringifyJson,
	toErrorMessage,
} from "../../contract/index.ts";

/** Deepest value that is recorded: whoever reads it walks it, and a deeper one would take all of the stack. */
const maximumDepth = 500;

/**
 * Refuse what a runner gives and nobody could store or read, with `SVC_RUNNER` that says what of it: a run whose end cannot be
 * recorded would count as abandoned, although it is known what became of it.
 */
export function assertRecordable(value: unknown, what: string): void {
	const problem = findProblem(value);
	if (problem !== undefined) throw new SvcError("SVC_RUNNER", `${what} cannot be recorded: ${problem}`);
}

function findProblem(value: unknown): string | undefined {
	if (isDeep(value)) return `it is nested deeper than ${maximumDepth} levels`;
	try {
		// What has no JSON at all, such as a function, is left out by it.
		stringifyJson(value);
		return undefined;
	} catch (error) {
		return `it is no JSON (${toErrorMessage(error).split("\n", 1)[0] ?? ""})`;
	}
}

/** Goes level by level, so that no depth can end it, and to each container once, as they may hold one another. */
function isDeep(value: unknown): boolean {
	const seen = new Set<object>();
	let level: readonly unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		const next: unknown[] = [];
		for (const container of level) {
			if (typeof container !== "object" || container === null || seen.has(container)) continue;
			if (depth >= maximumDepth) return true;
			seen.add(container);
			for (const member of Object.values(container) as unknown[]) if (typeof member === "object" && member !== null) next.push(member);
		}
		level = next;
	}
	return false;
}

// What plugins answer while they work. TypeScript tells its users what must come; this is for plain JavaScript.

const outputTypes: readonly unknown[] = ["stdout", "stderr", "other"] satisfies readonly OutputType[];

/** The result of a run. `SVC_RUNNER` names the runner and what is expected. */
export function toRunResult(answer: unknown, runner: string): RunResult {
	const { succeeded, result } = (typeof answer === "object" && answer !== null ? answer : {}) as Partial<Record<keyof RunResult, unknown>>;
	if (typeof succeeded === "boolean" && typeof result === "object" && result !== null && !Array.isArray(result)) return answer as RunResult;
	const wrong = typeof succeeded === "boolean" ? "without an object result" : "without succeeded: true or false";
	throw new SvcError("SVC_RUNNER", `runner "${runner}" has resolved ${wrong}; hint: return { succeeded: true, result: {} }`);
}

/** `SVC_RUNNER` for output that is no text, and on a channel that does not exist. */
export function assertOutput(type: unknown, data: unknown): void {
	if (typeof data !== "string")
		throw new SvcError("SVC_RUNNER", `emit: output must be a text, not ${data === null ? "null" : typeof data}`);
	if (outputTypes.includes(type)) return;
	throw new SvcError("SVC_RUNNER", `emit: there is no output type ${JSON.stringify(type)}; hint: one of ${outputTypes.join(", ")}`);
}

/** Who somebody is. `SVC_UNAVAILABLE` for an answer that is neither an identity nor undefined: it must never count as a sign-in. */
export function toIdentity(answer: unknown): Identity | undefined {
	if (answer === undefined) return undefined;
	const username: unknown = typeof answer === "object" && answer !== null && "username" in answer ? answer.username : undefined;
	if (typeof username === "string" && username !== "") return answer as Identity;
	const given = typeof answer === "boolean" ? String(answer) : "something that is no identity";
	throw new SvcError(
		"SVC_UNAVAILABLE",
		`auth.backend: the auth backend has answered with ${given}; hint: return { username } when the password is right, and undefined when not`,
	);
}

/** What has ended. `SVC_UNAVAILABLE` for an answer that names nothing that could: it must not be told as done. */
export function toEndedSignIn(answer: unknown): EndedSignIn | undefined {
	if (answer === undefined) return undefined;
	const { id, subject, session } = (typeof answer === "object" && answer !== null ? answer : {}) as Partial<
		Record<keyof EndedSignIn, unknown>
	>;
	const named = [subject, session].filter((each) => each !== undefined);
	if (named.length > 0 && [id, ...named].every((each) => typeof each === "string" && each !== "")) return answer as EndedSignIn;
	throw new SvcError(
		"SVC_UNAVAILABLE",
		"auth.backend: the auth backend has answered with something that is no ended sign-in; hint: return { id, subject, session } with one of the last two at least, and undefined for no",
	);
}

/** The events of a subscription. `SVC_CONFIG` for a bus whose subscriptions cannot be waited for or read. */
export async function toSubscription(answer: unknown): Promise<AsyncIterable<BusEvent>> {
	const hint = "hint: async subscribe(names, { signal }) { return events; }";
	if (!hasMember(answer, "then")) {
		throw new SvcError("SVC_CONFIG", `event_bus: subscribe gives no promise, so that nobody knows when it is active; ${hint}`);
	}
	const events: unknown = await answer;
	if (hasMember(events, Symbol.asyncIterator)) return events as AsyncIterable<BusEvent>;
	throw new SvcError("SVC_CONFIG", `event_bus: subscribe resolves with nothing that events can be read from; ${hint}`);
}

function hasMember(value: unknown, name: PropertyKey): boolean {
	return typeof value === "object" && value !== null && typeof (value as Record<PropertyKey, unknown>)[name] === "function";
}

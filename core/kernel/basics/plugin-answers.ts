import { type BusEvent, type EndedSignIn, type Identity, type OutputType, type RunResult, SvcError } from "../../contract/index.ts";

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

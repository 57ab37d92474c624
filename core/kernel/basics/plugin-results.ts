import {
	type BusEvent,
	type Identity,
	type OutputType,
	type RunResult,
	type SignOutStatement,
	SvcError,
	stringifyJson,
	toErrorMessage,
} from "../../contract/index.ts";

/** Maximum nesting depth of a stored value. Code that reads values is recursive, and a deeper value would overflow its stack. */
const maxDepth = 500;

/**
 * Throws `SVC_RUNNER` if a value from a runner cannot be stored as JSON or is too deep to be read. Without this check the end of the run
 * could not be stored. The run would then count as abandoned, although its outcome is known. `what` names the value in the error.
 */
export function assertRecordable(value: unknown, what: string): void {
	const problem = findProblem(value);
	if (problem !== undefined) throw new SvcError("SVC_RUNNER", `${what} cannot be recorded: ${problem}`);
}

function findProblem(value: unknown): string | undefined {
	if (isDeep(value)) return `it is nested deeper than ${maxDepth} levels`;
	try {
		// Members without a JSON form, such as functions, are omitted without an error.
		stringifyJson(value);
		return undefined;
	} catch (error) {
		return `it cannot be written as JSON (${toErrorMessage(error).split("\n", 1)[0] ?? ""})`;
	}
}

/**
 * Returns true if a value is nested too deeply. Visits the value level by level, so that no depth overflows the stack. Visits each
 * container once, because containers may contain one another.
 */
function isDeep(value: unknown): boolean {
	const seen = new Set<object>();
	let level: readonly unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		const next: unknown[] = [];
		for (const container of level) {
			if (typeof container !== "object" || container === null || seen.has(container)) continue;
			if (depth >= maxDepth) return true;
			seen.add(container);
			for (const member of Object.values(container) as unknown[]) if (typeof member === "object" && member !== null) next.push(member);
		}
		level = next;
	}
	return false;
}

// Checks of values that plugins return at run time. The compiler checks plugins in TypeScript; those in plain JavaScript need these checks.

const outputTypes: readonly unknown[] = ["stdout", "stderr", "other"] satisfies readonly OutputType[];

/** Returns the result of a run. Throws `SVC_RUNNER`, which names the runner and the expected form, for any other value. */
export function toRunResult(answer: unknown, runner: string): RunResult {
	const { succeeded, result } = (typeof answer === "object" && answer !== null ? answer : {}) as Partial<Record<keyof RunResult, unknown>>;
	if (typeof succeeded === "boolean" && typeof result === "object" && result !== null && !Array.isArray(result)) return answer as RunResult;
	const wrong = typeof succeeded === "boolean" ? 'without an object as "result"' : 'without "succeeded": true or false';
	throw new SvcError("SVC_RUNNER", `runner "${runner}" resolved ${wrong}; hint: return { succeeded: true, result: {} }`);
}

/** Throws `SVC_RUNNER` if output is not a string, or if its type does not exist. */
export function assertEmittedOutput(type: unknown, data: unknown): void {
	if (typeof data !== "string")
		throw new SvcError("SVC_RUNNER", `emit: output must be a string, not ${data === null ? "null" : typeof data}`);
	if (outputTypes.includes(type)) return;
	throw new SvcError("SVC_RUNNER", `emit: unknown output type ${JSON.stringify(type)}; hint: use one of ${outputTypes.join(", ")}`);
}

/**
 * Returns the identity from an auth backend; undefined if the sign-in was refused. Throws `SVC_UNAVAILABLE` for any other value, which must
 * never count as a sign-in.
 */
export function toIdentity(answer: unknown): Identity | undefined {
	if (answer === undefined) return undefined;
	const username: unknown = typeof answer === "object" && answer !== null && "username" in answer ? answer.username : undefined;
	if (typeof username === "string" && username !== "") return answer as Identity;
	const description = typeof answer === "boolean" ? String(answer) : "a value that is not an identity";
	throw new SvcError(
		"SVC_UNAVAILABLE",
		`auth.backend: authenticate of the auth backend returned ${description}; hint: return { username } if the password is correct, otherwise undefined`,
	);
}

/**
 * Returns the sign-in that an auth backend reports as ended; undefined if it reports none. Throws `SVC_UNAVAILABLE` for a value that names
 * neither a subject nor a session: the caller would report success although no sign-in has ended.
 */
export function toEndedSignIn(answer: unknown): SignOutStatement | undefined {
	if (answer === undefined) return undefined;
	const { id, subject, session } = (typeof answer === "object" && answer !== null ? answer : {}) as Partial<
		Record<keyof SignOutStatement, unknown>
	>;
	const targets = [subject, session].filter((target) => target !== undefined);
	if (targets.length > 0 && [id, ...targets].every((text) => typeof text === "string" && text !== "")) return answer as SignOutStatement;
	throw new SvcError(
		"SVC_UNAVAILABLE",
		"auth.backend: readLogoutToken of the auth backend returned an invalid value; hint: return { id, subject, session } with a subject, a session or both, or undefined to refuse the token",
	);
}

/** Returns the events of a subscription. Throws `SVC_CONFIG` if the bus returned no promise or nothing that can be iterated. */
export async function toSubscription(answer: unknown): Promise<AsyncIterable<BusEvent>> {
	const hint = "hint: async subscribe(names, { signal }) { return events; }";
	if (!hasMethod(answer, "then")) {
		throw new SvcError("SVC_CONFIG", `event_bus: subscribe must return a promise that resolves when the subscription is active; ${hint}`);
	}
	const events: unknown = await answer;
	if (hasMethod(events, Symbol.asyncIterator)) return events as AsyncIterable<BusEvent>;
	throw new SvcError("SVC_CONFIG", `event_bus: subscribe must resolve with an async iterable of events; ${hint}`);
}

function hasMethod(value: unknown, name: PropertyKey): boolean {
	return typeof value === "object" && value !== null && typeof (value as Record<PropertyKey, unknown>)[name] === "function";
}

import { SvcError, stringifyJson, toErrorMessage } from "../../contract/index.ts";

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

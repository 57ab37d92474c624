import { isJsonObject, isSvcError, type JsonObject, type JsonValue, stringifyJson } from "../../../contract/index.ts";
import { type MemberProblem, memberOf, toMessagePlace } from "./message-path.ts";

export interface FileReading {
	/** Reads the file. Throws `SVC_INVALID` for the first problem. */
	readonly read: (metadata: JsonObject) => unknown;
	/**
	 * Valid values that replace wrong or missing required attributes, so that the other attributes can be checked. The keys are dotted
	 * paths.
	 */
	readonly standIns: JsonObject;
	/** Path of the parameter definitions in the file; empty if the file consists of them. */
	readonly parametersAt?: readonly string[];
}

/** Maximum number of times that a file is read, which limits the problems reported for it. */
const maxReadings = 100;

/**
 * Returns all problems that a reader finds in a file, although it stops at the first. The member with the problem is removed or replaced,
 * and the file is read again. In this way, the service's own readers find all problems, and no separate checks can contradict them.
 */
export async function findProblems(metadata: JsonObject, { read, standIns, parametersAt }: FileReading): Promise<readonly MemberProblem[]> {
	const problems: MemberProblem[] = [];
	let current = metadata;
	for (let reading = 0; reading < maxReadings; reading += 1) {
		try {
			await read(current);
			return problems;
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			const place = toMessagePlace(error.message, current, parametersAt) ?? { path: [], message: error.message };
			// A problem of a member that was replaced or removed here is not a mistake of the author.
			if (!problems.some(({ path }) => isAround(path, place.path) || isAround(place.path, path))) problems.push(place);
			const next = without(current, place.path, standIns);
			if (next === undefined) return problems;
			current = next;
		}
	}
	return problems;
}

function isAround(outer: readonly string[], inner: readonly string[]): boolean {
	return outer.every((name, index) => inner[index] === name);
}

/** Returns the value with the member removed or replaced by its stand-in. Returns undefined if nothing can be removed. */
function without(value: JsonObject, path: readonly string[], standIns: JsonObject, before = ""): JsonObject | undefined {
	const [name, ...rest] = path;
	if (name === undefined) return undefined;
	const member = memberOf(value, name);
	// A list is removed as a whole: without one element, the indexes of the following ones would differ from those in the file.
	if (rest.length > 0 && isJsonObject(member)) {
		const inner = without(member, rest, standIns, `${before}${name}.`);
		if (inner !== undefined) return { ...value, [name]: inner };
	}
	const standIn = standIns[`${before}${name}`];
	if (standIn !== undefined) return isSame(member, standIn) ? undefined : { ...value, [name]: standIn };
	return member === undefined ? undefined : Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

function isSame(one: JsonValue | undefined, other: JsonValue): boolean {
	return stringifyJson(one) === stringifyJson(other);
}

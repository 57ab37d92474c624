import { isJsonObject, isSvcError, type JsonObject, type JsonValue, stringifyJson } from "../../../contract/index.ts";
import { memberOf, toMessagePlace } from "./message-path.ts";

/** Something that is wrong with a member of a file. */
export interface MemberProblem {
	/** Empty: the file as a whole. */
	readonly path: readonly string[];
	readonly message: string;
}

export interface FileReading {
	/** Throws `SVC_INVALID` for the first thing that is wrong. */
	readonly read: (metadata: JsonObject) => unknown;
	/** What may stand for a required attribute that is wrong or missing, so that the others can be looked at; by path, with dots. */
	readonly standIns: JsonObject;
	/** Where definitions of parameters stand in the file; empty: they are the file. */
	readonly parametersAt?: readonly string[];
}

/** Most times that a file is read, and so most problems of it that are told. */
const mostReadings = 100;

/**
 * Everything that a reader refuses in a file, though it ends at the first: what it has named is taken out, and it reads again. So
 * whatever the service reads files by tells all of it, and there is nothing beside it that could say something else.
 */
export async function findProblems(metadata: JsonObject, { read, standIns, parametersAt }: FileReading): Promise<readonly MemberProblem[]> {
	const problems: MemberProblem[] = [];
	let current = metadata;
	for (let reading = 0; reading < mostReadings; reading += 1) {
		try {
			await read(current);
			return problems;
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			const place = toMessagePlace(error.message, current, parametersAt) ?? { path: [], message: error.message };
			// What stands in for something, or is missing since it was taken out, is not the author's.
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

/** Undefined when there is nothing that could be taken out. */
function without(value: JsonObject, path: readonly string[], standIns: JsonObject, before = ""): JsonObject | undefined {
	const [name, ...rest] = path;
	if (name === undefined) return undefined;
	const member = memberOf(value, name);
	// Elements of a list go together: the numbers of those behind one would no longer be those of the file.
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

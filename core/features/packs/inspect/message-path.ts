import { isJsonObject, type JsonValue } from "../../../contract/index.ts";

/** Problem with a member of a file. */
export interface MemberProblem {
	/** Path of the member; empty for the file as a whole. */
	readonly path: readonly string[];
	/** Message, without the path if it began with one. */
	readonly message: string;
}

type Form = readonly [pattern: RegExp, toPath: (match: readonly string[]) => readonly string[]];

/** Forms in which messages of readers name a member, the most specific first. */
const forms: readonly Form[] = [
	[/^attribute "([^"]+)" of parameter "([^"]+)"/, ([, attribute = "", name = ""]) => ["parameters", ...name.split("."), attribute]],
	[
		/^parameter "([^"]+)" has the unknown attribute "([^"]+)"/,
		([, name = "", attribute = ""]) => ["parameters", ...name.split("."), attribute],
	],
	[/^default of parameter "([^"]+)"/, ([, name = ""]) => ["parameters", ...name.split("."), "default"]],
	[/^attribute "position" must go/, () => ["parameters"]],
	[/^parameters must /, () => ["parameters"]],
	[/^(?:the definition of )?parameter "([^"]+)"/, ([, name = ""]) => ["parameters", ...name.split(".")]],
	[/^additional properties are not allowed: parameter "([^"]+)"/, ([, name = ""]) => ["parameters", name]],
	[/^immutable parameters cannot be set: "([^"]+)"/, ([, name = ""]) => ["parameters", name]],
	[
		/^attribute "([^"]+)", entry (\d+): (?:unknown )?attribute "([^"]+)"/,
		([, list = "", entry = "1", name = ""]) => [list, String(Number(entry) - 1), name],
	],
	[/^(?:unknown )?attribute "([^"]+)"/, ([, name = ""]) => [name]],
	[/^"([^"]+)"(?: is required|:)/, ([, name = ""]) => name.split(".")],
	[/^criteria "([^"]+)"/, ([, key = ""]) => ["criteria", key]],
];

/** Path before the message, such as `a.b[0].c: `. */
const leading = /^([\w$-]+(?:\.[^\s:.[\]]+|\[[^\]\s]+\])*): /;

/**
 * Finds the member that a reader's message names in the value it has read. Returns undefined if the message names none.
 *
 * @param parametersAt path of the parameter definitions in the file; empty if the file consists of them
 */
export function toMessagePlace(
	message: string,
	value: JsonValue,
	parametersAt: readonly string[] = ["parameters"],
): MemberProblem | undefined {
	for (const [pattern, toPath] of forms) {
		const match = pattern.exec(message);
		if (match === null) continue;
		const path = toPath(match);
		return { path: resolvePath(value, path[0] === "parameters" && path.length > 1 ? [...parametersAt, ...path.slice(1)] : path), message };
	}
	const match = leading.exec(message);
	if (match === null) return undefined;
	const words = (match[1] ?? "").split(/[.[\]]+/).filter((word) => word !== "");
	const rest = message.slice(match[0].length);
	// An attribute in the message belongs to the member that the leading path names.
	const [, attribute] = /^(?:unknown )?attribute "([^"]+)"/.exec(rest) ?? [];
	return { path: resolvePath(value, attribute === undefined ? words : [...words, attribute]), message: rest };
}

/** Joins words to the names of members, which may contain dots, as keys of criteria do. The longest existing name is used. */
function resolvePath(value: JsonValue, words: readonly string[]): readonly string[] {
	const path: string[] = [];
	let place: JsonValue | undefined = value;
	let rest = words;
	while (rest.length > 0) {
		const count: number = rest.length - findLongest(place, rest);
		const name: string = rest.slice(0, count).join(".");
		path.push(name);
		place = memberOf(place, name);
		rest = rest.slice(count);
	}
	return path;
}

/** Returns the number of words at the end that are not part of the member's name. */
function findLongest(place: JsonValue | undefined, words: readonly string[]): number {
	for (let count = words.length; count > 1; count -= 1) {
		if (memberOf(place, words.slice(0, count).join(".")) !== undefined) return words.length - count;
	}
	return words.length - 1;
}

export function memberOf(place: JsonValue | undefined, name: string): JsonValue | undefined {
	if (Array.isArray(place)) return (place as readonly JsonValue[])[Number(name)];
	return isJsonObject(place) && Object.hasOwn(place, name) ? place[name] : undefined;
}

import { isJsonObject, type JsonValue } from "../../../contract/index.ts";

/** Where in a file something is that a message names. */
export interface MessagePlace {
	readonly path: readonly string[];
	/** The message without what the path says already. */
	readonly message: string;
}

type Form = readonly [pattern: RegExp, toPath: (match: readonly string[]) => readonly string[]];

/** How messages of readers name what they are about, the most exact form first. */
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
	[/^immutable parameters cannot be given: "([^"]+)"/, ([, name = ""]) => ["parameters", name]],
	[
		/^attribute "([^"]+)", entry (\d+): (?:unknown )?attribute "([^"]+)"/,
		([, list = "", entry = "1", name = ""]) => [list, String(Number(entry) - 1), name],
	],
	[/^(?:unknown )?attribute "([^"]+)"/, ([, name = ""]) => [name]],
	[/^"([^"]+)"(?: is required|:)/, ([, name = ""]) => name.split(".")],
	[/^criteria "([^"]+)"/, ([, key = ""]) => ["criteria", key]],
];

/** `a.b[0].c: ` in front of what is wrong. */
const leading = /^([\w$-]+(?:\.[^\s:.[\]]+|\[[^\]\s]+\])*): /;

/**
 * The place that the message of a reader names in what it has read, as exactly as that holds it; undefined when it names none.
 *
 * @param parametersAt where definitions of parameters stand in the file; empty: they are the file
 */
export function toMessagePlace(
	message: string,
	value: JsonValue,
	parametersAt: readonly string[] = ["parameters"],
): MessagePlace | undefined {
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
	// What names an attribute names it in what stands in front.
	const [, attribute] = /^(?:unknown )?attribute "([^"]+)"/.exec(rest) ?? [];
	return { path: resolvePath(value, attribute === undefined ? words : [...words, attribute]), message: rest };
}

/** Names of members may hold dots, as keys of criteria do: the longest one that is there is meant. */
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

/** How many words at the end do not belong to the name of the member. */
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

import type { Assignment, SourceLocation, Timing } from "./definition.ts";
import { parseInlineArguments } from "./inline-arguments.ts";
import type { SourceNode } from "./source-node.ts";

export function locationOf(spot: SourceNode): SourceLocation {
	return { spec_path: spot.path, line: spot.line };
}

/** Returns the elements of a list for which the schema has no schema of their own. */
export function elementsOf(list: SourceNode): readonly SourceNode[] {
	return Array.from({ length: list.length() }, (_, index) => list.at(index));
}

/** Returns the only member of an object; undefined for any other value. */
export function memberOf(element: SourceNode): { readonly name: string; readonly spot: SourceNode } | undefined {
	const [name, ...others] = element.names();
	return name === undefined || others.length > 0 ? undefined : { name, spot: element.at(name) };
}

/** Returns the assignments of a list of objects with one member each, or of a string with arguments. */
export function draftAssignments(spot: SourceNode): readonly Assignment[] {
	if (typeof spot.value === "string") return parseInlineArguments(spot.value).map((argument) => ({ ...locationOf(spot), ...argument }));
	return elementsOf(spot).flatMap((element) => {
		const member = memberOf(element);
		return member?.spot.value === undefined ? [] : [{ ...locationOf(element), name: member.name, value: member.spot.value }];
	});
}

/** Returns a number or an expression for one; null for any other value. */
export function draftTiming(spot: SourceNode): Timing | null {
	const value = textOf(spot) ?? spot.value;
	const isTiming = typeof value === "string" || (typeof value === "number" && Number.isInteger(value));
	return isTiming ? { ...locationOf(spot), value } : null;
}

/** Returns a string that is not empty; undefined for any other value. */
export function textOf(spot: SourceNode): string | undefined {
	return typeof spot.value === "string" && spot.value !== "" ? spot.value : undefined;
}

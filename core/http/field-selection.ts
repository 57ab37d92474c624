import { SvcError } from "../contract/index.ts";
import type { QueryValues } from "./query.ts";
import type { WireRecord } from "./wire-record.ts";

/** Members of a record to show. For an included member the value lists paths inside it; undefined means the whole member. */
export type Selection =
	| { readonly kind: "include"; readonly members: ReadonlyMap<string, readonly (readonly string[])[] | undefined> }
	| { readonly kind: "exclude"; readonly members: ReadonlySet<string> };

export interface SelectionRules {
	/** Members that may be included. */
	readonly includable: ReadonlySet<string>;
	/** Members that may be excluded. */
	readonly excludable: ReadonlySet<string>;
	/** Members that are always included. */
	readonly mandatory: readonly string[];
}

/** Query parameters that select members. */
export const selectionQuery = { include_attributes: "list", exclude_attributes: "list" } as const;

/**
 * Parses `include_attributes` and `exclude_attributes`. Returns undefined if neither is given. Throws `SVC_INVALID` for both
 * together, and for unknown members.
 */
export function parseSelection(query: QueryValues<typeof selectionQuery>, rules: SelectionRules): Selection | undefined {
	const { include_attributes: include, exclude_attributes: exclude } = query;
	if (include !== undefined && exclude !== undefined) {
		throw new SvcError("SVC_INVALID", "include_attributes: cannot be combined with exclude_attributes");
	}
	if (exclude !== undefined) {
		for (const name of exclude) assertKnown("exclude_attributes", name, rules.excludable);
		return { kind: "exclude", members: new Set(exclude) };
	}
	return include === undefined ? undefined : { kind: "include", members: toMembers(include, rules) };
}

/** Returns true if a member is shown. */
export function isSelected(selection: Selection | undefined, member: string): boolean {
	if (selection === undefined) return true;
	return selection.kind === "include" ? selection.members.has(member) : !selection.members.has(member);
}

/** Returns the record with the selected members only. */
export function selectMembers(record: WireRecord, selection: Selection | undefined): WireRecord {
	if (selection === undefined) return record;
	const selected: Record<string, unknown> = {};
	for (const name of Object.keys(record)) {
		if (!isSelected(selection, name)) continue;
		const paths = selection.kind === "include" ? selection.members.get(name) : undefined;
		selected[name] = paths === undefined ? record[name] : pick(record[name], paths);
	}
	return selected;
}

function toMembers(include: readonly string[], rules: SelectionRules): Map<string, string[][] | undefined> {
	const members = new Map<string, string[][] | undefined>(rules.mandatory.map((name) => [name, undefined]));
	for (const attribute of include) {
		const [name = "", ...path] = attribute.split(".");
		assertKnown("include_attributes", name, rules.includable);
		const isWhole = members.has(name) && members.get(name) === undefined;
		if (path.length === 0 || isWhole) members.set(name, undefined);
		else members.set(name, [...(members.get(name) ?? []), path]);
	}
	return members;
}

function assertKnown(parameter: string, name: string, known: ReadonlySet<string>): void {
	if (!known.has(name)) throw new SvcError("SVC_INVALID", `${parameter}: "${name}" is not one of ${[...known].join(", ")}`);
}

function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	const picked: [string, unknown][] = [];
	for (const name of Object.keys(value)) {
		const innerPaths = paths.filter((path) => path[0] === name).map((path) => path.slice(1));
		if (innerPaths.length === 0) continue;
		const member = (value as WireRecord)[name];
		picked.push([name, innerPaths.some((path) => path.length === 0) ? member : pick(member, innerPaths)]);
	}
	return Object.fromEntries(picked);
}

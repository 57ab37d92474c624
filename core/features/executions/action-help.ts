import { type ParameterDefinition, type ParameterSchema, stringifyJson } from "../../contract/index.ts";
import type { ActionRecord } from "../actions/client-api.ts";

/** What `svc run <action> -h` says of an action. What its callers may not set is left out. */
export function toActionHelp({ ref, description, runner_type }: ActionRecord, parameters: ParameterSchema): string {
	const settable = Object.entries(parameters).filter(([, { immutable }]) => immutable !== true);
	const isAsked = ([, { required, default: fallback }]: (typeof settable)[number]) => required === true && fallback === undefined;
	const groups = [
		["Required parameters", inOrder(settable.filter(isAsked))],
		["Optional parameters", inOrder(settable.filter((entry) => !isAsked(entry)))],
	] as const;
	return [
		`${ref}: ${description || "no description"}\nRuns with ${runner_type}.\n`,
		`\nUsage: svc run ${ref} [options] [name=value ...]\n`,
		...groups.map(([title, entries]) => (entries.length === 0 ? "" : `\n${title}:\n${entries.map(toLines).join("")}`)),
		settable.length === 0 ? "\nIt takes no parameters.\n" : "",
		"\n`svc run -h` shows the options, and how values are written.\n",
	].join("");
}

/** Those with a position first, in their order; the others as they were declared. */
function inOrder<E extends readonly [string, ParameterDefinition]>(entries: readonly E[]): readonly E[] {
	const place = ([, { position }]: E) => position ?? Number.POSITIVE_INFINITY;
	return entries.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

function toLines([name, definition]: readonly [string, ParameterDefinition]): string {
	const { type, default: fallback, enum: allowed, secret, description } = definition;
	const notes = [
		type ?? "any type",
		...(allowed === undefined ? [] : [`one of ${allowed.map((value) => stringifyJson(value)).join(", ")}`]),
		...(fallback === undefined || fallback === null || secret === true ? [] : [`default ${stringifyJson(fallback)}`]),
		...(secret === true ? ["secret"] : []),
	];
	const text = description === undefined || description === "" ? "" : `${description.trim().replace(/^/gm, "      ")}\n`;
	return `  ${name} (${notes.join("; ")})\n${text}`;
}

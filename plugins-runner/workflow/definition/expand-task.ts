import type { JsonObject } from "../../../core/contract/index.ts";
import type { ItemsDefinition, RetryDefinition, TaskDefinition, TransitionDefinition } from "./definition.ts";
import { draftAssignments, draftTiming, locationOf, textOf } from "./expand-parts.ts";
import { parseInlineArguments } from "./inline-arguments.ts";
import { isObject } from "./is-object.ts";
import type { SourceNode } from "./source-node.ts";

/** Target that is not a task: the task is retried, at most three times. */
const retryCommand = "retry";
const maxRetries = 3;

/** The pattern of item expressions in the shape of definitions, with groups for its parts. */
const itemsGroups = /^\s*(?:(?<names>\w+(?:\s*,\s*\w+)*)\s+in\s+)?(?<list><%.*%>|\{\{.*\}\})\s*$/;

/** Returns a task with all shorthand expanded. */
export function draftTask(name: string, spot: SourceNode): TaskDefinition {
	const transitions = transitionsOf(spot).map(({ index, spot: transition }) => draftTransition(index, transition));
	const join = spot.property("join").value;
	return {
		...locationOf(spot),
		name,
		...draftAction(spot),
		items: draftItems(spot.property("with")),
		join: join === "all" || typeof join === "number" ? join : null,
		delay: draftTiming(spot.property("delay")),
		timeout: draftTiming(spot.property("timeout")),
		retry: toRetry(transitions) ?? draftRetry(spot.property("retry")),
		next: transitions.flatMap(withoutRetry),
	};
}

/** Returns the locations of the transitions of a task. Elements that are not transitions are omitted. */
export function transitionsOf(task: SourceNode): readonly { readonly index: number; readonly spot: SourceNode }[] {
	const next = task.property("next");
	const all = Array.from({ length: next.length() }, (_, index) => ({ index, spot: next.item(index) }));
	return all.filter(({ spot }) => isObject(spot.value));
}

/** Returns the action and its parameters. Parameters in the same string as the action replace all others. */
export function draftAction(task: SourceNode): { readonly action: string | null; readonly input: JsonObject | string } {
	const action = textOf(task.property("action")) ?? null;
	const input = task.property("input").value;
	const ownInput = isObject(input) || (typeof input === "string" && input !== "") ? input : {};
	const end = action?.indexOf(" ") ?? -1;
	const inline = action === null || end < 0 ? [] : parseInlineArguments(action.slice(end + 1));
	if (action === null || inline.length === 0) return { action, input: ownInput };
	return { action: action.slice(0, end), input: Object.fromEntries(inline.map(({ name, value }) => [name, value])) };
}

/** Splits an item expression into the names of an item's parts and the expression of the list. */
export function splitItems(text: string): { readonly names: readonly string[]; readonly list: string } | undefined {
	const match = itemsGroups.exec(text);
	const list = match?.groups?.["list"];
	if (list === undefined) return undefined;
	const names = match?.groups?.["names"]?.split(",").map((name) => name.trim()) ?? [];
	return { names, list };
}

function draftItems(spot: SourceNode): ItemsDefinition | null {
	const split = splitItems(textOf(spot.property("items")) ?? "");
	if (split === undefined) return null;
	const concurrency = draftTiming(spot.property("concurrency"));
	return { ...locationOf(spot), ...split, concurrency, continuesOnFailure: spot.property("continue_on_failure").value === true };
}

function draftRetry(spot: SourceNode): RetryDefinition | null {
	const count = draftTiming(spot.property("count"));
	if (count === null) return null;
	return { ...locationOf(spot), when: textOf(spot.property("when")) ?? null, count, delay: draftTiming(spot.property("delay")) };
}

function draftTransition(index: number, spot: SourceNode): TransitionDefinition {
	const targets = draftTargets(spot);
	return {
		...locationOf(spot),
		index,
		when: textOf(spot.property("when")) ?? null,
		publish: draftAssignments(spot.property("publish")),
		targets: targets.length === 0 ? ["continue"] : targets,
	};
}

/** Returns the names of the targets, as written, without duplicates. */
export function draftTargets(transition: SourceNode): readonly string[] {
	const { value } = transition.property("do");
	const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : Array.isArray(value) ? value : [];
	return [...new Set(names.filter((name) => typeof name === "string" && name !== ""))];
}

/** Returns the retry of a task that the last transition to the command `retry` defines. */
function toRetry(transitions: readonly TransitionDefinition[]): RetryDefinition | null {
	const transition = transitions.findLast(({ targets }) => targets.includes(retryCommand));
	if (transition === undefined) return null;
	const location = { spec_path: transition.spec_path, line: transition.line };
	return { ...location, when: transition.when ?? "<% completed() %>", count: { ...location, value: maxRetries }, delay: null };
}

/** Removes a transition that leads only to a retry, because it never happens as a transition. */
function withoutRetry(transition: TransitionDefinition): readonly TransitionDefinition[] {
	const targets = transition.targets.filter((target) => target !== retryCommand);
	return targets.length === 0 ? [] : [{ ...transition, targets }];
}

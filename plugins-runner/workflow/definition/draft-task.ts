import type { JsonObject } from "../../../core/contract/index.ts";
import type { ItemsDefinition, RetryDefinition, TaskDefinition, TransitionDefinition } from "./definition.ts";
import { draftAssignments, draftTiming, locationOf, textOf } from "./draft-parts.ts";
import { parseInlineArguments } from "./inline-arguments.ts";
import { isObject } from "./is-object.ts";
import type { Spot } from "./source.ts";

/** A target that is none: the task is tried again, three times at most. */
const retryCommand = "retry";
const retryCount = 3;

/** As the shape of definitions has it, with its parts. */
const itemsParts = /^\s*(?:(?<names>\w+(?:\s*,\s*\w+)*)\s+in\s+)?(?<list><%.*%>|\{\{.*\}\})\s*$/;

/** A task with all shorthand spelled out. */
export function draftTask(name: string, spot: Spot): TaskDefinition {
	const transitions = transitionsOf(spot).map(({ index, spot: each }) => draftTransition(index, each));
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

/** Where the transitions of a task stand. What is none is left out. */
export function transitionsOf(task: Spot): readonly { readonly index: number; readonly spot: Spot }[] {
	const next = task.property("next");
	const all = Array.from({ length: next.length() }, (_, index) => ({ index, spot: next.item(index) }));
	return all.filter(({ spot }) => isObject(spot.value));
}

/** The action, and its parameters: those that stand with it in one text take the place of all others. */
export function draftAction(task: Spot): { readonly action: string | null; readonly input: JsonObject | string } {
	const action = textOf(task.property("action")) ?? null;
	const input = task.property("input").value;
	const written = isObject(input) || (typeof input === "string" && input !== "") ? input : {};
	const end = action?.indexOf(" ") ?? -1;
	const inline = action === null || end < 0 ? [] : parseInlineArguments(action.slice(end + 1));
	if (action === null || inline.length === 0) return { action, input: written };
	return { action: action.slice(0, end), input: Object.fromEntries(inline.map(({ name, value }) => [name, value])) };
}

/** What an item text is made of: its names, and the expression. */
export function splitItems(text: string): { readonly names: readonly string[]; readonly list: string } | undefined {
	const match = itemsParts.exec(text);
	const list = match?.groups?.["list"];
	if (list === undefined) return undefined;
	const names = match?.groups?.["names"]?.split(",").map((name) => name.trim()) ?? [];
	return { names, list };
}

function draftItems(spot: Spot): ItemsDefinition | null {
	const split = splitItems(textOf(spot.property("items")) ?? "");
	if (split === undefined) return null;
	const concurrency = draftTiming(spot.property("concurrency"));
	return { ...locationOf(spot), ...split, concurrency, continuesOnFailure: spot.property("continue_on_failure").value === true };
}

function draftRetry(spot: Spot): RetryDefinition | null {
	const count = draftTiming(spot.property("count"));
	if (count === null) return null;
	return { ...locationOf(spot), when: textOf(spot.property("when")) ?? null, count, delay: draftTiming(spot.property("delay")) };
}

function draftTransition(index: number, spot: Spot): TransitionDefinition {
	const targets = draftTargets(spot);
	return {
		...locationOf(spot),
		index,
		when: textOf(spot.property("when")) ?? null,
		publish: draftAssignments(spot.property("publish")),
		targets: targets.length === 0 ? ["continue"] : targets,
	};
}

/** Names of what comes next, as they are written, each once. */
export function draftTargets(transition: Spot): readonly string[] {
	const { value } = transition.property("do");
	const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : Array.isArray(value) ? value : [];
	return [...new Set(names.filter((name) => typeof name === "string" && name !== ""))];
}

/** What the last transition that leads to the command `retry` makes of the task. */
function toRetry(transitions: readonly TransitionDefinition[]): RetryDefinition | null {
	const transition = transitions.findLast(({ targets }) => targets.includes(retryCommand));
	if (transition === undefined) return null;
	const place = { spec_path: transition.spec_path, line: transition.line };
	return { ...place, when: transition.when ?? "<% completed() %>", count: { ...place, value: retryCount }, delay: null };
}

/** A transition that leads to nothing else than another try never happens. */
function withoutRetry(transition: TransitionDefinition): readonly TransitionDefinition[] {
	const targets = transition.targets.filter((target) => target !== retryCommand);
	return targets.length === 0 ? [] : [{ ...transition, targets }];
}

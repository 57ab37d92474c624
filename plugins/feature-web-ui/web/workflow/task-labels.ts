import { escapeControlCharacters } from "../../../_shipped/client.ts";
import { isEnded, isFailure } from "../parts/status-badge.tsx";
import * as texts from "../texts/workflow.ts";
import type { TaskNode } from "./execution-graph.ts";

/**
 * Returns the status of a task that may have run several times: the status of an active run, or otherwise of the last run. Returns
 * undefined if the task has not run.
 */
export function toNodeStatus({ tasks }: TaskNode): string | undefined {
	return (tasks.find(({ status }) => !isEnded(status)) ?? tasks.at(-1))?.status;
}

/**
 * Returns a short description of the status: `failed, 3 times, 7 of 10 items, 1 failed`. Returns an empty string if the task has not run.
 */
export function toNodeWords(node: TaskNode): string {
	const status = toNodeStatus(node);
	if (status === undefined) return "";
	const { tasks } = node;
	const items = tasks.at(-1)?.items ?? null;
	const routes = new Set(tasks.map(({ route }) => route)).size;
	return [
		status,
		...(tasks.length > 1 ? [texts.times(tasks.length)] : []),
		...(routes > 1 ? [texts.routes(routes)] : []),
		...(items === null ? [] : [texts.items(items)]),
	].join(", ");
}

/** Returns the properties of a task's definition other than its action. */
export function toNodeTraits({ is_start, join, items, kind }: TaskNode): readonly string[] {
	return [
		...(kind === "command" ? [texts.command] : []),
		...(is_start ? [texts.starts] : []),
		...(join === null ? [] : [texts.joins(join)]),
		...(items === null ? [] : [texts.forEachItem]),
	];
}

/** Returns the number of tasks and how many of them have ended and have failed. */
export function toSummary(nodes: readonly TaskNode[]): string {
	const tasks = nodes.filter(({ kind }) => kind === "task");
	const states = tasks.map(toNodeStatus);
	const count = (is: (status: string) => boolean) => states.filter((status) => status !== undefined && is(status)).length;
	const active = count((status) => !isEnded(status));
	return texts.summary({ tasks: tasks.length, ended: count(isEnded), failed: count(isFailure), active });
}

/** Returns the string on one line, truncated to `most` characters. */
export function shorten(text: string, most: number): string {
	const line = escapeControlCharacters(text.trim().replace(/\s+/g, " "));
	const characters = [...line];
	return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}

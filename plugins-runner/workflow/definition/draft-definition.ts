import type { Definition, InputDefinition, TaskDefinition } from "./definition.ts";
import { draftAssignments, draftTiming, elementsOf, memberOf, placeOf } from "./draft-parts.ts";
import { draftTask } from "./draft-task.ts";
import { isObject } from "./is-object.ts";
import { taskName } from "./shape.ts";
import type { Spot } from "./source.ts";
import { buildGraph } from "./task-graph.ts";

/**
 * A definition with all shorthand spelled out. What has a wrong shape is left out, so that the rest can be looked at: only one without
 * findings is what its text says.
 */
export function draftDefinition(text: string, top: Spot): Definition {
	const tasks: ReadonlyMap<string, TaskDefinition> = new Map([...tasksOf(top)].map(([name, spot]) => [name, draftTask(name, spot)]));
	return {
		text,
		input: elementsOf(top.property("input")).flatMap(draftInput),
		vars: draftAssignments(top.property("vars")),
		output: draftAssignments(top.property("output")),
		timeout: draftTiming(top.property("timeout")),
		tasks,
		graph: buildGraph(tasks),
	};
}

/** Where the tasks of a definition stand, by their names. What is none is left out. */
export function tasksOf(top: Spot): ReadonlyMap<string, Spot> {
	const tasks = top.property("tasks");
	const all = tasks.names().map((name): [string, Spot] => [name, tasks.at(name, `patternProperties.${taskName.path}`)]);
	return new Map(all.filter(([name, spot]) => taskName.pattern.test(name) && isObject(spot.value)));
}

function draftInput(element: Spot): readonly InputDefinition[] {
	if (typeof element.value === "string") return [{ ...placeOf(element), name: element.value, default: undefined }];
	const member = memberOf(element);
	return member === undefined ? [] : [{ ...placeOf(element), name: member.name, default: member.spot.value }];
}
